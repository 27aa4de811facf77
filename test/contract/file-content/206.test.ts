import { expect, test } from 'bun:test'
import { rangeOf } from '#http/file-answer.ts'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()
const text = 'abcdefghij'.repeat(70_000)

test('every range of a file is the same bytes as in the whole', async () => {
  const { get, uploaded } = files()
  const { id } = await uploaded(text, 'user_data')
  for (const [range, first, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=5-9', 5, 10],
    ['bytes=262140-262150', 262_140, 262_151],
    ['bytes=100-', 100, text.length],
    ['bytes=-7', text.length - 7, text.length],
    ['bytes=699990-9999999', 699_990, text.length],
  ] as const) {
    const answer = await get(`/files/${id}/content`, { headers: { range } })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([
      206,
      `bytes ${first}-${end - 1}/${text.length}`,
    ])
    expect(await answer.text()).toBe(text.slice(first, end))
  }
})

test('what is not one range of bytes is the whole file', async () => {
  const { get, uploaded } = files()
  const { id } = await uploaded('abc', 'user_data')
  for (const range of ['bytes=0-1,2-2', 'lines=0-1', 'bytes=2-1', 'bytes=-', 'nonsense']) {
    const answer = await get(`/files/${id}/content`, { headers: { range } })
    expect([answer.status, await answer.text()]).toEqual([200, 'abc'])
  }
})

test('a range without a byte is answered 416', async () => {
  const { get, uploaded, refusal } = files()
  const { id } = await uploaded('abc', 'user_data')
  for (const range of ['bytes=3-', 'bytes=3-9', 'bytes=-0']) {
    const answer = await get(`/files/${id}/content`, { headers: { range } })
    expect(answer.headers.get('content-range')).toBe('bytes */3')
    expect((await refusal(answer)).slice(0, 2)).toEqual([416, 'range_not_satisfiable'])
  }
})

test('no header makes a range outside of the file', () => {
  for (const header of ['bytes=999999999999999-', 'bytes=0-999999999999999', 'bytes=-999999999999999']) {
    try {
      const range = rangeOf(header, 10)
      expect(range === null || (range.start >= 0 && range.end <= 10)).toBe(true)
    } catch (thrown) {
      expect(thrown).toHaveProperty('code', 'range_not_satisfiable')
    }
  }
})

test('a range of the content that a client has begun with goes on; of another it is all of this one', async () => {
  const { get, uploaded } = files()
  const { id } = await uploaded('abcdef', 'user_data')
  const etag = String((await get(`/files/${id}/content`)).headers.get('etag'))
  const asked = async (ifRange: string): Promise<readonly [number, string]> => {
    const answer = await get(`/files/${id}/content`, { headers: { range: 'bytes=2-3', 'if-range': ifRange } })
    return [answer.status, await answer.text()]
  }
  expect(await asked(etag)).toEqual([206, 'cd'])
  // A weak tag never says that bytes are the same (RFC 9110 section 13.1.5).
  for (const other of ['"x"', `W/${etag}`, 'Tue, 24 Nov 2026 00:00:00 GMT'])
    expect(await asked(other)).toEqual([200, 'abcdef'])
})

import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()

test('a client that has the content is told so, and gets what has other bytes', async () => {
  const { get, uploaded } = files()
  const [{ id }, same, other] = [await uploaded('abc'), await uploaded('abc'), await uploaded('abd')]
  const first = await get(`/files/${id}/content`)
  const etag = String(first.headers.get('etag'))
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
    const again = await get(`/files/${id}/content`, { headers: { 'if-none-match': known, range: 'bytes=0-1' } })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  }
  expect((await get(`/files/${same.id}/content`)).headers.get('etag')).toBe(etag)
  const changed = await get(`/files/${other.id}/content`, { headers: { 'if-none-match': etag } })
  expect([changed.status, await changed.text()]).toEqual([200, 'abd'])
})

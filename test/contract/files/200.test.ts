import { expect, test } from 'bun:test'
import { filesOfTest, type FileOnWire } from '#test/support/batches/file-client.ts'

const files = filesOfTest()

test('a file is answered as it is stored, whatever the order of the parts', async () => {
  for (const parts of [
    { file: 'abc', purpose: 'user_data' },
    { purpose: 'user_data', file: 'abc' },
  ]) {
    const answer = await files().upload(parts)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: 3,
      created_at: expect.any(Number),
      filename: 'input.jsonl',
      purpose: 'user_data',
      status: 'processed',
    })
  }
})

test('an empty file is a file', async () => {
  const { id, bytes } = await files().uploaded('', 'user_data')
  expect(bytes).toBe(0)
  expect(await (await files().get(`/files/${id}/content`)).text()).toBe('')
})

test('a file of a batch expires after a month, others when the client says', async () => {
  const batch = await files().uploaded('{}')
  expect(batch.expires_at! - batch.created_at).toBe(30 * 86_400)
  const expiring = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '7200' }
  const own = (await (await files().upload({ file: 'x', purpose: 'vision', ...expiring })).json()) as FileOnWire
  expect(own.expires_at! - own.created_at).toBe(7200)
})

test('a list has the files of the account, and of no other', async () => {
  const { gateway, uploaded, get } = files()
  const mine = await uploaded('mine', 'assistants')
  const list = async (key = gateway.keys.main): Promise<readonly string[]> => {
    const { data } = (await (await get('/files?purpose=assistants', { key })).json()) as { readonly data: FileOnWire[] }
    return data.map(({ id }) => id)
  }
  expect(await list()).toEqual([mine.id])
  expect(await list(gateway.keys.other)).toEqual([])
})

import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest({ set: ['files.max_bytes=100000', 'files.account_bytes_max=250000'] })

test('a file that is larger than the limit is refused, and nothing of it stays', async () => {
  const { upload, refusal, gateway } = files()
  expect((await upload({ file: 'x'.repeat(100_000), purpose: 'user_data' })).status).toBe(200)
  const refused = await refusal(await upload({ file: 'x'.repeat(100_001), purpose: 'user_data' }))
  expect(refused).toEqual([413, 'request_too_large', null])
  expect(await Array.fromAsync(new Bun.Glob('documents/incoming/*/*').scan(gateway.directory))).toEqual([])
})

test('an account has no more bytes of files than it may', async () => {
  const { uploaded, upload, refusal, gateway } = files()
  const { id } = await uploaded('x'.repeat(99_000))
  expect((await refusal(await upload({ file: 'x'.repeat(99_000), purpose: 'batch' })))[0]).toBe(413)
  await gateway.request('DELETE', `/ai/v1/files/${id}`)
  expect((await upload({ file: 'x'.repeat(99_000), purpose: 'batch' })).status).toBe(200)
})

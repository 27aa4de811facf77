import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()

test('a form without a file, without a purpose or with another one is refused', async () => {
  const { upload, refusal } = files()
  expect(await refusal(await upload({ purpose: 'batch' }))).toEqual([400, 'invalid_body', 'file'])
  expect(await refusal(await upload({ file: 'x' }))).toEqual([400, 'invalid_body', 'purpose'])
  expect(await refusal(await upload({ file: 'x', purpose: 'fun' }))).toEqual([400, 'invalid_body', 'purpose'])
  expect(await refusal(await upload({ file: 'x', purpose: 'batch_output' }))).toEqual([400, 'invalid_body', 'purpose'])
})

test('a file must be kept from an hour to 30 days', async () => {
  const { upload, refusal } = files()
  for (const seconds of ['3599', '2592001', '-1', 'x', '']) {
    const expiry = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': seconds }
    const refused = await refusal(await upload({ file: 'x', purpose: 'batch', ...expiry }))
    expect(refused).toEqual([400, 'invalid_body', 'expires_after.seconds'])
  }
})

test('a page is asked for by a number, an order and a file of the account', async () => {
  const { get, refusal } = files()
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
    ['after=file-none', 'after'],
    ['after=%00', 'after'],
  ])
    expect(await refusal(await get(`/files?${query}`))).toEqual([400, 'invalid_query_parameter', param])
})

test('nothing of a refused upload stays', async () => {
  const { upload, gateway } = files()
  await upload({ file: 'x'.repeat(100_000), purpose: 'fun' })
  const left = await Array.fromAsync(new Bun.Glob('documents/incoming/*/*').scan(gateway.directory))
  expect(left).toEqual([])
})

import { expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'

const files = filesOfTest({ set: ['batches.concurrency=0'] })

test('a batch of another account is as unknown as one that does not exist', async () => {
  const { create, refusal, uploaded, gateway } = files()
  const asked = { endpoint: '/v1/embeddings', completion_window: '24h', input_file_id: (await uploaded('{}')).id }
  const { id } = (await (await create(asked)).json()) as BatchOnWire
  for (const address of [`/ai/v1/batches/${id}`, '/ai/v1/batches/none', '/ai/v1/batches/%00']) {
    for (const [method, path] of [
      ['GET', address],
      ['POST', `${address}/cancel`],
    ] as const) {
      const answer = await gateway.request(method, path, { key: gateway.keys.other })
      expect(await refusal(answer)).toEqual([404, 'batch_not_found', 'id'])
    }
  }
  const list = await gateway.request('GET', '/ai/v1/batches', { key: gateway.keys.other })
  expect(((await list.json()) as { readonly data: unknown }).data).toEqual([])
})

test('without a key there is nothing to see', async () => {
  const { get, upload } = files()
  for (const path of ['/files', '/files/x', '/files/x/content', '/batches', '/batches/x'])
    expect((await get(path, { key: null })).status).toBe(401)
  expect((await upload({ file: 'x', purpose: 'batch' }, { key: null })).status).toBe(401)
})

import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()

test('a file of another account is as unknown as one that does not exist, whatever is asked', async () => {
  const { gateway, uploaded, refusal } = files()
  const { id } = await uploaded('x')
  const addresses = [`/ai/v1/files/${id}`, '/ai/v1/files/file-none', '/ai/v1/files/%00']
  for (const address of addresses) {
    for (const [method, path] of [
      ['GET', address],
      ['DELETE', address],
      ['GET', `${address}/content`],
    ] as const) {
      const answer = await gateway.request(method, path, { key: gateway.keys.other })
      expect(await refusal(answer)).toEqual([404, 'file_not_found', 'id'])
    }
  }
  expect((await gateway.request('GET', `/ai/v1/files/${id}`)).status).toBe(200)
})

test('a file whose time is over is gone', async () => {
  const { gateway, uploaded, get } = files()
  const { id } = await uploaded('x')
  gateway.advance(31 * 86_400_000)
  expect((await get(`/files/${id}`)).status).toBe(404)
})

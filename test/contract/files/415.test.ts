import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()

test('a body that is not a form is refused', async () => {
  const { gateway, refusal } = files()
  const headers = { 'content-type': 'application/json' }
  const answer = await gateway.request('POST', '/ai/v1/files', { headers, body: '{}' })
  expect(await refusal(answer)).toEqual([415, 'unsupported_media_type', null])
})

/** 401 of POST /ai/v1/messages/count_tokens: the caller is not known. */
import { test } from 'bun:test'
import { messagesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const gateway = gatewayOfFile()
const path = '/ai/v1/messages/count_tokens'

test("no key and a wrong key are refused in Anthropic's words, before the body is read", async () => {
  const missing = await gateway().request('POST', path, { key: null, body: '{' })
  await messagesEndpoint.refusal(missing, { status: 401, code: 'missing_api_key' })
  const wrong = await gateway().request('POST', path, {
    key: null,
    headers: { 'x-api-key': 'sk-ant-wrong' },
    body: '{',
  })
  await messagesEndpoint.refusal(wrong, { status: 401, code: 'invalid_api_key' })
})

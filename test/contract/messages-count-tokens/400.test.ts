/** 400 of POST /ai/v1/messages/count_tokens: what could not be sent as a message either. */
import { expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { messagesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const gateway = gatewayOfFile()

const bodies: readonly (readonly [string, string | object, ErrorCode, string?])[] = [
  ['that is no JSON', '{', 'invalid_json'],
  ['that is no object', '[]', 'invalid_body'],
  ['without a model', { model: undefined }, 'missing_model'],
  ['whose messages are a text', { messages: 'hello' }, 'invalid_body', '"messages"'],
  ['with a thread', { thread: { type: 'create' } }, 'thread_unsupported_request', '"thread"'],
  ['with a feature of other servers', { container: 'a' }, 'invalid_body', '"container"'],
]
for (const [what, fields, code, param] of bodies) {
  test(`a body ${what} is refused in Anthropic's words`, async () => {
    const body = typeof fields === 'string' ? fields : JSON.stringify({ model: 'plain', messages: [], ...fields })
    const refused = await gateway().request('POST', '/ai/v1/messages/count_tokens', { body })
    expect(refused.headers.get('request-id')).toBe(refused.headers.get('x-request-id'))
    await messagesEndpoint.refusal(refused, { status: 400, code, ...(param !== undefined && { param }) })
  })
}

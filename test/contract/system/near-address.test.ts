/** 404 of addresses that are nearly right: the message names the right one, and nothing is answered there. */
import { expect, test } from 'bun:test'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const gateway = gatewayOfFile()
const promised = { status: 404, type: 'not_found_error', code: 'not_found' } as const
const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hello!' }] })

test.each([
  '/v1/chat/completions',
  '/chat/completions',
  '/ai/chat/completions',
  '/ai/v1/v1/chat/completions',
  '/ai/v1/chat/completions/',
  '/openai/v1/chat/completions',
  '/api/v1/chat/completions',
])('%s names /ai/v1/chat/completions', async (path) => {
  const { message } = await expectRefusal(await gateway().request('POST', path, { body }), promised)
  expect(message).toContain(' /ai/v1/chat/completions.')
  expect(gateway().upstream.requests).toEqual([])
})

test.each([
  ['GET', '/v1/models', '/ai/v1/models'],
  ['GET', '/v1/models/plain', '/ai/v1/models/plain'],
  ['POST', '/v1/messages', '/ai/v1/messages'],
  ['POST', '/v1/messages/count_tokens', '/ai/v1/messages/count_tokens'],
  ['POST', '/v1/rerank', '/ai/v1/rerank'],
  ['GET', '/ai/responses/resp_1', '/ai/v1/responses/resp_1'],
  ['POST', '/v1/documents', '/api/v1/documents'],
])('%s %s names %s', async (method, path, address) => {
  const { message } = await expectRefusal(await gateway().request(method, path), promised)
  expect(message).toContain(` ${address}.`)
})

test.each([
  ['POST', '/v1beta/models/plain:generateContent', 'base URL that ends with /ai/v1'],
  ['POST', '/ai/v1beta/models/plain:streamGenerateContent', 'base URL that ends with /ai/v1'],
  ['POST', '/api/chat', 'base URL that ends with /ai/v1'],
  ['POST', '/ai/v1/assistants', '/ai/v1/vector_stores'],
  ['GET', '/ai/v1/threads/thread_1/messages', '/ai/v1/conversations'],
])('%s %s, of an API that is not offered, says where to go', async (method, path, hint) => {
  const { message } = await expectRefusal(await gateway().request(method, path), promised)
  expect(message).toContain(hint)
})

test('a stranger is told nothing below the addresses of an area', async () => {
  const refused = await gateway().request('POST', '/ai/v1/v1/chat/completions', { key: null, body })
  await expectRefusal(refused, { status: 401, type: 'authentication_error', code: 'missing_api_key' })
})

test('an address that is near nothing has the plain answer', async () => {
  const { message } = await expectRefusal(await gateway().request('GET', '/v1/nothing'), promised)
  expect(message).not.toContain('base URL')
})

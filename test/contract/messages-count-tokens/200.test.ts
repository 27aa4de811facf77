/** 200 of POST /ai/v1/messages/count_tokens: an estimate, made here. */
import { expect, test } from 'bun:test'
import { messagesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { clientOf } from '#test/support/batches/file-client.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const gateway = gatewayOfFile()

async function count(fields: object): Promise<number> {
  const body = JSON.stringify({ model: 'plain', ...messagesEndpoint.fields, ...fields })
  const response = await gateway().request('POST', '/ai/v1/messages/count_tokens', { body })
  expect(response.status).toBe(200)
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  const answer = (await response.json()) as { readonly input_tokens: number }
  expect(Object.keys(answer)).toEqual(['input_tokens'])
  return answer.input_tokens
}

test('the tokens of a request are counted without asking a provider', async () => {
  expect(await count({})).toBeGreaterThan(3)
  expect(gateway().upstream.requests).toEqual([])
})

test('longer prompts, a system prompt and tools count for more', async () => {
  const short = await count({})
  const long = await count({ messages: [{ role: 'user', content: 'word '.repeat(1000) }] })
  expect(long - short).toBeGreaterThan(900)
  expect(await count({ system: 'Be brief.' })).toBeGreaterThan(short)
  const tools = [{ name: 'weather', description: 'Tells the weather', input_schema: { type: 'object' } }]
  expect(await count({ tools })).toBeGreaterThan(short)
})

test('max_tokens is not needed, because nothing is answered', async () => {
  expect(await count({ max_tokens: undefined })).toBe(await count({}))
})

test('a file of the account counts as its content does', async () => {
  const data = 'word '.repeat(1000)
  const { id } = await clientOf(gateway()).uploaded(data, 'user_data')
  const asked = (source: object) => count({ messages: [{ role: 'user', content: [{ type: 'document', source }] }] })
  expect(await asked({ type: 'file', file_id: id })).toBe(await asked({ type: 'text', media_type: 'text/plain', data }))
})

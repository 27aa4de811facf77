/** 400 of POST /ai/v1/messages: what cannot be understood, and what no chat completion can say. */
import { describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { askDialect, messagesEndpoint, nativeModel, type Fields } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const refuse = async (fields: Fields | string, code: ErrorCode, param?: string): Promise<string> => {
  const refused = await askDialect(gateway(), messagesEndpoint, fields)
  expect(refused.headers.get('request-id')).toBe(refused.headers.get('x-request-id'))
  return messagesEndpoint.refusal(refused, { status: 400, code, ...(param !== undefined && { param }) })
}

describe('before any provider is asked', () => {
  test('a body that is no JSON, or no object', async () => {
    for (const body of ['', '{"model":', 'hello']) await refuse(body, 'invalid_json')
    for (const body of ['[]', 'null']) await refuse(body, 'invalid_body')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a body without a model', async () => {
    for (const model of [undefined, null, '']) await refuse({ model }, 'missing_model')
  })

  const rows: readonly (readonly [string, Fields, string])[] = [
    ['no max_tokens', { max_tokens: undefined }, '"max_tokens"'],
    ['max_tokens of zero', { max_tokens: 0 }, '"max_tokens"'],
    ['messages that are no list', { messages: 'hello' }, '"messages"'],
    ['a message of nobody', { messages: [{ role: 'robot', content: 'a' }] }, '"messages.0.role"'],
    ['a temperature in words', { temperature: 'hot' }, '"temperature"'],
    ['a feature of Anthropic’s servers', { mcp_servers: [{ type: 'url' }] }, '"mcp-client"'],
    ['a container', { container: 'container_1' }, '"container"'],
    ['a tool that runs at Anthropic', { tools: [{ type: 'web_search_20250305', name: 'web' }] }, '"tools.0.type"'],
    ['an answer that is begun', { messages: [{ role: 'assistant', content: 'I' }] }, '"messages.0"'],
    ['a fast mode', { speed: 'fast' }, '"speed"'],
    ['a place to run at', { inference_geo: 'eu' }, '"inference_geo"'],
  ]
  for (const [what, fields, param] of rows) {
    test(`${what} is refused, and the message names the field`, async () => {
      await refuse(fields, 'invalid_body', param)
      await refuse({ ...fields, stream: true }, 'invalid_body', param)
      expect(gateway().upstream.requests).toEqual([])
    })
  }

  test('a thread is refused before anything else, with the code on which clients send the whole conversation', async () => {
    for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }])
      for (const more of [{}, { stream: true }, { speed: 'fast' }])
        await refuse({ thread, ...more }, 'thread_unsupported_request', '"thread"')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('"stream" that is a text, and a model that is written twice', async () => {
    await refuse({ stream: 'true' }, 'invalid_body', '"stream"')
    await refuse('{"model":"private","model":"plain","max_tokens":1,"messages":[]}', 'invalid_body', '"model"')
  })

  test('a refusal has a row under the name of this endpoint', async () => {
    const headers = { 'x-request-id': 'refused' }
    await askDialect(gateway(), messagesEndpoint, { speed: 'fast' }, { headers })
    expect(await gateway().usageOf('refused')).toMatchObject({
      endpoint: 'messages',
      status: 400,
      code: 'invalid_body',
      modelServed: 'plain',
      attempts: 0,
    })
  })
})

describe('by the provider', () => {
  test('whose words are passed on in the shape of this dialect', async () => {
    gateway().upstream.scriptNext(json(errorObject('Too long for me.', 'context_length_exceeded'), 400))
    const refused = await askDialect(gateway(), messagesEndpoint)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([400, 'false'])
    expect(await refused.json()).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Too long for me.',
        details: { error_code: 'context_length_exceeded' },
      },
      request_id: refused.headers.get('x-request-id'),
    })
  })

  test('that has the endpoint, whose words are passed on, too', async () => {
    const error = { type: 'invalid_request_error', message: 'messages: must alternate' }
    gateway().upstream.scriptNext(json({ type: 'error', error, request_id: 'req_upstream' }, 400))
    const refused = await askDialect(gateway(), messagesEndpoint, {
      model: await nativeModel(gateway(), messagesEndpoint),
    })
    const request_id = refused.headers.get('x-request-id')
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { type: 'error', error: { ...error, details: null }, request_id },
    ])
  })

  test('and what this gateway cannot translate is left to a provider that has the endpoint', async () => {
    gateway().upstream.scriptNext(json({ type: 'message' }))
    const model = await nativeModel(gateway(), messagesEndpoint)
    const response = await askDialect(gateway(), messagesEndpoint, { model, speed: 'fast', max_tokens: undefined })
    expect(response.status).toBe(200)
  })
})

/** 400 of POST /ai/v1/responses: what cannot be understood, and what no chat completion can say. */
import { describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { askDialect, responsesEndpoint, type Fields } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const refuse = async (fields: Fields | string, code: ErrorCode, param?: string): Promise<string> => {
  const refused = await askDialect(gateway(), responsesEndpoint, fields)
  return responsesEndpoint.refusal(refused, { status: 400, code, ...(param !== undefined && { param }) })
}

describe('before any provider is asked', () => {
  test('a body that is no JSON, or no object', async () => {
    for (const body of ['', '{"model":', 'hello']) await refuse(body, 'invalid_json')
    for (const body of ['[]', 'null']) await refuse(body, 'invalid_body')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a body without a model', async () => {
    for (const model of [undefined, null, '']) await refuse({ model }, 'missing_model', 'model')
  })

  const rows: readonly (readonly [string, Fields, string])[] = [
    ['an answer in the background that is not to be kept', { background: true, store: false }, 'background'],
    ['a prompt that is stored nowhere', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['a truncation of no known kind', { truncation: 'last' }, 'truncation'],
    [
      'a tool that runs at OpenAI',
      { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } },
      'tool_choice.type',
    ],
    ['a limit in words', { max_output_tokens: 'few' }, 'max_output_tokens'],
    ['an item of an unknown kind', { input: [{ type: 'a_kind_of_tomorrow' }] }, 'input.0.type'],
    ['a name of chat completions', { max_tokens: 4 }, 'max_tokens'],
    ['"stream" that is a text', { stream: 'true' }, 'stream'],
  ]
  for (const [what, fields, param] of rows) {
    test(`${what} is refused, and the field is named`, async () => {
      expect(await refuse(fields, 'invalid_body', param)).toContain(param)
      expect(gateway().upstream.requests).toEqual([])
    })
  }

  test('an answer before this one that is not stored for the account', async () => {
    for (const id of ['resp_1', `resp_${'0'.repeat(32)}`])
      await refuse({ previous_response_id: id }, 'previous_response_not_found', 'previous_response_id')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a refusal has a row under the name of this endpoint', async () => {
    await askDialect(
      gateway(),
      responsesEndpoint,
      { prompt: { id: 'pmpt_1' } },
      { headers: { 'x-request-id': 'refused' } },
    )
    expect(await gateway().usageOf('refused')).toMatchObject({
      endpoint: 'responses',
      status: 400,
      code: 'invalid_body',
      modelServed: 'plain',
      attempts: 0,
    })
  })
})

test('the words of a provider that refuses are passed on', async () => {
  const words = errorObject('Too long for me.', 'context_length_exceeded', 'invalid_request_error')
  gateway().upstream.scriptNext(json(words, 400))
  const refused = await askDialect(gateway(), responsesEndpoint)
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([400, 'false'])
  expect(await refused.json()).toEqual(words)
})

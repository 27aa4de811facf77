/** 400 of POST /ai/v1/responses that builds on what cannot be built on. */
import { beforeAll, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'

const gateway = gatewayOfFile()
let model = ''
beforeAll(async () => {
  gateway().upstream.script(keepingProvider())
  model = await nativeModel(gateway(), responsesEndpoint)
})

const invalid = { status: 400, code: 'invalid_body', type: 'invalid_request_error' } as const
const notFound = {
  ...invalid,
  code: 'previous_response_not_found',
  param: 'previous_response_id',
} as const

test('an answer that another provider holds, and the message says what to do', async () => {
  const id = await makeResponse(gateway(), { model: await modelWithEndpoints(gateway(), ['responses']) })
  const before = gateway().upstream.requests.length
  const refused = await askDialect(gateway(), responsesEndpoint, { model, previous_response_id: id })
  const { message } = await expectRefusal(refused, notFound)
  expect(message).toContain('ask the model that made it')
  expect(gateway().upstream.requests.length).toBe(before)
})

test('an answer that is held nowhere', async () => {
  const refused = await askDialect(gateway(), responsesEndpoint, { model, previous_response_id: 'resp_none' })
  expect((await expectRefusal(refused, notFound)).message).toContain("'resp_none'")
})

test('references that are no ids, or are written twice, since servers differ in which they take', async () => {
  const before = gateway().upstream.requests.length
  const bodies: readonly (readonly [string, string])[] = [
    ['"previous_response_id":7', 'previous_response_id'],
    ['"previous_response_id":"../models"', 'previous_response_id'],
    ['"previous_response_id":"resp_a","previous_response_id":null', 'previous_response_id'],
    ['"conversation":{}', 'conversation.id'],
    ['"conversation":{"id":"conv_a","id":"conv_b"}', 'conversation.id'],
    ['"conversation":"conv_a","conversation":"conv_b"', 'conversation'],
  ]
  for (const [fields, param] of bodies) {
    const body = `{"model":"${model}","input":"Hi",${fields}}`
    await expectRefusal(await askDialect(gateway(), responsesEndpoint, body), { ...invalid, param })
  }
  expect(gateway().upstream.requests.length).toBe(before)
})

test('an effort that the model does not take is named as this API calls it', async () => {
  const answer = await gateway().operate('POST', '/models', {
    name: 'thinks-low',
    provider_id: gateway().upProviderId,
    upstream_name: 'upstream-model',
    reasoning: { efforts: ['low'], writes: [{ pointer: '/reasoning_effort', values: { low: 'low' } }] },
  })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
  for (const name of ['thinks-low', model]) {
    const odd = await askDialect(gateway(), responsesEndpoint, { model: name, reasoning: { effort: 'hard' } })
    await expectRefusal(odd, { ...invalid, code: 'invalid_value', param: 'reasoning.effort' })
  }
  const high = await askDialect(gateway(), responsesEndpoint, { model: 'thinks-low', reasoning: { effort: 'high' } })
  await expectRefusal(high, { ...invalid, code: 'unsupported_value', param: 'reasoning.effort' })
})

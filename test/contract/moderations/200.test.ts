/** POST /ai/v1/moderations, answered. */
import { expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers } from '#test/support/contract/endpoint-samples.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const gateway = gatewayOfFile()

test('the answer is what the upstream sent', async () => {
  const input = [{ type: 'text', text: 'a' }]
  const response = await callEndpoint(gateway(), 'moderations', { input }, { headers: { 'x-request-id': 'named' } })
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['moderations']])
  const received = await gateway().received('named')
  expect([received.path, received.json()]).toEqual(['/v1/moderations', { model: 'upstream-model', input }])
  expect(await gateway().usageOf('named')).toMatchObject({
    endpoint: 'moderations',
    promptTokens: null,
    completionTokens: null,
  })
})

test('without a model the usual one is meant, under whatever name the upstream knows it', async () => {
  const { id, aliases } = gateway().models.plain
  const assumed = 'omni-moderation-latest'
  await gateway().operate('PATCH', `/models/${id}`, { aliases: [...aliases, assumed] })
  for (const model of [undefined, null, '']) {
    const headers = { 'x-request-id': `assumed-${model}` }
    const response = await callEndpoint(gateway(), 'moderations', { model }, { headers })
    expect(response.status).toBe(200)
    expect((await gateway().received(headers['x-request-id'])).json()['model']).toBe('upstream-model')
    expect(await gateway().usageOf(headers['x-request-id'])).toMatchObject({
      modelAsked: assumed,
      modelServed: 'plain',
    })
  }
  await gateway().operate('PATCH', `/models/${id}`, { aliases })
})

test('the usual model is subject to the rules of access like any other', async () => {
  const { id } = gateway().models.private
  await gateway().operate('PATCH', `/models/${id}`, { aliases: ['omni-moderation-latest'] })
  const refused = await callEndpoint(gateway(), 'moderations', { model: undefined })
  await expectRefusal(refused, { status: 403, type: 'permission_error', code: 'model_access_denied', param: 'model' })
  await gateway().operate('PATCH', `/models/${id}`, { aliases: [] })
})

/** POST /ai/v1/rerank, answered. */
import { expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, endpointRequests } from '#test/support/contract/endpoint-samples.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()

test('the answer is what the upstream sent, and only the model of the request is rewritten', async () => {
  const response = await callEndpoint(gateway(), 'rerank', { top_n: 1 })
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['rerank']])
  const received = gateway().upstream.requests.at(-1)!
  expect([received.path, received.json()]).toEqual([
    '/v1/rerank',
    { model: 'upstream-model', ...endpointRequests.rerank, top_n: 1 },
  ])
})

const counts: readonly (readonly [string, object, number | null])[] = [
  ['a total', { usage: { total_tokens: 31 } }, 31],
  ['tokens of the prompt', { usage: { prompt_tokens: 30, total_tokens: 31 } }, 30],
  ['tokens among its meta data', { meta: { tokens: { input_tokens: 29 } } }, 29],
  ['tokens that are billed', { meta: { billed_units: { input_tokens: 28 } } }, 28],
  ['units that are no tokens', { meta: { billed_units: { search_units: 1 } } }, null],
  ['nothing', {}, null],
]
for (const [index, [what, told, promptTokens]] of counts.entries()) {
  test(`an upstream that counts ${what} is recorded with ${promptTokens}`, async () => {
    gateway().upstream.scriptNext(json({ results: [], ...told }))
    const headers = { 'x-request-id': `counted-${index}` }
    await (await callEndpoint(gateway(), 'rerank', {}, { headers })).arrayBuffer()
    expect(await gateway().usageOf(headers['x-request-id'])).toMatchObject({
      endpoint: 'rerank',
      promptTokens,
      completionTokens: null,
    })
  })
}

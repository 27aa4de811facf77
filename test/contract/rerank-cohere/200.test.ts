/** POST /ai/v2/rerank, answered, at both of its addresses. */
import { expect, test } from 'bun:test'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointRequests } from '#test/support/contract/endpoint-samples.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()
const headers = { 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'plain', ...endpointRequests.rerank, top_n: 2, max_tokens_per_doc: 64 })

test.each(['/ai/v2/rerank', '/ai/v1/v2/rerank'])('%s has the results in the shape of Cohere', async (path) => {
  const response = await gateway().request('POST', path, { headers, body })
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      id: response.headers.get('x-request-id'),
      results: [
        { index: 1, relevance_score: 0.81 },
        { index: 0, relevance_score: 0.2 },
      ],
      meta: { api_version: { version: '2' }, tokens: { input_tokens: 31 } },
    },
  ])
  const received = gateway().upstream.requests.at(-1)!
  expect([received.path, received.json()]).toEqual([
    '/v1/rerank',
    { model: 'upstream-model', ...endpointRequests.rerank, top_n: 2, max_tokens_per_doc: 64 },
  ])
})

test('the tokens are recorded as for /rerank', async () => {
  gateway().upstream.scriptNext(json({ results: [], meta: { billed_units: { input_tokens: 28 } } }))
  const sent = { ...headers, 'x-request-id': 'counted' }
  await (await gateway().request('POST', '/ai/v2/rerank', { headers: sent, body })).arrayBuffer()
  expect(await gateway().usageOf('counted')).toMatchObject({ endpoint: 'rerank', promptTokens: 28 })
})

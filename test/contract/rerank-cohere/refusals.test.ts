/** Refusals of POST /ai/v2/rerank: those of /ai/v1/rerank, in the shape of Cohere. */
import { expect, test } from 'bun:test'
import { gatewayOfFile, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { endpointRequests } from '#test/support/contract/endpoint-samples.ts'
import { answer, json } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()
const headers = { 'content-type': 'application/json' }

async function refused(fields: object, key?: null): Promise<readonly [number, unknown]> {
  const body = JSON.stringify({ model: 'plain', ...endpointRequests.rerank, ...fields })
  const options = { headers, body, ...(key === null && { key }) }
  const response = await gateway().request('POST', '/ai/v2/rerank', options)
  const { id, message, ...rest } = (await response.json()) as Readonly<Record<string, unknown>>
  expect(id).toBe(response.headers.get('x-request-id'))
  expect(message).toEqual(expect.stringMatching(/./))
  return [response.status, rest]
}

test('a refusal has a message, an id and the code', async () => {
  expect(await refused({}, null)).toEqual([401, { code: 'missing_api_key' }])
  expect(await refused({ query: undefined })).toEqual([400, { code: 'invalid_body' }])
  expect(await refused({ model: undefined })).toEqual([400, { code: 'missing_model' }])
  expect(await refused({ model: 'unheard-of' })).toEqual([404, { code: 'model_not_found' }])
  const without = await modelWithEndpoints(gateway(), ['embeddings'])
  expect(await refused({ model: without })).toEqual([404, { code: 'endpoint_not_supported' }])
})

test('an answer that is not that of a reranker is 502', async () => {
  const sent = [json({ data: [] }), json({ results: [{ index: 0 }] }), json([]), answer(200, {}, '{"results":')]
  for (const behaviour of sent) {
    gateway().upstream.scriptNext(behaviour)
    expect(await refused({})).toEqual([502, { code: 'upstream_invalid_response' }])
  }
})

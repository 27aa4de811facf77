/** POST /ai/v1/embeddings, answered. What joining does is in joined.test.ts. */
import { expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { answer, json } from '#test/support/upstream/upstream-behaviours.ts'
import { embeddingList } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()

test('the vectors are the bytes that the upstream sent, and what went in is counted', async () => {
  const sent =
    '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.10000000149011612,-1e-09,1.0]}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}'
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, sent))
  const response = await callEndpoint(gateway(), 'embeddings', {}, { headers: { 'x-request-id': 'vectors' } })
  expect([response.status, await response.text()]).toEqual([200, sent])
  const row = await gateway().usageOf('vectors')
  expect(row).toMatchObject({ endpoint: 'embeddings', promptTokens: 3, completionTokens: null, status: 200 })
})

test('every form of input and every parameter arrives as it was sent', async () => {
  for (const input of ['a', ['a', 'b'], [1, 2, 3], [[1], [2, 3]]]) {
    const fields = { input, encoding_format: 'base64', dimensions: 256, user: 'someone', input_type: 'query' }
    const response = await callEndpoint(gateway(), 'embeddings', fields)
    expect(await response.json()).toEqual(embeddingList(Array.isArray(input) ? input.length : 1))
    expect(gateway().upstream.requests.at(-1)!.json()).toEqual({ model: 'upstream-model', ...fields })
  }
})

test('an upstream that tells only a total is counted by it, and one that tells nothing is not guessed', async () => {
  const counted = async (usage: object | undefined, requestId: string) => {
    gateway().upstream.scriptNext(json({ ...embeddingList(1), usage }))
    await (await callEndpoint(gateway(), 'embeddings', {}, { headers: { 'x-request-id': requestId } })).arrayBuffer()
    return (await gateway().usageOf(requestId)).promptTokens
  }
  expect(await counted({ total_tokens: 9 }, 'total-only')).toBe(9)
  expect(await counted(undefined, 'untold')).toBeNull()
})

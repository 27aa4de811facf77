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
    expect(await response.json()).toMatchObject({
      data: Array(Array.isArray(input) ? input.length : 1).fill({ embedding: expect.any(String) }),
    })
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

test('vectors that are asked for in base64 come so, whether the upstream sends numbers or base64', async () => {
  const vector = [0.5, -1e-9, 3, 1.25e10]
  const packed = Buffer.from(new Float32Array(vector).buffer).toString('base64')
  const of = (...embeddings: readonly unknown[]) => ({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  })
  for (const [sent, wanted] of [
    [of(vector, vector), of(packed, packed)],
    [of(packed, vector), of(packed, packed)],
    [of([]), of('')],
    [of(['a']), of(['a'])],
    [of(), of()],
  ]) {
    gateway().upstream.scriptNext(json(sent))
    const response = await callEndpoint(gateway(), 'embeddings', { encoding_format: 'base64' }, { nonsense: true })
    expect(await response.json()).toEqual(wanted!)
  }
  gateway().upstream.scriptNext(json(of(vector)))
  expect(await (await callEndpoint(gateway(), 'embeddings', { encoding_format: 'float' })).json()).toEqual(of(vector))
})

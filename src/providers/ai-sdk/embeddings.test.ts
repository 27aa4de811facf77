import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { aiSdkProvider } from '../ai-sdk.ts'
import { responseOf } from '#test/support/network/reply-response.ts'
import { upstreamCall } from '#test/support/contract/provider-contract.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { vendorRecord } from '#test/support/upstream/vendor-fixtures.ts'

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

function embed(kind: string, body: object): Promise<Response> {
  const call = upstreamCall('embeddings', { model: 'embedder', input: 'one', ...body })
  return aiSdkProvider(vendorRecord(kind, upstream.url)).send(call).then(responseOf)
}

/** Mistral's answer: the vector of an input is the number in it. */
function mistral(): void {
  upstream.script((request) => {
    const { input } = request.json() as { input: string[] }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [Number(text), 0.5] }))
    return json({
      id: 'e',
      object: 'list',
      model: 'mistral-embed',
      data,
      usage: { prompt_tokens: input.length, total_tokens: input.length },
    })
  })
}

describe('embeddings', () => {
  test('many inputs go in several calls, and come back in order with their tokens added up', async () => {
    mistral()
    const before = upstream.requests.length
    const input = Array.from({ length: 70 }, (_, index) => String(index))
    const answer = (await (await embed('mistral', { input })).json()) as {
      data: { index: number; embedding: number[] }[]
      usage: object
    }
    expect(answer.data.map(({ index, embedding }) => [index, embedding[0]])).toEqual(
      input.map((_, index) => [index, index]),
    )
    expect(answer.usage).toEqual({ prompt_tokens: 70, total_tokens: 70 })
    expect(upstream.requests.slice(before).map((request) => (request.json()['input'] as string[]).length)).toEqual([
      32, 32, 6,
    ])
  })

  test('base64 holds the same numbers as 32-bit floats', async () => {
    mistral()
    const answer = (await (await embed('mistral', { input: '3', encoding_format: 'base64' })).json()) as {
      data: { embedding: string }[]
    }
    const bytes = Buffer.from(answer.data[0]?.embedding ?? '', 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([3, 0.5])
  })

  test('the length of vectors is set in the words of the vendor', async () => {
    mistral()
    const before = upstream.requests.length
    await embed('mistral', { input: '1', dimensions: 256 })
    expect(upstream.requests[before]?.json()).toMatchObject({ output_dimension: 256 })
  })

  for (const [kind, field, value, sent] of [
    ['cohere', 'input_type', 'search_document', '"input_type":"search_document"'],
    ['google', 'task_type', 'RETRIEVAL_DOCUMENT', '"taskType":"RETRIEVAL_DOCUMENT"'],
  ] as const)
    test(`what the texts are is told to ${kind} in its own words`, async () => {
      const { requests } = upstream
      upstream.script(json({}, 500))
      const before = requests.length
      await embed(kind, { input: ['one'], [field]: value }).catch(() => null)
      expect(JSON.stringify(requests[before]?.json())).toContain(sent)
    })

  test('too few vectors are not an answer', async () => {
    upstream.script(json({ embeddings: [{ values: [1] }] }))
    const failure = await embed('google', { input: ['one', 'two'] }).catch((thrown: unknown) => thrown)
    expect(String(failure)).toContain('upstream protocol')
  })

  test('a vendor without embeddings, and token ids, are refused', async () => {
    expect((await embed('anthropic', {})).status).toBe(400)
    const response = await embed('mistral', { input: [1, 2, 3] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { param: 'input.0', message: '"input.0": expected a string.' },
    })
  })
})

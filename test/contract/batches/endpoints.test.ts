/** Every endpoint that lines can have: each line of a batch of many models is answered as a live call of its body is. */
import { expect, test } from 'bun:test'
import { batchEndpoints } from '#batches/lines/line-calls.ts'
import { filesOfTest } from '#test/support/batches/file-client.ts'
import { endpointRequests } from '#test/support/contract/endpoint-samples.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'

const files = filesOfTest()
const models = ['plain', 'vendor/slashed', 'plain-alias', 'shared'] as const
const chat = endpointRequests['chat/completions']
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': endpointRequests.completions,
  '/v1/embeddings': endpointRequests.embeddings,
  '/v1/responses': { input: 'Say hello.', store: false },
  '/v1/messages': { ...chat, max_tokens: 9 },
  '/v1/rerank': endpointRequests.rerank,
  '/v1/moderations': endpointRequests.moderations,
}
/** Made for each answer; lines of embeddings share calls, and what those count. */
const ownFields = ['id', 'created', 'created_at', 'completed_at', 'output', 'usage']

test('the test has every endpoint that a batch takes', () => {
  expect(Object.keys(bodies)).toEqual([...batchEndpoints])
})

test.each(Object.entries(bodies))('%s', async (endpoint, body) => {
  const { gateway, begun, ended, results } = files()
  // Vectors of texts, whatever their places: lines share calls.
  if (endpoint === '/v1/embeddings') gateway.upstream.script(embeds)
  else gateway.upstream.script(openAiAnswer)
  const lines = Array.from({ length: 12 }, (_each, at) => ({ ...body, model: models[at % models.length] }))
  const text = lines.map((each, at) =>
    JSON.stringify({ custom_id: `${at}`, method: 'POST', url: endpoint, body: each }),
  )
  const batch = await ended((await begun(text.join('\n'), endpoint)).id)
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 12, completed: 12, failed: 0 } })
  const written = await results(batch)
  expect(written.map(({ custom_id: id }) => id)).toEqual(lines.map((_each, at) => `${at}`))
  for (const [at, { response }] of written.slice(0, models.length).entries()) {
    const headers = { 'content-type': 'application/json' }
    const live = await gateway.request('POST', `/ai${endpoint}`, { headers, body: JSON.stringify(lines[at]) })
    expect([response?.status_code, live.status]).toEqual([200, 200])
    expect(comparable(response?.body ?? {})).toEqual(comparable((await live.json()) as object))
  }
})

function comparable(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.includes(name)))
}

/** POST /api/v1/search with a rerank model: its order, and that of the search whenever it gives none. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { documentsOfFile, type SearchOnWire } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { hang, json, reset, type Behaviour, type ScriptedRequest } from '#test/support/upstream/upstream-behaviours.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = documentsOfFile({ set: ['documents.model_seconds=0.5', 'failover.max_attempts=1'] })
const count = 12
let plainOrder: readonly string[]

interface Hit {
  readonly name: string
  readonly text: string
  readonly score: number
  readonly scores: { readonly rerank: { readonly score: number; readonly rank: number } | null }
  readonly before: readonly object[]
}

beforeAll(async () => {
  const files = Array.from({ length: count }, (_, at) => ({
    name: `tariff-${at}.txt`,
    bytes: `The tariff number ${at} is about travel. ${'Travel costs money. '.repeat(at % 5)}`,
  }))
  await app().accepted(files, { wait_for_completion: true })
  plainOrder = (await found({ rerank: false })).data.map(({ name }) => name)
  expect(plainOrder).toHaveLength(count)
})
beforeEach(() => app().upstream.script(scoresBackwards))

async function found(fields: object): Promise<Omit<SearchOnWire, 'data'> & { readonly data: readonly Hit[] }> {
  const response = await app().search({ query: 'travel tariff', top_k: count, ...fields })
  expect(response.status).toBe(200)
  return (await response.json()) as Omit<SearchOnWire, 'data'> & { readonly data: readonly Hit[] }
}

const passagesOf = (request: ScriptedRequest) => request.json()['documents'] as readonly string[]
const results = (scores: readonly (readonly [number, number | string])[]): Behaviour =>
  json({ results: scores.map(([index, relevance_score]) => ({ index, relevance_score })) })

/** The last passage is the best, as the answer of Cohere lists it: the best first. */
function scoresBackwards(request: ScriptedRequest): Behaviour {
  const passages = passagesOf(request)
  return results(passages.map((_, at) => [at, at / passages.length] as const).toReversed())
}

const rerank = { model: 'plain' }

test('the model’s order and scores are answered; it gets the question and the passages', async () => {
  const { data, warnings } = await found({ rerank })
  expect([data.map(({ name }) => name), warnings]).toEqual([plainOrder.toReversed(), []])
  for (const [at, hit] of data.entries())
    expect(hit).toMatchObject({
      score: (count - 1 - at) / count,
      scores: { rerank: { score: hit.score, rank: at + 1 } },
    })
  const asked = app().upstream.requests.at(-1)!
  expect(asked.path).toEndWith('/rerank')
  expect(asked.json()).toMatchObject({ model: 'upstream-model', query: 'travel tariff' })
  expect(passagesOf(asked).toReversed()).toEqual(data.map(({ text }) => text))
})

describe.each([1, 2, 5, 200])('of %i candidates', (candidates) => {
  test.each([1, 3, count])('the best %i are answered, and never fewer', async (topK) => {
    const { data, warnings } = await found({ rerank: { ...rerank, candidates }, top_k: topK, window: 1 })
    const read = Math.min(count, Math.max(candidates, topK))
    expect(data.map(({ name }) => name)).toEqual(plainOrder.slice(0, read).toReversed().slice(0, topK))
    expect(warnings).toEqual([])
  })
})

test('passages that the model leaves out come behind, in their order', async () => {
  app().upstream.script(
    results([
      [3, 0.9],
      [1, 0.2],
    ]),
  )
  const { data } = await found({ rerank })
  const [first, second, third, fourth, ...rest] = plainOrder
  expect(data.map(({ name }) => name)).toEqual([fourth!, second!, first!, third!, ...rest])
  expect(data.map(({ scores }) => scores.rerank?.rank ?? null).slice(0, 3)).toEqual([1, 2, null])
})

test.each<readonly [string, Behaviour]>([
  ['no JSON', json('nonsense')],
  ['no results', json({ data: [] })],
  ['none', results([])],
  ['a place that does not exist', results([[99, 1]])],
  ['a place below zero', results([[-1, 1]])],
  [
    'a place twice',
    results([
      [1, 1],
      [1, 0.5],
    ]),
  ],
  ['a score that is no number', results([[0, 'NaN']])],
  ['an error', json(errorObject('secret detail of the provider'), 500)],
  ['a refusal', json(errorObject('no such model'), 404)],
  ['a broken connection', [reset]],
  ['silence', [hang]],
])('when the model gives %s, the order of the search stays, with a warning', async (_, behaviour) => {
  app().upstream.script(behaviour)
  const { data, warnings } = await found({ rerank })
  expect(data.map(({ name }) => name)).toEqual([...plainOrder])
  expect(warnings).toEqual([expect.stringMatching(/^The passages were not reranked: .+/)])
})

test('a model that does not exist or is not open to the caller is refused, and so is none', async () => {
  const invalid = { status: 422, type: 'invalid_request_error', code: 'validation_failed' } as const
  const refused = async (asked: unknown) => app().search({ query: 'travel', rerank: asked })
  await expectRefusal(await refused({ model: 'unheard-of' }), { ...invalid, param: 'rerank.model' })
  await expectRefusal(await refused({ model: 'private' }), {
    status: 403,
    type: 'permission_error',
    code: 'model_access_denied',
    param: 'model',
  })
  await expectRefusal(await refused(true), { ...invalid, param: 'rerank' })
  await expectRefusal(await refused({ model: 'plain', candidates: 201 }), { ...invalid, param: 'rerank.candidates' })
  await expectRefusal(await refused('plain'), { ...invalid, param: 'rerank' })
})

test('a model of the settings orders what says nothing, for those who may use it, and not what says no', async () => {
  const set = async (value: string) =>
    expect((await app().operate('PUT', '/settings/documents.rerank_model', { value })).status).toBe(200)
  await set('plain')
  const orderOf = async (fields: object) => (await found(fields)).data.map(({ name }) => name)
  expect(await orderOf({})).toEqual(plainOrder.toReversed())
  expect(await orderOf({ rerank: true })).toEqual(plainOrder.toReversed())
  expect(await orderOf({ rerank: false })).toEqual([...plainOrder])
  await set('private')
  expect(await found({})).toMatchObject({ warnings: [] })
  expect(await orderOf({})).toEqual([...plainOrder])
  await set('plain')
  const asked = { messages: [{ role: 'user', content: 'travel tariff' }], documents: { top_k: 3 } }
  const before = app().upstream.requests.length
  app().upstream.scriptNext(scoresBackwards, json(chatCompletion()))
  expect((await app().chat(asked)).status).toBe(200)
  const paths = app()
    .upstream.requests.slice(before)
    .map(({ path }) => path.split('/').at(-1))
  expect(paths).toEqual(['rerank', 'completions'])
  expect((await app().operate('DELETE', '/settings/documents.rerank_model')).status).toBe(200)
})

test('a question whose vector does not come in time is searched by words, with a warning; by meaning alone it is 503', async () => {
  app().upstream.script(embeds)
  const { doc_id: id } = await app().imported({ bytes: 'A patient okapi.' }, { embedder: 'plain' })
  app().upstream.script([hang])
  const { data, warnings } = await found({ query: 'okapi', doc_id: id })
  expect(data).toHaveLength(1)
  expect(warnings).toEqual([expect.stringContaining('took longer than 0.5 s')])
  const refused = await app().search({ query: 'okapi', doc_id: id, mode: 'vector' })
  await expectRefusal(refused, { status: 503, type: 'api_error', code: 'embedder_unavailable' })
})

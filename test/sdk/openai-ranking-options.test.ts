/** The official OpenAI client: what `ranking_options` and `rewrite_query` of a vector store's search do. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { hang, json, type Behaviour, type ScriptedRequest } from '#test/support/upstream/upstream-behaviours.ts'
import { openAiClient } from './openai-client.ts'

const models = ['documents.rerank_model=plain', 'documents.rewrite_model=plain']
const app = documentsOfFile({ set: [...models, 'documents.model_seconds=0.5', 'failover.max_attempts=1'] })
let client: OpenAI
let store: string
/** Names in the order of the search alone. */
let plainOrder: readonly string[]

/** The last passage is the best. */
function reranks(request: ScriptedRequest): Behaviour {
  const { documents } = request.json() as { readonly documents: readonly string[] }
  return json({ results: documents.map((_, index) => ({ index, relevance_score: (index + 1) / 10 })) })
}

const says = (content: string): Behaviour => json({ choices: [{ index: 0, message: { role: 'assistant', content } }] })
const asksFor = (path: string): number =>
  app().upstream.requests.filter((request) => request.method === 'POST' && request.path.endsWith(path)).length

beforeAll(async () => {
  client = openAiClient(app())
  store = (await client.vectorStores.create({})).id
  const texts = ['Travel is travel.', 'Travel by train.', 'Trains for travel to the coast, and back again.']
  const files = await Promise.all(
    texts.map(async (text, at) =>
      client.files.create({ file: await toFile(Buffer.from(text), `${at}.txt`), purpose: 'assistants' }),
    ),
  )
  await client.vectorStores.fileBatches.createAndPoll(
    store,
    { file_ids: files.map(({ id }) => id) },
    { pollIntervalMs: 20 },
  )
  plainOrder = (await found({ ranker: 'none' })).map(({ filename }) => filename)
  expect(plainOrder).toHaveLength(3)
})

beforeEach(() => app().upstream.script(reranks))

type Options = Omit<OpenAI.VectorStores.VectorStoreSearchParams.RankingOptions, 'ranker'> &
  Readonly<Record<string, unknown>>

async function found(ranking_options?: Options): Promise<readonly OpenAI.VectorStores.VectorStoreSearchResponse[]> {
  return (await client.vectorStores.search(store, { query: 'travel', ranking_options } as never)).data
}

const refusalOf = (asked: PromiseLike<unknown>): PromiseLike<unknown> =>
  asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )

describe('ranker', () => {
  test.each([undefined, 'auto', 'default-2024-11-15', 'default_2024_08_21', 'plain', 'plain-alias'])(
    '%s: the rerank model orders the passages, and the threshold compares with its scores',
    async (ranker) => {
      const all = await found(ranker === undefined ? {} : { ranker })
      expect(all.map(({ filename }) => filename)).toEqual(plainOrder.toReversed())
      expect(all.map(({ score }) => score)).toEqual([0.3, 0.2, 0.1])
      const best = await found({ ...(ranker !== undefined && { ranker }), score_threshold: 0.25 })
      expect(best.map(({ filename }) => filename)).toEqual([plainOrder[2]!])
    },
  )

  test('none: no model is asked', async () => {
    const before = asksFor('/rerank')
    expect((await found({ ranker: 'none' })).map(({ filename }) => filename)).toEqual([...plainOrder])
    expect(asksFor('/rerank')).toBe(before)
  })

  test('a model that gives no order leaves that of the search', async () => {
    app().upstream.script(json({ error: { message: 'no' } }, 500))
    expect((await found({ ranker: 'plain' })).map(({ filename }) => filename)).toEqual([...plainOrder])
  })

  test.each([
    ['nobody', 422],
    ['private', 403],
  ])('a model that there is not for the caller is refused: %s', async (ranker, status) => {
    expect(await refusalOf(found({ ranker }))).toMatchObject({ status })
    const tools = [
      { type: 'file_search' as const, vector_store_ids: [store], ranking_options: { ranker: ranker as 'auto' } },
    ]
    const before = asksFor('/chat/completions')
    const refused = await refusalOf(client.responses.create({ model: 'plain', input: 'Travel?', tools }))
    expect([refused, asksFor('/chat/completions')]).toMatchObject([{ status }, before])
  })
})

describe('hybrid_search', () => {
  const weights = (embedding: unknown, text: unknown) => ({
    ranker: 'none',
    hybrid_search: { embedding_weight: embedding, text_weight: text },
  })

  test('leaves out what has no weight', async () => {
    const text = (await found(weights(0, 1))).map(({ filename }) => filename)
    const meaning = (await found(weights(2, 0))).map(({ filename }) => filename)
    expect([text, meaning].map((names) => names.toSorted())).toEqual([plainOrder.toSorted(), plainOrder.toSorted()])
    // No document has such a word; the built-in vectors know parts of words.
    const count = async (embedding: number, words: number) => {
      const body = { query: 'travxl', ranking_options: weights(embedding, words) }
      return (await client.vectorStores.search(store, body as never)).data.length
    }
    expect([await count(1, 0), await count(0, 1)]).toEqual([3, 0])
  })

  test.each([
    [0, 0],
    [-1, 1],
    ['much', 1],
  ])('weights %p and %p are refused, and in the tool before a model is asked', async (embedding, text) => {
    expect(await refusalOf(found(weights(embedding, text)))).toMatchObject({ status: 400 })
    const tools = [{ type: 'file_search', vector_store_ids: [store], ranking_options: weights(embedding, text) }]
    const refused = await refusalOf(client.responses.create({ model: 'plain', input: 'Travel?', tools } as never))
    expect(refused).toMatchObject({ status: 400, param: 'tools[0].ranking_options.hybrid_search' })
  })
})

describe('rewrite_query', () => {
  const searched = async (query: string | readonly string[], rewrite = true): Promise<readonly string[]> => {
    const body = { query, rewrite_query: rewrite, ranking_options: { ranker: 'none' } }
    const page: { search_query: string[] } = await client.post(`/vector_stores/${store}/search`, { body })
    return page.search_query
  }

  test('what the model writes is searched for, and answered', async () => {
    app().upstream.script(says('train travel'))
    expect(await searched('How do I get to the coast, please?')).toEqual(['train travel'])
    expect(await searched(['One?', 'Two?'])).toEqual(['train travel', 'train travel'])
  })

  test('without it, and without an answer in time, the question is searched for as it is', async () => {
    app().upstream.script(says('train travel'))
    expect(await searched('travel?', false)).toEqual(['travel?'])
    for (const behaviour of [json({ error: { message: 'no' } }, 500), says(' '), [hang]] as readonly Behaviour[]) {
      app().upstream.script(behaviour)
      expect(await searched('travel?')).toEqual(['travel?'])
    }
  })
})

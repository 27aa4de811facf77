/** Known embedding models get passages and questions in the form that they were trained with. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, type SearchOnWire } from '#test/support/app/documents-app.ts'
import { embeds, textsOf } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile()

interface Form {
  readonly prefix: string
  readonly fields: object
}

let made = 0

/** A model of the gateway that the provider calls so. */
async function aModel(upstreamName: string): Promise<string> {
  made += 1
  const name = `embedder-${made}`
  const fields = { name, provider_id: app().upProviderId, upstream_name: upstreamName }
  expect((await app().operate('POST', '/models', fields)).status).toBe(201)
  return name
}

const ownFields = new Set(['model', 'input', 'encoding_format'])

/** Each call for vectors since then: what stands before the text, and what else was sent. */
function asked(since: number, text: string): readonly Form[] {
  const calls = app()
    .upstream.requests.slice(since)
    .filter((request) => request.path.endsWith('/embeddings') && textsOf(request)[0]?.endsWith(text))
  return calls.map((request) => {
    const sent = Object.entries(request.json()).filter(([field]) => !ownFields.has(field))
    const fields = Object.fromEntries(sent)
    return { prefix: textsOf(request)[0]!.slice(0, -text.length), fields }
  })
}

const passage = 'The narwhal has one tusk.'
const question = 'tusk of a narwhal'

/** Imports a passage and asks a question: how the model was asked for each. */
async function forms(embedder: object, category: string) {
  app().upstream.script(embeds)
  const before = app().upstream.requests.length
  const { embedder: recorded, state } = await app().imported({ bytes: passage, category }, { embedder })
  expect(state).toBe('completed')
  const middle = app().upstream.requests.length
  const hits = await app().hits({ query: question, category })
  expect(hits[0]?.scores.vector?.rank).toBe(1)
  return { recorded, passage: asked(before, passage).at(-1), query: asked(middle, question).at(-1) }
}

const webSearch = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\n'
const represent = 'Represent this sentence for searching relevant passages: '
const plain: Form = { prefix: '', fields: {} }
const families: Readonly<Record<string, readonly [passage: Form, query: Form]>> = {
  'intfloat/multilingual-e5-large': [
    { prefix: 'passage: ', fields: {} },
    { prefix: 'query: ', fields: {} },
  ],
  'intfloat/multilingual-e5-large-instruct': [plain, { prefix: `${webSearch}Query: `, fields: {} }],
  'BAAI/bge-small-en-v1.5': [plain, { prefix: represent, fields: {} }],
  'bge-m3:latest': [plain, plain],
  'Alibaba-NLP/gte-Qwen2-7B-instruct': [plain, { prefix: `${webSearch}Query: `, fields: {} }],
  'thenlper/gte-large': [plain, plain],
  'nomic-embed-text': [
    { prefix: 'search_document: ', fields: {} },
    { prefix: 'search_query: ', fields: {} },
  ],
  'Qwen/Qwen3-Embedding-0.6B': [plain, { prefix: `${webSearch}Query:`, fields: {} }],
  'jina-embeddings-v3': [
    { prefix: '', fields: { task: 'retrieval.passage' } },
    { prefix: '', fields: { task: 'retrieval.query' } },
  ],
  'mxbai-embed-large:335m': [plain, { prefix: represent, fields: {} }],
  'embeddinggemma:300m': [
    { prefix: 'title: none | text: ', fields: {} },
    { prefix: 'task: search result | query: ', fields: {} },
  ],
  'voyage-3.5': [
    { prefix: '', fields: { input_type: 'document' } },
    { prefix: '', fields: { input_type: 'query' } },
  ],
  // Behind an interface of OpenAI's form, which does not have their fields.
  'gemini-embedding-001': [plain, plain],
  'embed-english-v3.0': [plain, plain],
  'a-model-of-our-own': [plain, plain],
}

describe('the form', () => {
  for (const [name, [ofPassage, ofQuery]] of Object.entries(families))
    test(`of ${name}`, async () => {
      const found = await forms({ name: await aModel(name) }, name)
      expect([found.passage, found.query]).toEqual([ofPassage, ofQuery])
    })

  test('is what the import says, where it says something, and stands in the record', async () => {
    const name = await aModel('intfloat/e5-small-v2')
    const options = { query_prefix: 'Q ', passage_prefix: '', passage_fields: { prompt_name: 'text' }, max_tokens: 400 }
    const { recorded, ...found } = await forms({ name, ...options }, 'own form')
    expect(found).toEqual({
      passage: { prefix: '', fields: { prompt_name: 'text' } },
      query: { prefix: 'Q ', fields: {} },
    })
    expect(recorded).toEqual({
      name,
      model_id: expect.any(String) as string,
      query_prefix: 'Q ',
      passage_fields: { prompt_name: 'text' },
      max_tokens: 400,
    })
  })
})

test('documents of one model in two forms are two spaces, each asked in its own', async () => {
  const name = await aModel('nomic-embed-text-v1.5')
  const plainly = { name, query_prefix: '', passage_prefix: '' }
  await forms(plainly, 'two forms')
  await app().imported({ bytes: `${passage} Again.`, category: 'two forms' }, { embedder: name })
  const before = app().upstream.requests.length
  const response = await app().search({ query: question, category: 'two forms' })
  const { data } = (await response.json()) as SearchOnWire
  expect(data.map(({ scores }) => scores.vector?.rank)).toEqual([1, 1])
  const prefixes = new Set(asked(before, question).map(({ prefix }) => prefix))
  expect(prefixes).toEqual(new Set(['', 'search_query: ']))
})

describe('the length of vectors', () => {
  test('is cut here where the model was trained for it, and sent in the field that the provider has', async () => {
    const cut = await forms({ name: await aModel('qwen3-embedding:0.6b'), dimensions: 32 }, 'not cut')
    expect(cut.recorded).toMatchObject({ dimensions: 32, shortened_by: 'cut' })
    expect([cut.passage?.fields, cut.query?.fields]).toEqual([{}, {}])
    const voyage = await forms({ name: await aModel('voyage-3-large'), dimensions: 256 }, 'voyage')
    expect(voyage.passage?.fields).toEqual({ input_type: 'document', output_dimension: 256 })
    const openai = await forms({ name: await aModel('text-embedding-3-small'), dimensions: 512 }, 'openai')
    expect(openai.query?.fields).toEqual({ dimensions: 512 })
  })

  test('that the model was not trained for is refused, with those that it was', async () => {
    const refusal = async (upstreamName: string, dimensions: number) => {
      const embedder = { name: await aModel(upstreamName), dimensions }
      const response = await app().import([{ bytes: 'x' }], { embedder })
      const { error } = (await response.json()) as { error: { param: string; message: string } }
      expect([response.status, error.param]).toEqual([422, 'embedder.dimensions'])
      return error.message
    }
    expect(await refusal('BAAI/bge-base-en-v1.5', 256)).toContain('one length')
    expect(await refusal('nomic-embed-text-v1.5', 1024)).toContain('from 64 to 768')
    expect(await refusal('voyage-3.5', 300)).toContain('256, 512, 1024, 2048')
  })
})

test('an option of the wrong form is refused by name', async () => {
  const name = await aModel('plain-model')
  for (const [option, value] of Object.entries({
    query_prefix: 7,
    passage_prefix: 'x'.repeat(2001),
    query_fields: { model: 'other' },
    passage_fields: 'document',
    max_tokens: 0,
    shortened_by: 'cut',
  })) {
    const response = await app().import([{ bytes: 'x' }], { embedder: { name, [option]: value } })
    expect([response.status, (await response.json()) as object]).toMatchObject([
      422,
      { error: { param: `embedder.${option}` } },
    ])
  }
})

test('passages longer than the model reads leave a warning that says what to do', async () => {
  app().upstream.script(embeds)
  const embedder = { name: await aModel('another-model'), max_tokens: 20 }
  const { warnings } = await app().imported({ bytes: `${passage} `.repeat(20) }, { embedder })
  expect(warnings).toEqual([expect.stringMatching(/longer than the 20 tokens .* smaller chunk_units/)])
})

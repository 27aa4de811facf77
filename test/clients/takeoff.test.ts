/**
 * The Python client of the generation interface (takeoff-client 0.7.0 on PyPI, and the older `embed` of 0.4.0): the HTTP
 * requests that its calls make, without a key, against the practice model, which takes every field. It sends all
 * parameters of a call, null where nothing is set, and reads events of the stream as they are.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { formOf, made, picture } from '#test/support/app/generation-app.ts'
import { json, type ScriptedRequest } from '#test/support/upstream/upstream-behaviours.ts'

let gateway: GatewayApp
beforeAll(async () => {
  gateway = await startGateway({
    set: [
      'generation.consumer_groups=primary=practice, embed=vectors, classify=ranker, gone=nothing, closed=private',
      'generation.anonymous_user=anyone@example.com',
    ],
  })
  await made(gateway, 'POST', '/users', { email: 'anyone@example.com', password: 'a password for anyone' })
  const provider = await made(gateway, 'POST', '/providers', { name: 'practice-server', kind: 'demo' })
  await made(gateway, 'POST', '/models', {
    name: 'practice',
    provider_id: provider['id'],
    upstream_name: 'demo-vision',
  })
  await made(gateway, 'POST', '/models', {
    name: 'lab/vectors',
    aliases: ['vectors'],
    provider_id: provider['id'],
    upstream_name: 'demo-embed',
  })
  await made(gateway, 'POST', '/models', {
    name: 'ranker',
    provider_id: gateway.upProviderId,
    upstream_name: 'upstream-model',
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The parameters of `generate` as the client sends them when its user sets none. */
const unset = {
  sampling_temperature: null,
  sampling_topp: null,
  sampling_topk: null,
  repetition_penalty: null,
  no_repeat_ngram_size: null,
  max_new_tokens: null,
  min_new_tokens: null,
  regex_string: null,
  json_schema: null,
  constrained_decoding_backend: null,
  return_metadata: null,
  prompt_max_tokens: null,
  consumer_group: 'primary',
}
/** All of them set, and those that the client adds when they are. */
const allSet = {
  sampling_temperature: 0.7,
  sampling_topp: 0.9,
  sampling_topk: 40,
  repetition_penalty: 1.2,
  no_repeat_ngram_size: 3,
  max_new_tokens: 64,
  min_new_tokens: 2,
  constrained_decoding_backend: 'outlines',
  return_metadata: true,
  prompt_max_tokens: 100,
  consumer_group: 'primary',
  use_chat_template: true,
  lora_id: 'formal',
}
const metadata = {
  prompt_tokens: expect.any(Number),
  completion_tokens: expect.any(Number),
  finish_reason: expect.stringMatching(/^(stop|length)$/),
}

function send(path: string, payload: object, withImage: boolean): Promise<Response> {
  if (withImage) return gateway.request('POST', `/image_${path}`, { key: null, body: formOf(payload, picture) })
  const headers = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'python-httpx/0.27.0' }
  return gateway.request('POST', `/${path}`, { key: null, headers, body: JSON.stringify(payload) })
}

interface Event {
  readonly text: string
  readonly batch_id: number
  readonly metadata?: object
}

async function eventsOf(response: Response): Promise<readonly Event[]> {
  const answer = await response.text()
  expect([response.status, answer]).toEqual([200, expect.stringContaining('data: ')])
  return [...answer.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Event)
}

describe.each([false, true])('with an image: %p', (withImage) => {
  test('generate() answers one text for one prompt, and a list for a list', async () => {
    for (const parameters of [unset, allSet]) {
      const one = await send('generate', { text: 'Where is it?', ...parameters }, withImage)
      const several = await send('generate', { text: ['What?', 'Where?'], ...parameters }, withImage)
      expect([one.status, several.status]).toEqual([200, 200])
      const told = parameters === allSet
      expect(await one.json()).toEqual({ text: expect.any(String), ...(told && { metadata }) })
      expect(await several.json()).toEqual({
        text: [expect.any(String), expect.any(String)],
        ...(told && { metadata: [metadata, metadata] }),
      })
    }
  })

  test('generate_stream() has events of each prompt, and the metadata in the last of each', async () => {
    for (const text of ['Where is it?', ['What?', 'Where?', 'When?']]) {
      const count = typeof text === 'string' ? 1 : text.length
      const events = await eventsOf(await send('generate_stream', { text, ...unset, return_metadata: true }, withImage))
      for (let prompt = 0; prompt < count; prompt += 1) {
        const own = events.filter(({ batch_id }) => batch_id === prompt)
        expect(own.map((each) => each.text).join('')).not.toBe('')
        expect(own.at(-1)).toEqual({ text: '', batch_id: prompt, metadata })
        expect(own.slice(0, -1).every((each) => each.metadata === undefined)).toBe(true)
      }
      expect(new Set(events.map(({ batch_id }) => batch_id)).size).toBe(count)
    }
  })
})

test('a JSON schema has an answer of its form; a regular expression is taken', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  for (const json_schema of [schema, JSON.stringify(schema)]) {
    const answer = await send('generate', { text: 'Where?', ...unset, json_schema }, false)
    const { text } = (await answer.json()) as { readonly text: string }
    expect(JSON.parse(text)).toEqual({ city: expect.any(String) })
  }
  expect((await send('generate', { text: 'Where?', ...unset, regex_string: '[a-z]+' }, false)).status).toBe(200)
})

test('a consumer group that is unknown raises with its name', async () => {
  const answer = await send('generate', { text: 'Where?', ...unset, consumer_group: 'nobody' }, false)
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('nobody')])
})

function post(path: string, payload: object): Promise<Response> {
  return send(path, payload, false)
}

async function get(path: string): Promise<unknown> {
  const answer = await gateway.request('GET', path, { key: null, headers: { accept: '*/*' } })
  expect(answer.status).toBe(200)
  return answer.json()
}

describe('embed()', () => {
  const texts = ['a whale', 'a cat', 'a whale']

  test('of today asks an address of OpenAI for its consumer group', async () => {
    for (const [model, input] of [
      ['embed', texts],
      ['embed', 'a whale'],
      ['lab/vectors', texts],
    ] as const) {
      const answer = await post('v1/embeddings', { input, model })
      expect(answer.status).toBe(200)
      const { data } = (await answer.json()) as { data: { index: number; embedding: number[] }[] }
      expect(data.map(({ index }) => index)).toEqual(typeof input === 'string' ? [0] : [0, 1, 2])
      expect(data[0]?.embedding.length).toBeGreaterThan(7)
    }
  })

  test('of old has a vector for each text, in their order', async () => {
    const answer = await post('embed', { text: texts, consumer_group: 'embed' })
    const { result } = (await answer.json()) as { result: number[][] }
    expect([answer.status, result.length]).toEqual([200, 3])
    expect(result[0]).toEqual(result[2])
    expect(result[0]).not.toEqual(result[1])
    const one = await post('embed', { text: 'a whale', consumer_group: 'embed' })
    expect(await one.json()).toEqual({ result: [result[0]] })
  })

  test('is one record of the anonymous account', async () => {
    const answer = await post('embed', { text: 'a whale', consumer_group: 'embed' })
    const row = await gateway.usageOf(answer.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ endpoint: 'embeddings', modelAsked: 'vectors', status: 200 })
  })
})

describe('classify()', () => {
  const scores = (results: readonly object[]) =>
    gateway.upstream.scriptNext(json({ results, usage: { total_tokens: 9 } }))
  const scoresByQuery = (request: ScriptedRequest) => {
    const results = request.json()['query'] === 'q' ? [0.1, 0.2] : [0.5]
    return json({ results: results.map((relevance_score, index) => ({ index, relevance_score })) })
  }

  test('has a score for each pair in its place, whatever the order of the reranker', async () => {
    scores([
      { index: 2, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.5 },
      { index: 1, relevance_score: -0.1 },
    ])
    const text = [
      ['q', 'a'],
      ['q', 'b'],
      ['q', 'c'],
    ]
    const answer = await post('classify', { text, consumer_group: 'classify' })
    expect([answer.status, await answer.json()]).toEqual([200, { result: [[0.5], [-0.1], [0.9]] }])
    const sent = gateway.upstream.requests.at(-1)!
    expect([sent.path, sent.json()]).toEqual([
      '/v1/rerank',
      { model: 'upstream-model', query: 'q', documents: ['a', 'b', 'c'] },
    ])
  })

  test('of several queries has a score for each pair in its place', async () => {
    const text = [
      ['q', 'a'],
      ['other', 'b'],
      ['q', 'c'],
    ]
    gateway.upstream.scriptNext(...['q', 'other'].map(() => scoresByQuery))
    const answer = await post('classify', { text, consumer_group: 'classify' })
    expect([answer.status, await answer.json()]).toEqual([200, { result: [[0.1], [0.5], [0.2]] }])
  })

  test('of single texts and of triples is refused with the field and the reason', async () => {
    const refused: readonly (readonly [text: unknown, param: string, reason: string])[] = [
      ['a text', 'text', 'single texts are not classified here'],
      [['a text'], 'text.0', 'array'],
      [[['q', 'a', 'b']], 'text.0', 'a pair of a query and a document'],
      [
        [
          ['q', 'a'],
          ['q', 5],
        ],
        'text.1.1',
        'a string',
      ],
      [[], 'text', 'expected pairs'],
    ]
    for (const [text, param, reason] of refused) {
      const answer = await post('classify', { text, consumer_group: 'classify' })
      const { error } = (await answer.json()) as { error: { param: string; message: string } }
      expect([answer.status, error.param, error.message]).toEqual([422, param, expect.stringContaining(reason)])
    }
  })

  test('answers 502 for what is not the answer of a reranker, or lacks a score', async () => {
    for (const results of [[], [{ index: 0, relevance_score: 1 }], [{ index: 0 }, { index: 1 }]]) {
      scores(results)
      const answer = await post('classify', {
        text: [
          ['q', 'a'],
          ['q', 'b'],
        ],
        consumer_group: 'classify',
      })
      expect(answer.status).toBe(502)
    }
  })

  test('at a model that cannot rerank says so', async () => {
    const answer = await post('classify', { text: [['q', 'a']], consumer_group: 'primary' })
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('endpoint_not_supported')])
  })
})

test('a group that leads nowhere, or to a model of others, is refused by its own name', async () => {
  const calls = [
    ['embed', { text: 'a' }],
    ['classify', { text: [['q', 'a']] }],
    ['generate', { text: 'a' }],
  ] as const
  for (const [path, payload] of calls) {
    for (const group of ['gone', 'nobody']) {
      const answer = await post(path, { ...payload, consumer_group: group })
      const { error } = (await answer.json()) as { error: object }
      expect([answer.status, error]).toEqual([
        404,
        expect.objectContaining({ code: 'consumer_group_not_found', param: 'consumer_group' }),
      ])
    }
    const closed = await post(path, { ...payload, consumer_group: 'closed' })
    expect([closed.status, await closed.text()]).toEqual([403, expect.stringContaining('model_access_denied')])
  }
})

describe('tokenize() and detokenize()', () => {
  test.each(['Hello, world!', '', 'Grüße 👩‍👩‍👧 次の', 'a'.repeat(50_000), '<|endoftext|>', 'word '.repeat(20_000)])(
    'give %p back unchanged',
    async (text) => {
      for (const payload of [{ text }, { text, use_chat_template: true }]) {
        const answer = await post('tokenize/lab/vectors', payload)
        const { tokens, tokens_count } = (await answer.json()) as { tokens: string[]; tokens_count: number }
        expect([answer.status, tokens_count]).toEqual([200, tokens.length])
        const back = await post('detokenize/lab/vectors', { tokens, skip_special_tokens: true })
        expect(await back.json()).toEqual({ text })
      }
    },
  )

  test('take ids of the vocabulary, and refuse others', async () => {
    const known = await post('detokenize/practice', { tokens: [13225, 11, 2375], skip_special_tokens: false })
    expect(await known.json()).toEqual({ text: 'Hello, world' })
    for (const tokens of [[999_999_999], [-1], [1.5], ['a', 5], 'a', [{}]]) {
      const answer = await post('detokenize/practice', { tokens })
      const { error } = (await answer.json()) as { error: { param: string; message: string } }
      expect([answer.status, error.param]).toEqual([422, expect.stringMatching(/^tokens/)])
      expect(error.message).toMatch(/expected/)
    }
  })

  test('need a reader that the caller may use', async () => {
    for (const path of ['tokenize', 'detokenize']) {
      expect((await post(`${path}/nobody`, { text: 'a', tokens: [] })).status).toBe(404)
      expect((await post(`${path}/private`, { text: 'a', tokens: [] })).status).toBe(403)
    }
  })
})

test('get_readers() and get_status() have the models that the caller can name, and their groups', async () => {
  const groups = (await get('/reader_groups')) as Record<string, { reader_id: string; ready: boolean }[]>
  const readers = Object.fromEntries(Object.entries(groups).map(([name, [reader]]) => [name, reader?.reader_id]))
  expect(readers).toMatchObject({ primary: 'practice', embed: 'lab/vectors', classify: 'ranker', ranker: 'ranker' })
  expect(Object.keys(readers)).not.toContain('closed')
  expect(Object.keys(readers)).not.toContain('gone')
  const { status } = (await get('/status')) as { status: { live_readers: object; dead_readers: object } }
  expect(status.live_readers).toMatchObject({ 'lab/vectors': { ready: true }, practice: { device: 'api' } })
  expect(Object.keys({ ...status.live_readers, ...status.dead_readers })).not.toContain('private')
  // What they list can be used.
  for (const group of Object.values(groups)) {
    for (const { reader_id } of group) expect((await post(`tokenize/${reader_id}`, { text: 'a' })).status).toBe(200)
  }
})

test.each([
  ['POST', '/chat_template/practice', '/ai/v1/chat/completions'],
  ['POST', '/reader', '/admin/api/v1/models'],
  ['DELETE', '/reader/practice', '/admin/api/v1/models'],
  ['GET', '/config/practice', '/reader_groups'],
  ['POST', '/partition_document', '/api/v1/documents'],
  ['POST', '/partition_document_stream', '/api/v1/documents'],
])('%s %s, which a gateway cannot answer, says where to go', async (method, path, there) => {
  const answer = await gateway.request(method, path, { key: null })
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(there)])
})

test('without an anonymous account all of it needs a key', async () => {
  await using closed = await startGateway()
  const calls = [
    ['POST', '/embed'],
    ['POST', '/v1/embeddings'],
    ['POST', '/classify'],
    ['POST', '/tokenize/practice'],
    ['POST', '/detokenize/practice'],
    ['GET', '/reader_groups'],
    ['GET', '/status'],
  ] as const
  for (const [method, path] of calls) {
    expect((await closed.request(method, path, { key: null })).status).toBe(401)
    expect((await closed.request(method, path)).status).not.toBe(401)
  }
})

/** Which requests have their content logged, what is stored of it, and who may see it. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import { answer, brokenStream, json, reset } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'

interface Listed {
  readonly id: string
  readonly request_id: string
  readonly endpoint: string
  readonly status: number
  readonly code: string | null
  readonly request_cut: boolean
  readonly answer_cut: boolean
  readonly excerpt: string | null
}
interface Full extends Listed {
  readonly request: string
  readonly answer: string | null
}
interface Page {
  readonly data: readonly Listed[]
  readonly next_cursor: string | null
}

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())
afterEach(async () => {
  for (const name of Object.keys(changed)) await operate('DELETE', `/settings/content_log.${name}`)
  changed = {}
  await operate('POST', '/content-logs/remove', { user_id: gateway.keys.main.userId })
})

let changed: Record<string, unknown> = {}
async function switchOn(settings: Record<string, unknown>): Promise<void> {
  changed = { enabled: true, ...settings }
  for (const [name, value] of Object.entries(changed))
    expect((await operate('PUT', `/settings/content_log.${name}`, { value })).status).toBe(200)
}

const operate = (method: string, path: string, body?: object): Promise<Response> => gateway.operate(method, path, body)
async function read<T>(path: string): Promise<T> {
  const response = await operate('GET', path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const idOf = (response: Response): string => response.headers.get('x-request-id')!

/** The logged content of a request, once it is written. */
async function contentOf(response: Response): Promise<Full> {
  await response.arrayBuffer()
  let row: Listed | undefined
  await until(async () => {
    row = (await read<Page>(`/content-logs?request_id=${idOf(response)}`)).data[0]
    return row !== undefined
  })
  return read<Full>(`/content-logs/${row!.id}`)
}

async function post(path: string, body: object, key = gateway.keys.main): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.request('POST', path, { key, headers, body: JSON.stringify(body), nonsense: true })
}

describe('which requests are logged', () => {
  /** Sends requests of two keys to two models, then one that is logged for certain: what came before it is written by then. */
  async function loggedOf(settings: Record<string, unknown>): Promise<readonly string[]> {
    await switchOn(settings)
    const sent = [
      ['plain of main', await gateway.chat()],
      ['slashed of main', await gateway.chat({ model: 'vendor/slashed' })],
      ['plain of second', await gateway.chat({}, { key: gateway.keys.second })],
      ['plain of other', await gateway.chat({}, { key: gateway.keys.other })],
    ] as const
    for (const [, response] of sent) await response.arrayBuffer()
    await switchOn({ ...settings, enabled: true, models: ['*'] })
    await contentOf(await gateway.chat())
    const { data } = await read<Page>('/content-logs')
    const ids = new Set(data.map((row) => row.request_id))
    for (const userId of new Set([gateway.keys.main.userId, gateway.keys.other.userId]))
      await operate('POST', '/content-logs/remove', { user_id: userId })
    return sent.filter(([, response]) => ids.has(idOf(response))).map(([name]) => name)
  }

  test('none, unless it is switched on', async () => {
    expect(await loggedOf({ enabled: false, models: ['*'] })).toEqual([])
  })
  test('none, when nothing is named', async () => {
    expect(await loggedOf({})).toEqual([])
  })
  test('those of a model', async () => {
    expect(await loggedOf({ models: ['vendor/slashed'] })).toEqual(['slashed of main'])
  })
  test('those of a group', async () => {
    expect(await loggedOf({ groups: ['closed'] })).toEqual(['plain of other'])
  })
  test('those of a key', async () => {
    expect(await loggedOf({ keys: [gateway.keys.second.id] })).toEqual(['plain of second'])
  })
})

describe('what is stored', () => {
  test('prompt and answer, redacted, and not readable in the database', async () => {
    await switchOn({ models: ['*'], redact_patterns: ['EMP-[0-9]{4}'] })
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['Ask ada@example.org of EMP-1234'] })))
    const content = 'zebra 4111 1111 1111 1111'
    const logged = await contentOf(await gateway.chat({ messages: [{ role: 'user', content }] }))
    expect(JSON.parse(logged.request)).toEqual({
      model: 'plain',
      messages: [{ role: 'user', content: 'zebra [card]' }],
    })
    expect(JSON.parse(logged.answer!)).toMatchObject({
      choices: [{ message: { content: 'Ask [email] of [redacted]' } }],
    })
    const database = new Database(join(gateway.directory, 'sluice.db'), { readonly: true })
    const row = database.query('select * from content_logs where id = ?').get(logged.id) as Record<string, unknown>
    database.close()
    expect(JSON.stringify(row)).not.toContain('zebra')
    // A row that is put in another's place does not open.
    expect(row['request']).toStartWith('v1.')
  })

  test('a stream is the document that it stands for', async () => {
    await switchOn({ models: ['plain'] })
    const logged = await contentOf(await gateway.stream())
    expect(JSON.parse(logged.request)).toMatchObject({ stream: true })
    expect(JSON.parse(logged.answer!)).toMatchObject({ choices: [{ message: { role: 'assistant' } }] })
    expect(logged.answer).not.toContain('data:')
  })

  test('a stream that breaks off is kept as far as it came', async () => {
    await switchOn({ models: ['plain'] })
    const piece = { choices: [{ index: 0, delta: { content: 'half' } }] }
    gateway.upstream.scriptNext(brokenStream([piece], reset))
    const response = await gateway.stream({}, { nonsense: true })
    const logged = await contentOf(response)
    expect(logged.code).toBe('upstream_stream_error')
    expect(JSON.parse(logged.answer!)).toMatchObject({ choices: [{ message: { content: 'half' } }] })
  })

  test('a request that failed has no answer', async () => {
    await switchOn({ models: ['plain'] })
    gateway.upstream.scriptNext(answer(400, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}'))
    expect(await contentOf(await gateway.chat())).toMatchObject({ status: 400, answer: null })
  })

  test('what is longer than the limit is cut off, and says so', async () => {
    await switchOn({ models: ['plain'], max_bytes: 1024 })
    const logged = await contentOf(await gateway.chat({ messages: [{ role: 'user', content: 'ä'.repeat(2000) }] }))
    expect([logged.request_cut, logged.answer_cut]).toEqual([true, false])
    expect(Buffer.byteLength(logged.request)).toBeLessThanOrEqual(1024)
  })

  test.each([
    ['/ai/v1/completions', { model: 'plain', prompt: 'zebra' }],
    ['/ai/v1/responses', { model: 'plain', input: 'zebra' }],
    ['/ai/v1/messages', { model: 'plain', max_tokens: 9, messages: [{ role: 'user', content: 'zebra' }] }],
    ['/ai/v1/embeddings', { model: 'plain', input: ['zebra'] }],
    ['/ai/v1/rerank', { model: 'plain', query: 'zebra', documents: ['a'] }],
    ['/generate', { text: 'zebra', consumer_group: 'plain' }],
    ['/generate_stream', { text: ['zebra'], consumer_group: 'plain' }],
  ])('%s', async (path, body) => {
    await switchOn({ models: ['plain'] })
    const response = await post(path, body)
    const logged = await contentOf(response)
    expect(logged.request).toContain('zebra')
    expect(logged.endpoint.length).toBeGreaterThan(0)
    if (response.status === 200) expect(logged.answer).not.toBe(null)
  })
})

describe('who sees it', () => {
  test('administrators only, and each who is shown a text is in the audit log before it', async () => {
    await switchOn({ models: ['plain'] })
    const logged = await contentOf(await gateway.chat({ messages: [{ role: 'user', content: 'zebra stripes' }] }))
    const key = gateway.keys.main
    for (const path of ['content-logs', `content-logs/${logged.id}`, 'content-logs-export'])
      expect((await gateway.request('GET', `/admin/api/v1/${path}`, { key })).status).toBe(403)
    await read(`/content-logs?text=ZEBRA`)
    await (await operate('GET', '/content-logs-export')).text()
    const { data } = await read<{ data: readonly { action: string; details: object }[] }>('/audit?limit=3')
    expect(data.map(({ action, details }) => [action, details])).toEqual([
      ['GET /content-logs-export', { export: true }],
      ['GET /content-logs', { search: true }],
      ['GET /content-logs/:id', { request_id: logged.request_id, user_id: key.userId }],
    ])
  })

  test('a search finds texts in prompts and answers in any case, and goes on by its cursor', async () => {
    await switchOn({ models: ['plain'] })
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['A Quagga.'] })))
    const first = await contentOf(await gateway.chat())
    const second = await contentOf(await gateway.chat({ messages: [{ role: 'user', content: 'the quagga?' }] }))
    const { data, next_cursor: next } = await read<Page>('/content-logs?text=QUAGGA')
    expect(data.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(data[0]?.excerpt).toContain('the quagga?')
    expect(next).toBe(null)
    expect((await read<Page>('/content-logs?text=okapi')).data).toEqual([])
    const page = await read<Page>('/content-logs?limit=1')
    expect(page.data.map(({ id }) => id)).toEqual([second.id])
    expect((await read<Page>(`/content-logs?limit=1&cursor=${page.next_cursor}`)).data[0]?.id).toBe(first.id)
  })

  test('an export has the conversations that are whole, in the format of fine-tuning', async () => {
    await switchOn({ models: ['plain'] })
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(80)}` } }
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['one'] })))
    await contentOf(await gateway.chat({ tools, messages: [{ role: 'user', content: [picture] }] }))
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['two'] })))
    await contentOf(
      await post('/ai/v1/messages', {
        model: 'plain',
        system: 'Be brief.',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    )
    await contentOf(await post('/ai/v1/embeddings', { model: 'plain', input: 'left out' }))
    gateway.upstream.scriptNext(answer(400, {}, 'left out'))
    await contentOf(await gateway.chat())
    const exported = await operate('GET', '/content-logs-export')
    expect(exported.headers.get('content-type')).toBe('application/x-jsonl')
    const lines = (await exported.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'two' },
        ],
      },
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: '[image/png, 60 bytes]' }] },
          { role: 'assistant', content: 'one' },
        ],
        tools,
      },
    ])
  })

  test('what is removed is gone, also from the search', async () => {
    await switchOn({ models: ['plain'] })
    const logged = await contentOf(await gateway.chat())
    const removed = await operate('POST', '/content-logs/remove', { request_id: logged.request_id })
    expect(await removed.json()).toEqual({ removed: 1 })
    expect((await operate('GET', `/content-logs/${logged.id}`)).status).toBe(404)
    expect((await operate('POST', '/content-logs/remove', {})).status).toBe(422)
  })
})

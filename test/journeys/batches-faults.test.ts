/** Batches over a provider that fails, and over accounts that share one: what waits, what ends, and in which order. */
import { expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import { until } from '#test/support/until.ts'
import { gate, json, openAiAnswer, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { StockKey } from '#test/support/app/gateway-catalog.ts'

const files = filesOfTest({ set: ['health.failures_to_eject=1000'] })
const endpoint = '/v1/chat/completions'

function line(customId: string, model = 'plain'): string {
  const body = { model, messages: [{ role: 'user', content: customId }] }
  return JSON.stringify({ custom_id: customId, method: 'POST', url: endpoint, body })
}

async function start(ids: readonly string[], window = '24h', key?: StockKey): Promise<string> {
  const { gateway, create } = files()
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([ids.map((id) => line(id)).join('\n')]), 'input.jsonl')
  const options = key === undefined ? {} : { key }
  const file = await gateway.request('POST', '/ai/v1/files', { ...options, body: form })
  const { id } = (await file.json()) as { readonly id: string }
  const batch = await create({ input_file_id: id, endpoint, completion_window: window }, options)
  return ((await batch.json()) as BatchOnWire).id
}

async function read(id: string): Promise<BatchOnWire> {
  return (await (await files().get(`/batches/${id}`)).json()) as BatchOnWire
}

async function ended(id: string): Promise<BatchOnWire> {
  let batch = await read(id)
  await until(async () => (batch = await read(id)).status === 'completed')
  return batch
}

/** What the provider answers by the text of the line, and how often it was asked for each. */
function answering(answer: (text: string, time: number) => Behaviour | null): ReadonlyMap<string, number> {
  const asked = new Map<string, number>()
  files().gateway.upstream.script((request) => {
    const { messages } = request.json() as { readonly messages: readonly { readonly content: string }[] }
    const text = messages[0]?.content ?? ''
    const time = (asked.get(text) ?? 0) + 1
    asked.set(text, time)
    return answer(text, time) ?? openAiAnswer(request)
  })
  return asked
}

test('lines wait while the provider limits requests, and all are answered', async () => {
  const limited: Behaviour = json(errorObject('slow down'), 429)
  const asked = answering((_, time) => (time < 3 ? limited : null))
  const { request_counts: counts } = await ended(await start(['a', 'b', 'c']))
  expect(counts).toEqual({ total: 3, completed: 3, failed: 0 })
  expect([...asked.values()]).toEqual([3, 3, 3])
}, 30_000)

test('lines wait while the provider is away, whatever they were asked before, and are not failed', async () => {
  const away = [503, 502, 504, 401]
  let calls = 0
  answering(() => (calls++ < away.length ? json(errorObject('away'), away[calls - 1] ?? 503) : null))
  const { request_counts: counts } = await ended(await start(Array.from({ length: 20 }, (_, at) => `line ${at}`)))
  expect(counts).toEqual({ total: 20, completed: 20, failed: 0 })
}, 60_000)

test('a line at which the provider fails while it answers others has that error in the end', async () => {
  const asked = answering((text) => (text === 'poison' ? json(errorObject('crash'), 500) : null))
  const id = await start(['poison', ...Array.from({ length: 300 }, (_, at) => `line ${at}`)])
  // Others go on asking the same model.
  while ((await read(id)).status !== 'completed') await ended(await start(['other']))
  const batch = await read(id)
  expect(batch.request_counts).toEqual({ total: 301, completed: 300, failed: 1 })
  expect(asked.get('poison')).toBeLessThan(20)
  const errors = await (await files().get(`/files/${batch.error_file_id}/content`)).text()
  expect(JSON.parse(errors)).toMatchObject({ custom_id: 'poison', response: { status_code: 502 } })
}, 120_000)

test('lines take no slot of their account', async () => {
  const { gateway } = files()
  answering((text) => (text === 'held' ? [gate] : null))
  const id = await start(['held'])
  await until(() => gateway.upstream.requests.at(-1)?.target.includes('completions') === true)
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(0)
  await gateway.request('POST', `/ai/v1/batches/${id}/cancel`)
  gateway.upstream.release()
  await until(async () => (await read(id)).status === 'cancelled')
})

test.each([1, 30])(
  'when its key is deleted, the %i lines that were not done have that error',
  async (count) => {
    const { gateway } = files()
    answering((text) => (text.startsWith('held') ? [gate, ...json({}, 503)] : null))
    const made = await gateway.operate('POST', `/users/${gateway.keys.main.userId}/keys`, { name: 'batches' })
    const { id: keyId, secret } = (await made.json()) as { readonly id: string; readonly secret: string }
    const key = { id: keyId, userId: gateway.keys.main.userId, secret }
    const before = gateway.upstream.requests.length
    const id = await start(
      Array.from({ length: count }, (_, at) => `held ${at}`),
      '24h',
      key,
    )
    await until(() => gateway.upstream.requests.length > before)
    expect((await gateway.operate('DELETE', `/keys/${keyId}`)).status).toBe(204)
    // The provider fails at what is under way; whatever is called again finds the key gone.
    gateway.upstream.release(count)
    const { request_counts: counts, error_file_id: errors } = await ended(id)
    expect(counts).toEqual({ total: count, completed: 0, failed: count })
    const lines = (await (await files().get(`/files/${errors}/content`)).text()).trimEnd().split('\n')
    const codes = lines.map(
      (each) => (JSON.parse(each) as { response: { body: { error: { code: string } } } }).response.body.error.code,
    )
    expect(new Set(codes)).toEqual(new Set(['invalid_api_key']))
  },
  60_000,
)

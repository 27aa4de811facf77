/** Every event, from what happens to the receiver. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventTypes } from '#store/webhooks/outbox.ts'
import { tellExpiringKeys } from '#webhooks/told-once.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'
import { startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { until } from '#test/support/until.ts'
import { gate, json, openAiAnswer, stream, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { signedBy, startReceiver, type Receiver } from '#test/support/webhooks/receiver.ts'

interface Event {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const hourMs = 3_600_000

let app: DocumentsApp
let receiver: Receiver
let secret: string
beforeAll(async () => {
  receiver = startReceiver()
  const set = [
    'webhooks.allow_private=true',
    'documents.sources_allow_private=true',
    'health.failures_to_eject=1',
    'health.ejection_seconds=1',
  ]
  app = await startDocuments({ set })
  const answer = await app.operate('POST', '/webhooks', { url: receiver.url })
  secret = ((await answer.json()) as { secret: string }).secret
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

/** The events about this subject, once there are so many; each is signed. */
async function eventsOf(subject: string, count = 1): Promise<readonly Event[]> {
  const found = () => receiver.received.filter(({ body }) => (JSON.parse(body) as Event).data['id'] === subject)
  await until(() => found().length >= count)
  for (const each of found()) expect(signedBy(each, secret)).toBe(true)
  return found().map(({ body }) => JSON.parse(body) as Event)
}

describe('a receiver hears', () => {
  test('of documents that are completed and that fail', async () => {
    const good = await app.imported({ bytes: btoa('A text about webhooks.') })
    const userId = app.keys.main.userId
    expect(await eventsOf(good.doc_id)).toMatchObject([
      { type: 'document.completed', data: { user_id: userId, name: 'note.txt', category: 'notes' } },
    ])
    const bad = await app.imported({ name: 'broken.pdf', bytes: btoa('%PDF-1.7 and nothing else') })
    expect(bad.state).toBe('failed')
    expect(await eventsOf(bad.doc_id)).toMatchObject([
      { type: 'document.failed', data: { name: 'broken.pdf', error: { code: expect.any(String) } } },
    ])
  }, 60_000)

  test('of runs of a source that are completed and that fail', async () => {
    using site = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        url.endsWith('/page')
          ? new Response('<p>A page about webhooks.', { headers: { 'content-type': 'text/html' } })
          : new Response('', { status: 404 }),
    })
    const [good, bad] = await Promise.all(
      ['page', 'gone'].map(async (path) => {
        const url = `http://127.0.0.1:${site.port}/${path}`
        const body = { name: path, kind: 'sitemap', url, user_id: app.keys.main.userId }
        return ((await (await app.operate('POST', '/sources', body)).json()) as { readonly id: string }).id
      }),
    )
    expect(await eventsOf(good!)).toMatchObject([{ type: 'source.completed' }])
    expect(await eventsOf(bad!)).toMatchObject([{ type: 'source.failed' }])
    for (const id of [good, bad]) expect((await app.operate('DELETE', `/sources/${id}`)).status).toBe(204)
  }, 60_000)

  test('of batches that are completed, fail, are cancelled and expire', async () => {
    const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'plain', messages: [] } }
    const create = async (text: string): Promise<string> => {
      const form = new FormData()
      form.append('purpose', 'batch')
      form.append('file', new Blob([text]), 'input.jsonl')
      const file = (await (await app.request('POST', '/ai/v1/files', { body: form })).json()) as { id: string }
      const body = JSON.stringify({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '1h',
      })
      const headers = { 'content-type': 'application/json' }
      return ((await (await app.request('POST', '/ai/v1/batches', { body, headers })).json()) as { id: string }).id
    }
    const concurrency = (value: number) => app.operate('PUT', '/settings/batches.concurrency', { value })
    const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type)
    const completed = await create(JSON.stringify(line))
    expect(await typesOf(completed)).toEqual(['batch.completed'])
    expect(await typesOf(await create('nonsense'))).toEqual(['batch.failed'])
    await concurrency(0)
    const cancelled = await create(JSON.stringify(line))
    await app.request('POST', `/ai/v1/batches/${cancelled}/cancel`)
    await concurrency(1)
    expect(await typesOf(cancelled)).toEqual(['batch.cancelled'])
    await concurrency(0)
    const expired = await create(JSON.stringify(line))
    app.advance(2 * hourMs)
    await concurrency(1)
    expect(await typesOf(expired)).toEqual(['batch.expired'])
  }, 60_000)

  test('of responses in the background that are completed, fail, are cancelled and are incomplete', async () => {
    const ended = async (script: Parameters<typeof app.upstream.script>[0]): Promise<readonly string[]> => {
      app.upstream.script(script)
      const id = await makeResponse(app, { model: 'plain', background: true })
      return (await eventsOf(id)).map(({ type }) => type)
    }
    const chunks = chatChunks()
    expect(await ended(() => stream([...chunks, doneEvent]))).toEqual(['response.completed'])
    const cut = chunks.map((chunk) => JSON.parse(JSON.stringify(chunk).replace('"stop"', '"length"')) as object)
    expect(await ended(() => stream([...cut, doneEvent]))).toEqual(['response.incomplete'])
    expect(await ended(() => json({ error: { message: 'no' } }, 400))).toEqual(['response.failed'])
    app.upstream.script(() => [streamHead, gate])
    const id = await makeResponse(app, { model: 'plain', background: true })
    await app.request('POST', `/ai/v1/responses/${id}/cancel`)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['response.cancelled'])
    app.upstream.script(openAiAnswer)
  }, 60_000)

  test('of each threshold of a budget, once', async () => {
    const { userId } = app.keys.main
    const made = await app.operate('POST', '/budgets', {
      scope: 'user',
      scope_id: userId,
      amount: 1000,
      period: 'total',
      hard: false,
      thresholds: [50, 80],
    })
    const { id, starts_at: from } = (await made.json()) as { id: string; starts_at: string }
    const counters = JSON.stringify([`${id}@${Date.parse(from)}`])
    for (const [cost, count] of [
      [500, 1],
      [300, 2],
    ] as const) {
      await app.store.usage.insertMany([aUsage({ at: Date.now(), cost, counters })])
      await eventsOf(id, count)
    }
    expect(await eventsOf(id)).toMatchObject([
      { type: 'budget.threshold', data: { percent: 50, spent: 500, amount: 1000, scope_id: userId, user_id: userId } },
      { type: 'budget.threshold', data: { percent: 80, spent: 800 } },
    ])
  }, 60_000)

  test('that a provider is down, and that it is up again', async () => {
    const before = receiver.received.length
    app.upstream.script(() => json({ error: { message: 'broken' } }, 500))
    await (await app.chat({ model: 'plain' })).text()
    const [down] = await eventsOf(app.upProviderId)
    expect(down).toMatchObject({ type: 'provider.down', data: { name: 'up', models: ['plain'] } })
    app.upstream.script(openAiAnswer)
    app.advance(hourMs)
    await until(async () => (await app.chat({ model: 'plain' })).status === 200)
    const both = await eventsOf(app.upProviderId, 2)
    expect(both.map(({ type }) => type)).toEqual(['provider.down', 'provider.up'])
    expect(receiver.received.length).toBe(before + 2)
  }, 60_000)

  test('that a key is about to expire, once for each expiry', async () => {
    const { id } = app.keys.expiring
    const [key] = await app.store.keys.some([id])
    const at = key!.expiresAt! - hourMs
    for (let times = 0; times < 3; times += 1) await tellExpiringKeys(app.store.webhooks, at, 2 * hourMs)
    const expiresAt = new Date(key!.expiresAt!).toISOString()
    expect(await eventsOf(id)).toMatchObject([
      { type: 'key.expiring', data: { name: key!.name, expires_at: expiresAt } },
    ])
    const later = at + 1000 * hourMs
    const changed = await app.operate('PATCH', `/keys/${id}`, { expires_at: new Date(later).toISOString() })
    expect(changed.status).toBe(200)
    await tellExpiringKeys(app.store.webhooks, at, 2000 * hourMs)
    expect(await eventsOf(id, 2)).toHaveLength(2)
  }, 60_000)

  test('of nothing that is not in the list, and of everything that is', () => {
    expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(eventTypes))
  })
})

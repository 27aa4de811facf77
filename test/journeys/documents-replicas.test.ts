/** Two processes on one PostgreSQL and one directory import documents as if they were one. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import type { DocumentOnWire } from '#documents/records/document-record.ts'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { eventually, type SearchOnWire } from '#test/support/app/documents-app.ts'
import { embeds, embedsWhenReleased, textsOf } from '#test/support/upstream/embedding-script.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const skipped = serverUrl === undefined
describe.skipIf(skipped)('two processes on one PostgreSQL (needs SLUICE_TEST_POSTGRES_URL)', () => {
  let directory: string
  let cluster: Cluster
  let upstream: Upstream
  let one: TestReplica
  let two: TestReplica
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-replicas-'))
    upstream = await startUpstream()
    upstream.script(embeds)
    cluster = await makeCluster(serverUrl ?? '', 60)
    one = await start('one')
    two = await start('two')
    const provider = await one.admin<{ id: string }>('POST', '/providers', {
      name: 'up',
      kind: 'openai',
      base_url: upstream.url,
    })
    await one.admin('POST', '/models', { name: 'embedder', provider_id: provider.id, upstream_name: 'm' })
  }, 60_000)
  afterAll(async () => {
    await upstream.close()
    await cluster[Symbol.asyncDispose]()
    await rm(directory, { recursive: true })
  }, 60_000)

  /**
   * A process with the same blobs as the others. What is on its way has a place for each operating system
   * process; these are in one, so they get places of their own.
   */
  async function start(name: string): Promise<TestReplica> {
    const [own, blobs] = [join(directory, name, 'documents'), join(directory, 'blobs')]
    for (const each of [own, blobs]) await mkdir(each, { recursive: true })
    await symlink(blobs, join(own, 'blobs'))
    const set = ['documents.concurrency=3', 'documents.reader_processes=1', 'documents.lease_seconds=60']
    return cluster.start(undefined, [`data_dir=${join(directory, name)}`, ...set])
  }
  async function call<T>(on: TestReplica, method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${on.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.userKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }
  const importOn = (on: TestReplica, texts: readonly string[], fields: object = {}) =>
    call<ImportAnswer>(on, 'POST', '/documents', {
      files: texts.map((bytes) => ({ name: 'a.txt', category: 'shared', bytes })),
      ...fields,
    })
  const recordOn = (on: TestReplica, id: string) => call<DocumentOnWire>(on, 'GET', `/document/${id}`)
  const ended = (id: string) => eventually(async () => (await recordOn(one, id)).state === 'completed')
  const found = async (on: TestReplica, query: string) =>
    (await call<SearchOnWire>(on, 'POST', '/search', { query, mode: 'keyword' })).data.map((hit) => hit.doc_id)

  test('of requests that race on both with the same files exactly one accepts each, and the others name it', async () => {
    const texts = Array.from({ length: 6 }, (_, at) => `Raced text number ${at}.`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => importOn(at % 2 === 0 ? one : two, at < 4 ? texts : texts.toReversed())),
    )
    const accepted = answers.flatMap((answer) => answer.accepted.map(({ doc_id: id }) => id))
    const duplicate = answers.flatMap((answer) => answer.duplicate.map(({ doc_id: id }) => id))
    expect([accepted.length, duplicate.length]).toEqual([6, 42])
    expect(new Set(duplicate)).toEqual(new Set(accepted))
  })

  test('no document is processed twice: each text is embedded once, and each has one attempt', async () => {
    const texts = Array.from({ length: 24 }, (_, at) => `Unique passage ${at} of the shared work.`)
    const seen = upstream.requests.length
    const wait = { wait_for_completion: true, embedder: 'embedder' }
    const answers = await Promise.all([importOn(one, texts.slice(0, 12), wait), importOn(two, texts.slice(12), wait)])
    const ids = answers.flatMap(({ accepted }) => accepted.map(({ doc_id: id }) => id!))
    expect(answers.flatMap(({ accepted }) => accepted.map(({ state }) => state))).toEqual(texts.map(() => 'completed'))
    const records = await Promise.all(ids.map((id) => recordOn(two, id)))
    expect(records.map(({ attempts }) => attempts)).toEqual(texts.map(() => 1))
    const embedded = upstream.requests
      .slice(seen)
      .filter((request) => request.json()['encoding_format'] !== 'base64')
      .flatMap((request) => textsOf(request))
    expect(embedded.toSorted()).toEqual(texts.toSorted())
  }, 30_000)

  test('what was imported on one is found on both, and what was deleted on one is gone on both at once', async () => {
    const { accepted } = await importOn(one, ['A lonely capybara.'], { wait_for_completion: true })
    const id = accepted[0]!.doc_id!
    await ended(id)
    expect([await found(one, 'capybara'), await found(two, 'capybara')]).toEqual([[id], [id]])
    await call(two, 'DELETE', `/document/${id}`)
    expect([await found(one, 'capybara'), await found(two, 'capybara')]).toEqual([[], []])
    expect(await recordOn(one, id).catch(String)).toContain('404')
  })

  test('a document that one process works on is cancelled through the other', async () => {
    upstream.script(embedsWhenReleased)
    const seen = upstream.requests.length
    const { accepted } = await importOn(one, ['To be cancelled elsewhere.'], { embedder: 'embedder' })
    const id = accepted[0]!.doc_id!
    await eventually(() =>
      upstream.requests.slice(seen).some((request) => textsOf(request).join().includes('elsewhere')),
    )
    for (const replica of [two, one]) await call(replica, 'POST', `/document/${id}/cancel`)
    upstream.release(5)
    upstream.script(embeds)
    await importOn(two, ['After the cancelled one.'], { wait_for_completion: true })
    expect((await recordOn(two, id)).state).toBe('cancelled')
    expect(await found(one, 'cancelled elsewhere')).not.toContain(id)
  }, 20_000)

  test('a process that stops hands its documents to the other, which completes them without another attempt', async () => {
    upstream.script(embedsWhenReleased)
    const third = await start('three')
    const seen = upstream.requests.length
    const texts = Array.from({ length: 20 }, (_, at) => `Handed over number ${at}.`)
    const { accepted } = await importOn(third, texts, { embedder: 'embedder' })
    await eventually(() => upstream.requests.length >= seen + 3)
    upstream.script(embeds)
    await third.app.close()
    upstream.release(50)
    for (const { doc_id: id } of accepted) await ended(id!)
    const records = await Promise.all(accepted.map(({ doc_id: id }) => recordOn(one, id!)))
    expect(records.map(({ attempts }) => attempts)).toEqual(texts.map(() => 1))
  }, 30_000)
})

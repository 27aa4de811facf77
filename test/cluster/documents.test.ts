/** Several processes with wrong clocks import as one, share no disk, and are killed: nothing is lost, doubled or failed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import { makeCluster, secretKeyText, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { eventually } from '#test/support/app/documents-app.ts'
import { startS3 } from '#test/support/documents/s3-server.ts'
import { embeds, embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'
import { Installation, type RunningServer } from '../cli/sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const skews = [-30_000, 0, 30_000]

describe.skipIf(serverUrl === undefined)(`documents on several processes${reason}`, () => {
  test('with clocks that differ by a minute no document is restarted and none fails', async () => {
    await using machines = await openMachines(skews, { SLUICE_DOCUMENTS_LEASE_SECONDS: '6' })
    await using upstream = await startUpstream()
    upstream.script(embedsWhenReleased)
    await machines.addModel(upstream.url)
    const texts = Array.from({ length: 24 }, (_each, at) => `Passage ${at} on a machine with a clock of its own.`)
    for (const [at, text] of texts.entries()) await machines.import(at, [text], { embedder: 'embedder' })
    const leases = await machines.leases()
    // Each process has looked for leases that ran out more than once by then.
    await eventually(async () => (await machines.leases()).latest > leases.latest + 5000)
    upstream.script(embeds)
    upstream.release(1000)
    await machines.allEnded(texts.length)
    expect(await machines.ends()).toEqual({ completed: 24 })
    expect(await machines.attempts()).toEqual({ 1: 24 })
  }, 60_000)

  test.each([
    { documents: 12, kills: 2 },
    { documents: 36, kills: 4 },
  ])(
    '$documents documents are completed once while processes are killed $kills times',
    async ({ documents, kills }) => {
      await using machines = await openMachines(skews, { SLUICE_DOCUMENTS_LEASE_SECONDS: '2' })
      const batch = Math.ceil(documents / 4)
      let imported = 0
      for (let kill = 0; kill < kills; kill += 1) {
        for (const until = Math.min(documents, imported + batch); imported < until; imported += 1)
          await machines.import(imported + kill, [textOf(imported)])
        const enough = Math.floor((imported * (kill + 1)) / (kills + 1))
        await eventually(async () => ((await machines.ends())['completed'] ?? 0) >= enough)
        await machines.kill((kill * 2) % skews.length)
      }
      for (; imported < documents; imported += 1) await machines.import(imported, [textOf(imported)])
      await machines.allEnded(documents)
      expect(await machines.ends()).toEqual({ completed: documents })
      expect(await machines.orphans()).toEqual({ bytes: documents, chunks: documents, jobs: 0 })
    },
    120_000,
  )

  test('with directories of their own each works on what it can read, and says that they are not one', async () => {
    await using replicas = await openReplicas()
    const set = ['documents.blobs=directory']
    const one = await replicas.start('one', set)
    const two = await replicas.start('two', set)
    for (let at = 0; at < 20; at += 1) await replicas.import(at % 2 === 0 ? one : two, textOf(at))
    await replicas.allEnded(20)
    expect(await replicas.count("state = 'completed' and attempts = 1")).toBe(20)
    const three = await replicas.start('three', set)
    await eventually(() => three.log().includes('in different directories'))
  }, 60_000)

  test('what lies in a directory from before is read after the bytes of new documents go to the database', async () => {
    await using replicas = await openReplicas()
    const before = await replicas.start('one', ['documents.blobs=directory', 'documents.concurrency=0'])
    for (let at = 0; at < 7; at += 1) await replicas.import(before, textOf(at))
    await before.app.close()
    // As of a version that did not record it.
    await replicas.cluster.schema.run('update documents set place = null')
    const after = await replicas.start('one')
    await replicas.import(after, textOf(7))
    await replicas.allEnded(8)
    expect(await replicas.count("state = 'completed'")).toBe(8)
    expect(await replicas.count("place = 'database'")).toBe(1)
    expect(await replicas.count("place like 'directory:%' or place is null")).toBe(7)
  }, 60_000)

  test('documents wait for the process that has their bytes, and no other one fails them', async () => {
    await using replicas = await openReplicas()
    const has = await replicas.start('one', ['documents.blobs=directory', 'documents.concurrency=0'])
    for (let at = 0; at < 5; at += 1) await replicas.import(has, textOf(at))
    const other = await replicas.start('two')
    await replicas.import(other, textOf(5))
    await replicas.allEnded(6, 5)
    expect(await replicas.count("state = 'queued' and attempts = 0")).toBe(5)
    await has.app.close()
    await replicas.start('one', ['documents.blobs=directory'])
    await replicas.allEnded(6)
    expect(await replicas.count("state = 'completed'")).toBe(6)
  }, 60_000)

  test('one of the processes lists the bucket', async () => {
    await using s3 = startS3({ pageSize: 100 })
    await using machines = await openMachines([0], {
      SLUICE_DOCUMENTS_S3_URL: s3.url,
      SLUICE_DOCUMENTS_S3_BUCKET: s3.bucket,
      SLUICE_DOCUMENTS_S3_ACCESS_KEY_ID: s3.accessKeyId,
      SLUICE_DOCUMENTS_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    })
    const lists = (): number => s3.requests.filter(({ method }) => method === 'GET').length
    await eventually(() => lists() === 1)
    for (const at of [1, 2]) {
      await machines.add(0)
      // A stop waits for the round of the start.
      await machines.stop(at)
    }
    expect(lists()).toBe(1)
  }, 60_000)
})

function textOf(at: number): string {
  return `Document number ${at}: ${'words that are cut and found, '.repeat(4)}`
}

interface Machines extends AsyncDisposable {
  /** Imports on one of them, by a number. */
  import(at: number, texts: readonly string[], fields?: object): Promise<void>
  addModel(url: string): Promise<void>
  /** Starts one more, with a clock that is so much ahead. */
  add(skewMs: number): Promise<void>
  /** Asks one to stop, and waits. */
  stop(at: number): Promise<void>
  /** Kills one and starts it again. */
  kill(at: number): Promise<void>
  allEnded(count: number): Promise<void>
  /** Documents by how they ended. */
  ends(): Promise<Readonly<Record<string, number>>>
  /** Documents by their attempts. */
  attempts(): Promise<Readonly<Record<string, number>>>
  leases(): Promise<{ readonly latest: number }>
  orphans(): Promise<{ readonly bytes: number; readonly chunks: number; readonly jobs: number }>
}

/** Processes of the operating system, each with a clock and a data directory of its own. */
async function openMachines(
  clocks: readonly number[],
  environment: Readonly<Record<string, string>>,
): Promise<Machines> {
  const resources = new AsyncDisposableStack()
  const cluster = resources.use(await makeCluster(String(serverUrl), 60))
  const preload = fileURLToPath(new URL('../support/skewed-clock.ts', import.meta.url))
  const installations: Installation[] = []
  const servers: RunningServer[] = []
  const add = async (skewMs: number): Promise<void> => {
    const installation = resources.use(
      new Installation({
        SLUICE_DATABASE_URL: cluster.schema.url,
        SLUICE_SECURITY_SECRET_KEY: secretKeyText,
        SLUICE_DOCUMENTS_CONCURRENCY: '8',
        SLUICE_DOCUMENTS_READER_PROCESSES: '1',
        SLUICE_LOG_LEVEL: 'error',
        BUN_OPTIONS: `--preload ${preload}`,
        SLUICE_TEST_SKEW_MS: String(skewMs),
        ...environment,
      }),
    )
    const at = installations.push(installation) - 1
    servers[at] = await installation.start()
  }
  await Promise.all(clocks.map(add))
  const grouped = async (column: string): Promise<Readonly<Record<string, number>>> => {
    const rows = await cluster.schema.run(`select ${column} as name, count(*)::int as count from documents group by 1`)
    return Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]))
  }
  const number = async (query: string): Promise<number> => {
    const [row] = await cluster.schema.run(`select (${query}) as value`)
    return Number(row?.['value'])
  }
  const post = (server: RunningServer, path: string, key: string, body: object): Promise<Response> =>
    fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    async import(at, texts, fields = {}) {
      const files = texts.map((bytes) => ({ name: 'a.txt', category: 'shared', bytes, encoding: 'utf-8' }))
      const server = servers[at % servers.length]!
      const answer = await post(server, '/api/v1/documents', cluster.userKey, { files, ...fields })
      expect([answer.status, ((await answer.json()) as ImportAnswer).accepted.length]).toEqual([202, texts.length])
    },
    async addModel(url) {
      const admin = async (path: string, body: object): Promise<{ id: string }> => {
        const answer = await post(servers[0]!, `/admin/api/v1${path}`, cluster.adminKey, body)
        return (await answer.json()) as { id: string }
      }
      const provider = await admin('/providers', { name: 'up', kind: 'openai', base_url: url })
      await admin('/models', { name: 'embedder', provider_id: provider.id, upstream_name: 'm' })
    },
    add,
    async stop(at) {
      await servers[at]!.stop()
    },
    async kill(at) {
      await servers[at]!.kill()
      servers[at] = await installations[at]!.start()
    },
    allEnded: (count) =>
      eventually(
        async () => (await number("select count(*) from documents where state in ('completed', 'failed')")) >= count,
      ),
    ends: () => grouped("state || coalesce(' ' || (error::json->>'code'), '')"),
    attempts: () => grouped('attempts'),
    leases: async () => ({ latest: await number('select max(lease_until) from document_jobs') }),
    async orphans() {
      await eventually(async () => (await number('select count(*) from chunk_sets where doomed = 1')) === 0)
      return {
        bytes: await number('select count(*) from document_bytes'),
        chunks: await number('select count(*) from document_chunks'),
        jobs: await number('select count(*) from document_jobs'),
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

interface Replicas extends AsyncDisposable {
  readonly cluster: Cluster
  /** Starts a process with the data directory of this name. */
  start(name: string, set?: readonly string[]): Promise<TestReplica>
  import(on: TestReplica, text: string): Promise<void>
  /** Resolves when there are so many documents, of which this many are left unfinished. */
  allEnded(count: number, left?: number): Promise<void>
  /** Documents of which the condition is true. */
  count(condition: string): Promise<number>
}

/** Apps in this process, each with a data directory of its own. */
async function openReplicas(): Promise<Replicas> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-machines-'))
  opening.defer(() => rm(directory, { recursive: true }))
  const cluster = opening.use(await makeCluster(String(serverUrl), 60))
  const resources = opening.move()
  const count = async (condition: string): Promise<number> => {
    const [row] = await cluster.schema.run(`select count(*)::int as count from documents where ${condition}`)
    return Number(row?.['count'])
  }
  return {
    cluster,
    count,
    start: (name, set = []) =>
      cluster.start(undefined, [
        `data_dir=${join(directory, name)}`,
        'documents.reader_processes=1',
        'documents.lease_seconds=60',
        ...set,
      ]),
    async import(on, text) {
      const answer = await fetch(`${on.url}/api/v1/documents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cluster.userKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ files: [{ name: 'a.txt', category: 'shared', bytes: text, encoding: 'utf-8' }] }),
      })
      expect([answer.status, ((await answer.json()) as ImportAnswer).accepted.length]).toEqual([202, 1])
    },
    async allEnded(total, left = 0) {
      await eventually(async () => (await count("state in ('completed', 'failed')")) === total - left)
      expect(await count('true')).toBe(total)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Processes on one database whose disks are not shared work on the batches whose files they can read. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { eventually } from '#test/support/app/documents-app.ts'
import type { BatchOnWire } from '#test/support/batches/file-client.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const ownDisk = ['documents.blobs=directory']
const idle = [...ownDisk, 'batches.concurrency=0']

describe.skipIf(serverUrl === undefined)(`batches on several processes${reason}`, () => {
  test('with directories of their own each works on what it can read, and leaves the others alone', async () => {
    await using machines = await openMachines()
    const one = await machines.start('one', idle)
    await machines.addModel(one)
    const two = await machines.start('two', ownDisk)
    const waiting = [await machines.batch(one, 3), await machines.batch(one, 150)]
    const own = [await machines.batch(two, 1), await machines.batch(two, 250)]
    await machines.ended(two, own)
    // The second process has claimed many times by then, and never one of these.
    expect(await machines.untouched()).toEqual(waiting.toSorted())
    expect(two.log()).not.toContain('cannot be read here')
    // What the other process has stored cannot be answered here, and the answer says what to do.
    const [status, refusal] = await machines.inputOf(two, String(waiting[0]))
    expect([status, refusal.includes('ask the one that stored the file')]).toEqual([503, true])
    expect((await machines.inputOf(one, String(waiting[0])))[0]).toBe(200)
    await one.app.close()
    const again = await machines.start('one', ownDisk)
    await machines.ended(again, waiting)
  }, 60_000)

  test('a file of a version that recorded no place, or that was moved here, is found where it lies', async () => {
    await using machines = await openMachines()
    const one = await machines.start('one', idle)
    await machines.addModel(one)
    const batches = [await machines.batch(one, 2), await machines.batch(one, 120)]
    for (const [at, place] of ['null', "'directory:of another machine'"].entries()) {
      await machines.cluster.schema.run(`update files set place = ${place} where id = (
        select input_file_id from batches where ended_at is null order by created_at, id limit 1 offset ${at})`)
    }
    await one.app.close()
    await machines.ended(await machines.start('one', ownDisk), batches)
  }, 60_000)

  test('the process that finishes a batch need not be the one that has its input', async () => {
    await using machines = await openMachines()
    const one = await machines.start('one', ownDisk)
    await machines.addModel(one)
    const batch = await machines.batch(one, 120)
    await machines.ended(one, [batch])
    await machines.cluster.schema.run(
      `update files set place = 'directory:gone' where id = (select input_file_id from batches where id = '${batch}')`,
    )
    await machines.cluster.schema.run(`update batches set status = 'finalizing', ended_at = null where id = '${batch}'`)
    await machines.cluster.schema.run(`insert into batch_jobs (batch_id, part, user_id, first_line, position, bytes,
      fence, available_at) select id, 0, user_id, 0, 0, 0, 100, 0 from batches where id = '${batch}'`)
    await machines.ended(one, [batch])
  }, 60_000)
})

interface Machines extends AsyncDisposable {
  readonly cluster: Cluster
  start(name: string, set: readonly string[]): Promise<TestReplica>
  addModel(on: TestReplica): Promise<void>
  /** A batch of so many lines, whose file is uploaded to this process. */
  batch(on: TestReplica, lines: number): Promise<string>
  ended(on: TestReplica, ids: readonly string[]): Promise<void>
  /** What this process answers for the input file of a batch. */
  inputOf(on: TestReplica, id: string): Promise<readonly [number, string]>
  /** Batches of which nobody has claimed anything. */
  untouched(): Promise<readonly string[]>
}

async function openMachines(): Promise<Machines> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-machines-'))
  opening.defer(() => rm(directory, { recursive: true }))
  const upstream = opening.use(await startUpstream())
  upstream.script(embeds)
  const cluster = opening.use(await makeCluster(String(serverUrl), 60))
  const resources = opening.move()
  const call = async <T>(on: TestReplica, method: string, path: string, body?: Bun.BodyInit): Promise<T> => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: `Bearer ${cluster.userKey}`, ...type }
    const answer = await fetch(`${on.url}/ai/v1${path}`, { method, headers, ...(body !== undefined && { body }) })
    expect(answer.status).toBe(200)
    return (await answer.json()) as T
  }
  return {
    cluster,
    start: (name, set) => cluster.start(undefined, [`data_dir=${join(directory, name)}`, ...set]),
    async addModel(on) {
      const up = { name: 'up', kind: 'openai', base_url: upstream.url }
      const { id } = await on.admin<{ readonly id: string }>('POST', '/providers', up)
      await on.admin('POST', '/models', { name: 'embedder', provider_id: id, upstream_name: 'm' })
    },
    async batch(on, lines) {
      const texts = Array.from({ length: lines }, (_each, at) =>
        JSON.stringify({
          custom_id: `${at}`,
          method: 'POST',
          url: '/v1/embeddings',
          body: { model: 'embedder', input: `text ${at}` },
        }),
      )
      const form = new FormData()
      form.append('purpose', 'batch')
      form.append('file', new Blob([texts.join('\n')]), 'input.jsonl')
      const file = await call<{ readonly id: string }>(on, 'POST', '/files', form)
      const asked = { input_file_id: file.id, endpoint: '/v1/embeddings', completion_window: '24h' }
      return (await call<BatchOnWire>(on, 'POST', '/batches', JSON.stringify(asked))).id
    },
    async ended(on, ids) {
      for (const id of ids) {
        let batch: BatchOnWire | null = null
        await eventually(async () => {
          batch = await call<BatchOnWire>(on, 'GET', `/batches/${id}`)
          return batch.status === 'completed'
        })
        expect(batch).toMatchObject({ request_counts: { failed: 0 } })
      }
    },
    async inputOf(on, id) {
      const { input_file_id: file } = await call<BatchOnWire>(on, 'GET', `/batches/${id}`)
      const headers = { authorization: `Bearer ${cluster.userKey}` }
      const answer = await fetch(`${on.url}/ai/v1/files/${file}/content`, { headers })
      return [answer.status, await answer.text()]
    },
    async untouched() {
      const rows = await cluster.schema.run(
        `select id from batches where not exists (
          select 1 from batch_jobs where batch_id = id and fence > 0) and status = 'validating' order by id`,
      )
      return rows.map(({ id }) => String(id))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A server that dies while it imports documents loses nothing, doubles nothing and leaves nothing behind. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import type { DocumentOnWire } from '#documents/records/document-record.ts'
import { Installation } from '../cli/sluice.ts'
import { importWithCrashes, type CrashReport } from '#test/support/documents/documents-crash.ts'
import { eventually, startDocuments } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

// bench/documents-crash.ts does the same with 200 documents and 100 kills.
const plan = { documents: 60, seed: 20_261_120, lifeMsMax: 900 }

describe('killed with SIGKILL at random moments', () => {
  let undisturbed: CrashReport
  let crashed: CrashReport
  beforeAll(async () => {
    undisturbed = await importWithCrashes({ ...plan, kills: 0 })
    crashed = await importWithCrashes({ ...plan, kills: 8 })
  }, 120_000)

  test('every document ends as it does without a kill: completed, or failed with the same code', () => {
    const ends = ({ documents }: CrashReport) => Object.fromEntries([...documents].map(([id, { end }]) => [id, end]))
    expect(Object.keys(ends(crashed))).toHaveLength(plan.documents)
    expect(ends(crashed)).toEqual(ends(undisturbed))
    expect(new Set(Object.values(ends(undisturbed)))).toEqual(new Set(['completed', 'failed damaged']))
  })

  test('every document has exactly the chunks that it has without a kill', () => {
    for (const [id, { chunks }] of undisturbed.documents) expect(crashed.documents.get(id)?.chunks).toEqual([...chunks])
  })

  test('the kills met documents under way', () => {
    expect(undisturbed.attemptsMax).toBe(1)
    expect(crashed.attemptsMax).toBeGreaterThan(1)
  })

  test('no chunk, vector, job, blob or directory is left that belongs to no document', () => {
    expect([undisturbed.orphans, crashed.orphans]).toEqual([[], []])
  })

  test('no process that reads files outlives its server', () => {
    expect([undisturbed.survivors, crashed.survivors]).toEqual([[], []])
  })
})

test('a document that was under way at each of four kills of its server is completed', async () => {
  await using installation = new Installation({ SLUICE_DOCUMENTS_LEASE_SECONDS: '1', SLUICE_LOG_LEVEL: 'error' })
  let server = await installation.start(['--json'])
  const key = String(server.started.first_start?.api_key)
  const call = async (path: string, body?: object): Promise<Response> =>
    fetch(`${server.address}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const bytes = Array.from({ length: 60_000 }, (_each, at) => `Line ${at} of a text that takes its time.`).join('\n')
  const imported = await call('/documents', {
    files: [{ name: 'long.txt', category: 'long', bytes, encoding: 'utf-8' }],
  })
  const id = String(((await imported.json()) as ImportAnswer).accepted[0]?.doc_id)
  const record = async (): Promise<DocumentOnWire> => (await (await call(`/document/${id}`)).json()) as DocumentOnWire
  for (let kill = 1; kill <= 4; kill += 1) {
    await eventually(async () => (await record()).attempts >= kill)
    await server.kill()
    server = await installation.start(['--json'])
  }
  await eventually(async () => ['completed', 'failed'].includes((await record()).state))
  const ended = await record()
  expect(ended).toMatchObject({ state: 'completed', error: null })
  // On a machine that stands still for longer than the lease, one more.
  expect(ended.attempts).toBeGreaterThanOrEqual(5)
}, 120_000)

test('a stop gives documents back at once, and no attempt is counted', async () => {
  await using app = await startDocuments({ set: ['documents.lease_seconds=3600'] })
  app.upstream.script(embedsWhenReleased)
  const ids = await app.accepted([{ bytes: 'one' }, { bytes: 'two' }, { bytes: 'three' }], { embedder: 'plain' })
  await eventually(() => app.upstream.requests.length >= 2)
  await app.app.close()
  const store = await app.openStoreAgain()
  const viewer = { userId: '', principals: [], all: true }
  for (const id of ids) expect(await store.documents.get(id, viewer)).toMatchObject({ state: 'queued', attempts: 0 })
  const claims = await store.documents.claim({ worker: 'next', max: 9, leaseUntil: Date.now() + 1000, now: Date.now() })
  expect(claims.map(({ document }) => document.id).toSorted()).toEqual([...ids].toSorted())
  await store.close()
})

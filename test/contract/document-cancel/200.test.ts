/** POST /api/v1/document/{doc_id}/cancel: ends a document that has not ended. */
import { expect, test } from 'bun:test'
import type { DocumentOnWire } from '#documents/records/document-record.ts'
import { documentsOfFile, startDocuments, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile({ set: ['documents.lease_seconds=2'] })

async function cancel(id: string): Promise<DocumentOnWire> {
  const response = await app().request('POST', `/api/v1/document/${id}/cancel`)
  expect(response.status).toBe(200)
  return (await response.json()) as DocumentOnWire
}

test('a document under way ends as cancelled, its call upstream is ended, and nothing of it is found', async () => {
  app().upstream.script(embedsWhenReleased)
  const seen = app().upstream.requests.length
  const [id] = await app().accepted([{ bytes: 'A cancelled axolotl.' }], { embedder: 'plain' })
  await eventually(() => app().upstream.requests.length >= seen + 2)
  const call = app().upstream.requests.at(-1)!
  expect(await cancel(id!)).toMatchObject({ state: 'cancelled', error: null, searchable: false })
  await call.closed
  expect(await app().hits({ query: 'axolotl', mode: 'keyword' })).toEqual([])
  expect(await app().record(id!)).toMatchObject({ state: 'cancelled' })
  expect(Object.keys((await app().record(id!)).timestamps)).toContain('cancelled')
})

test('a document that is being read ends too, and the next one is read', async () => {
  const long = 'words and more words of a text that takes its time to be read. '.repeat(400_000)
  const [id] = await app().accepted([{ bytes: long }], { chunk_units: 16 })
  await eventually(async () => (await app().onTheirWay()).some((name) => name.startsWith('work.')))
  expect((await cancel(id!)).state).toBe('cancelled')
  expect((await app().imported({ bytes: 'The next one.' })).state).toBe('completed')
  expect((await app().record(id!)).state).toBe('cancelled')
  await eventually(async () => (await app().onTheirWay()).length === 0)
})

test('one that has ended stays as it is, and cancelling twice changes nothing', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'A completed axolotl.' })
  expect(await cancel(id)).toMatchObject({ state: 'completed' })
  expect((await app().chunks(id)).length).toBe(1)
})

test('one that waits never begins', async () => {
  await using idleApp = await startDocuments({ set: ['documents.concurrency=0'] })
  const [id] = await idleApp.accepted([{ bytes: 'waits' }])
  for (const _ of [1, 2]) {
    const response = await idleApp.request('POST', `/api/v1/document/${id}/cancel`)
    expect((await response.json()) as object).toMatchObject({ state: 'cancelled', attempts: 0 })
  }
})

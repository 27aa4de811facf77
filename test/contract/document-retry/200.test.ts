/** POST /api/v1/document/{doc_id}/retry: a failed or cancelled document is processed again. */
import { expect, test } from 'bun:test'
import type { DocumentOnWire } from '#documents/records/document-record.ts'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = documentsOfFile()

async function retry(id: string): Promise<DocumentOnWire> {
  const response = await app().request('POST', `/api/v1/document/${id}/retry`)
  expect(response.status).toBe(200)
  return (await response.json()) as DocumentOnWire
}

test('a document that failed is queued without an error or an attempt, and completes once the cause is gone', async () => {
  app().upstream.script(json(errorObject('bad key'), 401))
  const failed = await app().imported({ bytes: 'A persistent toad.' }, { embedder: 'plain' })
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'embedder_refused' }, searchable: false })
  app().upstream.script(embeds)
  const queued = await retry(failed.doc_id)
  expect(queued).toMatchObject({ doc_id: failed.doc_id, state: 'queued', attempts: 0, error: null, version: 1 })
  expect(await app().ended(failed.doc_id)).toMatchObject({ state: 'completed', attempts: 1, error: null })
  expect((await app().hits({ query: 'toad', mode: 'keyword' })).map((hit) => hit.doc_id)).toEqual([failed.doc_id])
})

test('a file that cannot be read fails again, and says so again', async () => {
  const failed = await app().imported({ name: 'a.pdf', bytes: Buffer.from('%PDF-1.4 x').toString('base64') })
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'damaged', stage: 'reading', retryable: false } })
  await retry(failed.doc_id)
  expect(await app().ended(failed.doc_id)).toMatchObject({ state: 'failed', error: failed.error!, attempts: 1 })
})

test('one that completed, or is under way, stays as it is', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'Completed.' })
  expect(await retry(id)).toMatchObject({ state: 'completed', attempts: 1 })
})

test('what failed before is no duplicate: the same file is imported anew', async () => {
  const item = { name: 'b.pdf', bytes: Buffer.from('%PDF-1.4 y').toString('base64') }
  const failed = await app().imported(item)
  const again = await app().imported(item)
  expect([failed.state, again.state]).toEqual(['failed', 'failed'])
  expect(again.doc_id).not.toBe(failed.doc_id)
})

/** DELETE /api/v1/document/{doc_id}: when it has answered, nothing of the document is left. */
import { expect, test } from 'bun:test'
import { documentsOfFile, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile()

async function remove(id: string): Promise<void> {
  const response = await app().request('DELETE', `/api/v1/document/${id}`)
  expect([response.status, await response.text()]).toEqual([204, ''])
}

async function expectNothingLeft(id: string, word: string): Promise<void> {
  expect(await app().statusOf('GET', `/api/v1/document/${id}`, app().keys.admin)).toBe(404)
  expect(await app().blobs.listOf(id)).toEqual([])
  for (const mode of ['keyword', 'vector', 'hybrid']) {
    const hits = await app().hits({ query: word, mode }, { key: app().keys.admin })
    expect(hits.filter((hit) => hit.doc_id === id)).toEqual([])
  }
}

test('of a completed document neither record, bytes, chunks nor hits are left', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'A wombat digs. '.repeat(500) }, { chunk_units: 20 })
  await remove(id)
  await expectNothingLeft(id, 'wombat')
})

test('of a document under way nothing comes back when its worker goes on', async () => {
  app().upstream.script(embedsWhenReleased)
  const seen = app().upstream.requests.length
  const [id] = await app().accepted([{ bytes: 'A numbat is deleted while it is embedded.' }], { embedder: 'plain' })
  await eventually(() => app().upstream.requests.length >= seen + 2)
  await remove(id!)
  app().upstream.release()
  // Documents end in the order of their vectors: when this one has, the worker is done with the other.
  await app().imported({ bytes: 'After it.' })
  await expectNothingLeft(id!, 'numbat')
})

test('of a document with an older version neither is left', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'The first quokka.' })
  await app().accepted([{ bytes: 'The second quokka.', doc_id: id }])
  await remove(id)
  await expectNothingLeft(id, 'quokka')
})

test('the same file may be imported anew, under the same id too', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'A potoroo.' })
  await remove(id)
  expect(await app().imported({ bytes: 'A potoroo.', doc_id: id })).toMatchObject({ doc_id: id, version: 1 })
})

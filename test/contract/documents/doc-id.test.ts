/** `doc_id` of an item: a document of one's own gets a new version; one of somebody else is not touched. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile()

test('other bytes under an id of one’s own are a new version, whose chunks take the place of the old ones', async () => {
  const first = await app().imported({ bytes: 'The cat sat on the mat.', name: 'old.txt' })
  const id = first.doc_id
  expect(first).toMatchObject({ version: 1, state: 'completed', searchable: true })
  const second = await app().imported({ bytes: 'Potatoes are boiled.', name: 'new.txt', doc_id: id })
  expect(second).toMatchObject({ doc_id: id, version: 2, state: 'completed', name: 'new.txt' })
  expect((await app().chunks(id)).map(({ text }) => text)).toEqual(['Potatoes are boiled.'])
  expect(await app().hits({ query: 'cat mat', doc_id: id, mode: 'keyword' })).toEqual([])
  await eventually(async () => (await app().blobs.listOf(id)).length === 1)
  expect(await app().blobs.listOf(id)).toEqual([{ id, sha256: second.sha256 }])
})

test('the old version is found until the new one is complete, and then the new one only', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'The old elephant.' })
  app().upstream.script(embedsWhenReleased)
  const seen = app().upstream.requests.length
  await app().accepted([{ bytes: 'The new giraffe.', doc_id: id }], { embedder: 'plain' })
  await eventually(() => app().upstream.requests.length >= seen + 2)
  const found = async (word: string) =>
    (await app().hits({ query: word, mode: 'keyword', doc_id: id })).map(({ text }) => text)
  expect([await found('elephant'), await found('giraffe')]).toEqual([['The old elephant.'], []])
  expect(await app().record(id)).toMatchObject({ version: 2, searchable: true })
  app().upstream.release(1)
  await app().ended(id)
  expect([await found('elephant'), await found('giraffe')]).toEqual([[], ['The new giraffe.']])
})

test('a new version that fails leaves the old one to be found', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'A steady lighthouse.' })
  const failed = await app().imported({ bytes: Buffer.from('%PDF-1.4 x').toString('base64'), doc_id: id })
  expect(failed).toMatchObject({ state: 'failed', version: 2, searchable: true })
  const hits = await app().hits({ query: 'lighthouse', mode: 'keyword', doc_id: id })
  expect(hits.map(({ text }) => text)).toEqual(['A steady lighthouse.'])
})

test('the same bytes under the same id are a duplicate, not a version', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'Twice the same.' })
  const { status, duplicate } = await app().answer([{ bytes: 'Twice the same.', doc_id: id }])
  expect([status, duplicate.map(({ doc_id: each }) => each)]).toEqual([207, [id]])
  expect(await app().record(id)).toMatchObject({ version: 1, state: 'completed' })
})

test('any id of the form of a UUID is taken, in any case and of any version, and found under it', async () => {
  const ids = ['FFFFFFFF-0000-F000-0000-00000000000A', '0190b5a4-3c1f-0abc-1def-0123456789ab']
  for (const id of ids) {
    const record = await app().imported({ bytes: `The document ${id}.`, doc_id: id })
    expect([record.doc_id, record.state]).toEqual([id.toLowerCase(), 'completed'])
    expect(await app().record(id)).toMatchObject({ doc_id: id.toLowerCase() })
    expect(await app().listed(`?doc_id=${id}`)).toEqual([id.toLowerCase()])
    expect(await app().hits({ query: 'document', doc_id: id })).toHaveLength(1)
    expect(await app().statusOf('DELETE', `/api/v1/document/${id}`, app().keys.main)).toBe(204)
  }
})

describe('an id of somebody else', () => {
  test('is invalid, and what it stands for stays as it is', async () => {
    const { other, main } = app().keys
    const { doc_id: id } = await app().imported({ bytes: 'Private to the other user.' }, {}, { key: other })
    const message = await app().invalid({ bytes: 'mine now', doc_id: id }, 'doc_id_taken')
    expect(message).not.toMatch(/belong|exist|user|owner/i)
    expect(await app().record(id, { key: other })).toMatchObject({ version: 1, state: 'completed' })
    expect((await app().chunks(id, { key: other })).map(({ text }) => text)).toEqual(['Private to the other user.'])
    expect(await app().statusOf('GET', `/api/v1/document/${id}`, main)).toBe(404)
  })

  test('is invalid for those who may read it too, and for administrators', async () => {
    const { doc_id: id } = await app().imported({ bytes: 'For everyone to read.', owners: 'everyone' })
    for (const key of [app().keys.other, app().keys.admin])
      await app().invalid({ bytes: 'changed', doc_id: id }, 'doc_id_taken', {}, { key })
  })
})

test('a new version with other owners is seen by them only when it is complete, and by the former no more at once', async () => {
  const { other, main } = app().keys
  const { doc_id: id } = await app().imported({ bytes: 'Shared words.', owners: [other.userId, main.userId] })
  expect(await app().statusOf('GET', `/api/v1/document/${id}`, other)).toBe(200)
  await app().imported({ bytes: 'Words that are shared no more.', doc_id: id, owners: main.userId })
  expect(await app().statusOf('GET', `/api/v1/document/${id}`, other)).toBe(404)
})

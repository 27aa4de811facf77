/** 207 of POST /api/v1/documents: the same file was imported before. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })
const own = (fields: object = {}) => ({ name: 'a.txt', category: crypto.randomUUID(), bytes: 'the same', ...fields })

test('the same bytes in the same category come back with the id of the document that is there', async () => {
  const item = own()
  const [id] = await app().accepted([item])
  const { status, accepted, duplicate, invalid } = await app().answer([{ ...item, name: 'other name.txt' }])
  expect([status, accepted, invalid]).toEqual([207, [], []])
  expect(duplicate).toEqual([
    { name: 'other name.txt', bytes: '', category: item.category, path: '', doc_id: id!, owners: null },
  ])
  expect(await app().record(id!)).toMatchObject({ name: 'a.txt', other_names: ['other name.txt'] })
})

test('of the same bytes twice in one request the first is accepted, however they are written', async () => {
  const { status, accepted, duplicate } = await app().answer([
    own({ category: 'twice' }),
    own({ category: 'twice', name: 'b.txt', bytes: Buffer.from('the same').toString('base64') }),
  ])
  expect(status).toBe(207)
  expect(accepted.map(({ name }) => name)).toEqual(['a.txt'])
  expect(duplicate.map(({ name, doc_id: id }) => [name, id])).toEqual([['b.txt', accepted[0]!.doc_id]])
})

test('of thirty requests with the same file at once exactly one is accepted, and the others name it', async () => {
  const item = own()
  const answers = await Promise.all(Array.from({ length: 30 }, () => app().answer([item])))
  const accepted = answers.flatMap((answer) => answer.accepted)
  expect(accepted).toHaveLength(1)
  const named = answers.flatMap(({ duplicate }) => duplicate.map(({ doc_id: id }) => id))
  expect(named).toEqual(Array.from({ length: 29 }, () => accepted[0]!.doc_id))
})

test('another category and other owners are no duplicate, the same owners in another order are', async () => {
  const item = own({ owners: ['everyone', 'group:team'] })
  await app().accepted([item])
  await app().accepted([
    { ...item, category: 'elsewhere' },
    { ...item, owners: 'everyone' },
    { ...item, owners: null },
  ])
  const reordered = { ...item, owners: ['group:team', 'everyone', 'everyone'] }
  expect((await app().answer([reordered])).duplicate).toHaveLength(1)
})

test('of users who import the same file for themselves each has a document', async () => {
  const item = own()
  const [mine] = await app().accepted([item])
  const [other] = await app().accepted([item], {}, { key: app().keys.other })
  expect(other).not.toBe(mine!)
})

test('what was deleted or cancelled is imported again', async () => {
  const item = own()
  const [first] = await app().accepted([item])
  expect(await app().statusOf('POST', `/api/v1/document/${first}/cancel`, app().keys.main)).toBe(200)
  const [second] = await app().accepted([item])
  expect(await app().statusOf('DELETE', `/api/v1/document/${second}`, app().keys.main)).toBe(204)
  const [third] = await app().accepted([item])
  expect(new Set([first, second, third]).size).toBe(3)
})

test('what is a duplicate leaves no bytes behind', async () => {
  const item = own()
  const [id] = await app().accepted([item])
  await app().answer([item, item, item])
  const { blobs } = app()
  expect((await Array.fromAsync(blobs.list())).filter((blob) => blob.id === id)).toHaveLength(1)
  const known = new Set(await app().listed('?limit=200', { key: app().keys.admin }))
  for (const blob of await Array.fromAsync(blobs.list())) expect(known).toContain(blob.id)
})

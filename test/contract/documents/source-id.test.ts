/** `source_id` of an item: the file of a source has one document, whose versions replace each other. */
import { expect, test } from 'bun:test'
import { documentsOfFile, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile()

const found = async (word: string) =>
  (await app().hits({ query: word, mode: 'keyword' })).map(({ text }: { text: string }) => text)
const manifest = async (source: string) => {
  const response = await app().request('GET', `/api/v1/documents/manifest?source=${source}&limit=5000`)
  return ((await response.json()) as { data: { source_id: string; source_version: string; state: string }[] }).data
}

test('a changed file replaces its old version when it is completed, and never both are found', async () => {
  const file = { source: 'wiki', source_id: 'a/animals.md' }
  const { doc_id: id } = await app().imported({ ...file, bytes: 'The old walrus.', source_version: '1' })
  app().upstream.script(embedsWhenReleased)
  const seen = app().upstream.requests.length
  const [next] = await app().accepted([{ ...file, bytes: 'The new narwhal.', source_version: '2' }], {
    embedder: 'plain',
  })
  expect(next).toBe(id)
  await eventually(() => app().upstream.requests.length >= seen + 2)
  expect([await found('walrus'), await found('narwhal')]).toEqual([['The old walrus.'], []])
  app().upstream.release(1)
  await app().ended(id)
  expect([await found('walrus'), await found('narwhal')]).toEqual([[], ['The new narwhal.']])
  expect(await manifest('wiki')).toMatchObject([{ source_id: file.source_id, source_version: '2' }])
})

test('a new version that fails leaves the old one to be found, and says that it failed', async () => {
  const file = { source: 'wiki', source_id: 'lighthouse.pdf' }
  await app().imported({ ...file, bytes: 'A steady beacon.' })
  const broken = Buffer.from('%PDF-1.4 x').toString('base64')
  expect(await app().imported({ ...file, bytes: broken })).toMatchObject({ state: 'failed', searchable: true })
  expect(await found('beacon')).toEqual(['A steady beacon.'])
})

test('copies under two ids are independent, and the same file again is a duplicate', async () => {
  const of = (id: string) => ({ source: 'copies', source_id: id, bytes: 'One pangolin text.' })
  const ids = await app().accepted([of('a'), of('b')])
  expect(new Set(ids).size).toBe(2)
  const { duplicate } = await app().answer([of('a')])
  expect(duplicate).toMatchObject([{ doc_id: ids[0], source: 'copies', source_id: 'a' }])
})

test('a form names the file in fields of its own', async () => {
  const form = new FormData()
  for (const [field, value] of Object.entries({ category: 'notes', source: 'forms', source_id: '../ä b.txt' }))
    form.append(field, value)
  form.append('files', new Blob(['A form with a quokka.']), 'b.txt')
  expect((await app().form(form)).status).toBe(202)
  expect(await manifest('forms')).toMatchObject([{ source_id: '../ä b.txt' }])
})

test('fields that contradict each other make the item invalid, and so does one file twice', async () => {
  const doc_id = crypto.randomUUID()
  await app().invalid({ bytes: 'x y', doc_id, source_id: 'a' }, 'invalid_field')
  await app().invalid({ bytes: 'x y', source: 'wiki' }, 'invalid_field')
  await app().invalid({ bytes: 'x y', source_id: 'a\0b' }, 'invalid_field')
  const twice = { bytes: 'x y', source: 'twice', source_id: 'a' }
  const { invalid } = await app().answer([twice, { ...twice, bytes: 'z' }])
  expect(invalid.map(({ reason }) => reason?.code)).toEqual(['doc_id_repeated', 'doc_id_repeated'])
})

test('a moved file keeps its document, its text, and is found by its new name', async () => {
  const { doc_id: id } = await app().imported({ name: 'before.txt', source: 'moves', source_id: 'a', bytes: 'Okapi.' })
  const { main, other } = app().keys
  const patch = (key: typeof main, body: object) =>
    app().request('PATCH', `/api/v1/document/${id}`, {
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const moved = await patch(main, { name: 'xylophone.txt', source_id: 'b', source_version: '7' })
  expect(moved.status).toBe(200)
  expect(await moved.json()).toMatchObject({ name: 'xylophone.txt', source_id: 'b', version: 1, state: 'completed' })
  expect(await found('xylophone')).toEqual(['Okapi.'])
  expect(await manifest('moves')).toMatchObject([{ source_id: 'b', source_version: '7' }])
  await app().imported({ source: 'moves', source_id: 'c', bytes: 'Another one.' })
  expect((await patch(main, { source_id: 'c' })).status).toBe(409)
  expect((await patch(main, { source_version: 'x' })).status).toBe(422)
  expect((await patch(other, { source_id: 'd' })).status).toBe(404)
})

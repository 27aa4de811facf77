/** 202 of POST /api/v1/documents: every file was accepted. */
import { expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import { documentsOfFile } from '#test/support/app/documents-app.ts'

const app = documentsOfFile()
const text = 'Lentil soup is served on Mondays.'

test('every item is accepted with an id of its own, in the order of the request, and its content is not sent back', async () => {
  const files = [
    { name: 'one.txt', bytes: `${text} One.`, category: 'menus' },
    { name: 'two.txt', bytes: `${text} Two.`, owners: ['everyone', 'group:team'] },
  ]
  const response = await app().import(files)
  const answered = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([202, 'application/json'])
  expect(answered).not.toContain('Lentil')
  const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/) as unknown as string
  const item = { bytes: '' as const, path: '', doc_id: uuid }
  expect(JSON.parse(answered)).toEqual({
    accepted: [
      { ...item, name: 'one.txt', category: 'menus', owners: null },
      { ...item, name: 'two.txt', category: 'notes', owners: ['everyone', 'group:team'] },
    ],
    duplicate: [],
    invalid: [],
  })
})

test('what nothing was said about is as null: the defaults of the server, and the importing user as owner', async () => {
  const nothing = { reader: null, chunker: null, embedder: null, chunk_units: null, chunk_overlap: null }
  const said = { path: null, encoding: null, doc_id: null, owners: null }
  const [first] = await app().accepted([{ bytes: 'said nothing' }])
  const [second] = await app().accepted([{ bytes: 'said null', ...said }], nothing)
  const resolved = {
    reader: { name: 'auto' },
    chunker: { name: 'token', units: 256, overlap: 0, tokenizer: expect.any(String) as string },
    embedder: { name: 'hashing' },
    owners: [`${app().keys.main.userId}@example.com`],
  }
  for (const id of [first!, second!]) expect(await app().record(id)).toMatchObject(resolved)
})

test('the names that clients of the interface know stand for our own, and options are kept in the record', async () => {
  const wishes = {
    reader: 'TitanLayout',
    chunker: 'TokenChunker',
    embedder: 'hashing',
    chunk_units: 20,
    chunk_overlap: 5,
  }
  const [id] = await app().accepted([{ bytes: 'aliases' }], wishes)
  expect(await app().record(id!)).toMatchObject({
    reader: { name: 'auto' },
    chunker: { name: 'token', units: 20, overlap: 5 },
  })
  const objects = { reader: { name: 'text' }, chunker: { name: 'sentence', units: 40 }, chunk_overlap: 3 }
  const [other] = await app().accepted([{ bytes: 'objects' }], objects)
  expect(await app().record(other!)).toMatchObject({
    reader: { name: 'text' },
    chunker: { name: 'sentence', units: 40, overlap: 3 },
  })
})

test('the name is kept as it was sent, without what would change how a list is shown', async () => {
  const [id] = await app().accepted([{ name: '../../etc/\u202Epasswd\n.txt', bytes: 'name' }])
  const { name } = await app().record(id!)
  expect(name).toBe('../../etc/ passwd .txt')
})

test('a new id may be chosen, and is kept in lower case', async () => {
  const id = crypto.randomUUID().toUpperCase()
  expect(await app().accepted([{ bytes: 'chosen', doc_id: id }])).toEqual([id.toLowerCase()])
})

test('with wait_for_completion each item has the state in which its document has ended', async () => {
  const files = [
    { name: 'good.txt', bytes: 'A text.' },
    { name: 'scan.pdf', bytes: Buffer.from('%PDF-1.4 broken').toString('base64') },
  ]
  const response = await app().import(files, { wait_for_completion: true })
  expect(response.status).toBe(202)
  const { accepted } = (await response.json()) as ImportAnswer
  expect(accepted.map(({ state }) => state)).toEqual(['completed', 'failed'])
})

test('a body without a content type, or with another one, is read as JSON', async () => {
  for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8']) {
    const response = await app().import([{ bytes: `sent as ${type}` }], {}, { headers: { 'content-type': type } })
    expect(response.status).toBe(202)
  }
})

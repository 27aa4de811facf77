/** POST /api/v1/documents as a form: the same import as in JSON. */
import { createHash } from 'node:crypto'
import { expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import { documentsOfFile } from '#test/support/app/documents-app.ts'

const app = documentsOfFile()

function formOf(fields: Readonly<Record<string, string>>, ...files: readonly [string, string, string][]): FormData {
  const form = new FormData()
  for (const [part, name, content] of files) form.append(part, new Blob([content]), name)
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

test('each file is an item, and the other fields hold for all of them', async () => {
  const fields = {
    category: 'forms',
    chunker: '{"name":"character","units":50}',
    chunk_overlap: '10',
    owners: '["everyone","group:team"]',
    wait_for_completion: 'true',
    embedder: 'hashing',
  }
  const files: [string, string, string][] = [
    ['files', 'one.txt', 'The first file.'],
    ['files', 'two.md', '# The second file'],
  ]
  const response = await app().form(formOf(fields, ...files))
  expect(response.status).toBe(202)
  const { accepted, duplicate, invalid } = (await response.json()) as ImportAnswer
  expect([duplicate, invalid]).toEqual([[], []])
  expect(accepted).toMatchObject([
    { name: 'one.txt', bytes: '', path: '', category: 'forms', owners: ['everyone', 'group:team'], state: 'completed' },
    { name: 'two.md', state: 'completed' },
  ])
  const [record] = await Promise.all(accepted.map(({ doc_id: id }) => app().record(id!)))
  expect(record).toMatchObject({
    chunker: { name: 'character', units: 50, overlap: 10 },
    sha256: createHash('sha256').update('The first file.').digest('hex'),
  })
})

test('content is taken as it is: what looks like base64 in a form is not', async () => {
  const response = await app().form(formOf({ category: 'forms' }, ['file', 'word.txt', 'word']))
  const { accepted } = (await response.json()) as ImportAnswer
  expect((await app().record(accepted[0]!.doc_id!)).bytes).toBe(4)
})

test('owners can be several parts, and the fields may come before the files', async () => {
  const form = new FormData()
  form.append('owners', 'everyone')
  form.append('owners', 'group:team')
  form.append('category', 'forms')
  form.append('files[]', new Blob(['several owners']), 'a.txt')
  const { accepted } = (await (await app().form(form)).json()) as ImportAnswer
  expect(accepted[0]?.owners).toEqual(['everyone', 'group:team'])
})

test('the same bytes in a form and in JSON are one document', async () => {
  const [id] = await app().accepted([{ bytes: 'both ways', category: 'forms' }])
  const response = await app().form(formOf({ category: 'forms' }, ['files', 'a.txt', 'both ways']))
  expect(response.status).toBe(207)
  expect(((await response.json()) as ImportAnswer).duplicate[0]?.doc_id).toBe(id!)
})

test('a file of several megabytes goes through in pieces', async () => {
  const content = 'A line of a long text.\n'.repeat(200_000)
  const { accepted } = (await (
    await app().form(formOf({ category: 'forms', chunker: 'page' }, ['files', 'long.txt', content]))
  ).json()) as ImportAnswer
  expect(await app().record(accepted[0]!.doc_id!)).toMatchObject({
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  })
})

test('invalid and duplicate items of a form are told apart as those of JSON', async () => {
  const files: [string, string, string][] = [
    ['files', 'a.txt', 'told apart'],
    ['files', 'b.txt', 'told apart'],
    ['files', 'empty.txt', ''],
  ]
  const response = await app().form(formOf({ category: 'forms' }, ...files))
  expect(response.status).toBe(207)
  const { accepted, duplicate, invalid } = (await response.json()) as ImportAnswer
  expect(accepted.map(({ name }) => name)).toEqual(['a.txt'])
  expect(duplicate.map(({ name, doc_id: id }) => [name, id])).toEqual([['b.txt', accepted[0]!.doc_id]])
  expect(invalid.map(({ name, reason }) => [name, reason?.code])).toEqual([['empty.txt', 'empty']])
})

/** 207 of POST /api/v1/documents: an item that cannot be imported says why by a code, and the others are imported. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { writeCompound } from '#test/support/documents/compound-writer.ts'
import { encryptedPdf } from '#test/support/documents/pdf-writer.ts'
import { stripedPng } from '#test/support/documents/png-file.ts'

const app = documentsOfFile({
  set: [...idle, 'documents.max_file_bytes=4000', 'documents.ocr.enabled=false', 'documents.categories=notes, letters'],
})
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64')

const cases: Readonly<Record<string, readonly [string, Readonly<Record<string, unknown>>, string]>> = {
  'neither bytes nor path': ['no_content', {}, '"bytes"'],
  'empty bytes and an empty path': ['no_content', { bytes: '', path: '' }, '"path"'],
  'bytes and path': ['bytes_and_path', { bytes: 'a', path: '/etc/hostname' }, 'one of them'],
  'what is said to be base64 and is not': ['not_base64', { bytes: 'not base64!', encoding: 'base64' }, '"encoding"'],
  'a data URL that is broken': ['not_base64', { bytes: 'data:text/plain;base64,a b' }, 'base64'],
  'a data URL of nothing': ['empty', { bytes: 'data:text/plain;base64,' }, 'empty'],
  'a file of more than the limit': ['too_large', { bytes: 'many words '.repeat(400) }, '4000'],
  'a category that there is not': ['unknown_category', { category: 'poems', bytes: 'a' }, 'notes, letters'],
  'an owner who does not exist': [
    'unknown_owner',
    { owners: ['everyone', 'no@example.org'], bytes: 'a' },
    'no@example.org',
  ],
  'a group that does not exist': ['unknown_owner', { owners: 'group:nobody', bytes: 'a' }, 'group:nobody'],
  'a path when no directory is open for imports': ['invalid_path', { path: '/etc/hostname' }, '"bytes"'],
  'a program': ['unsupported_type', { bytes: base64('\x7fELF\x02\x01\x01\0\0\0\0\0\0') }, 'program'],
  'binary data that calls itself text': [
    'unsupported_type',
    { name: 'a.txt', bytes: base64(Uint8Array.from({ length: 500 }, (_, at) => (at * 7919) % 256)) },
    'binary',
  ],
  'a PDF whose beginning is lost': [
    'unsupported_type',
    { name: 'Plan.PDF', bytes: base64(Uint8Array.from({ length: 500 }, (_, at) => (at * 7919) % 256)) },
    'name of a PDF but does not begin as one',
  ],
  'an archive of another kind': [
    'unsupported_type',
    { bytes: base64(Buffer.from('Rar!\x1a\x07\0', 'latin1')) },
    'one by one',
  ],
  'a picture when no model reads pictures': [
    'unsupported_type',
    { name: 'a.png', bytes: base64(stripedPng(4, 4, [[255, 0, 0]])) },
    '"vision"',
  ],
  'an Office file behind a password': [
    'encrypted',
    {
      name: 'a.docx',
      bytes: base64(writeCompound({ EncryptedPackage: Buffer.from('x') })),
    },
    'password',
  ],
}

for (const [what, [code, item, said]] of Object.entries(cases)) {
  test(`${what} is ${code}`, async () => {
    expect(await app().invalid(item, code)).toContain(said)
  })
}

describe('a field of an item that is wrong makes that item invalid_field, and no other', () => {
  const items: readonly (readonly [string, object, string])[] = [
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 1001 characters', { name: 'n'.repeat(1001) }, 'name'],
    ['no category', { category: undefined }, 'category'],
    ['a category of null', { category: null }, 'category'],
    ['a category of two lines', { category: 'a\nb' }, 'category'],
    ['a category of 256 characters', { category: 'c'.repeat(256) }, 'category'],
    ['bytes that are a number', { bytes: 5 }, 'bytes'],
    ['bytes that are a list', { bytes: [65, 66] }, 'bytes'],
    ['a path that is a number', { path: 5 }, 'path'],
    ['an encoding that there is not', { encoding: 'hex' }, 'encoding'],
    ['an id that is not a UUID', { doc_id: 'my-document' }, 'doc_id'],
    ['owners that are a number', { owners: 5 }, 'owners'],
    ['no owner in a list', { owners: [] }, 'owners'],
    ['an owner of no letters', { owners: '' }, 'owners'],
  ]
  for (const [what, fields, field] of items) {
    test(what, async () => {
      const good = { bytes: `beside ${what}` }
      const { status, accepted, invalid } = await app().answer([{ bytes: 'text', ...fields }, good])
      expect([status, accepted.length]).toEqual([207, 1])
      expect(invalid).toMatchObject([{ bytes: '', reason: { code: 'invalid_field' } }])
      expect(invalid[0]?.reason?.message).toStartWith(`"${field}": `)
    })
  }

  test('an item that is not an object', async () => {
    const response = await app().request('POST', '/api/v1/documents', {
      body: JSON.stringify({
        files: [5, null, 'text', [], { name: 'a', category: 'notes', bytes: 'beside no object' }],
      }),
    })
    const { accepted, invalid } = (await response.json()) as { accepted: object[]; invalid: object[] }
    expect([response.status, accepted.length, invalid.length]).toEqual([207, 1, 4])
  })
})

test('an item whose doc_id comes twice is doc_id_repeated, in any case of letters', async () => {
  const id = crypto.randomUUID()
  const { accepted, invalid } = await app().answer([
    { bytes: 'the first of two', doc_id: id },
    { bytes: 'the second of two', doc_id: id.toUpperCase() },
    { bytes: 'another file' },
  ])
  expect([accepted.length, invalid.map(({ reason }) => reason?.code)]).toEqual([
    1,
    ['doc_id_repeated', 'doc_id_repeated'],
  ])
})

test('unknown fields are ignored, with a warning on the item or on the answer', async () => {
  const item = { name: 'a', category: 'notes', bytes: 'with unknown fields', colour: 'red' }
  const response = await app().request('POST', '/api/v1/documents', {
    body: JSON.stringify({ files: [item], priority: 5, wait_for_completion: false }),
  })
  expect(response.status).toBe(202)
  const answer = (await response.json()) as { warnings: string[]; accepted: { warnings: string[] }[] }
  expect([answer.warnings, answer.accepted[0]?.warnings]).toEqual([
    [expect.stringContaining('"priority"')],
    [expect.stringContaining('"colour"')],
  ])
})

test('the other files of the request are imported, and each array is in the order of the request', async () => {
  const { status, accepted, duplicate, invalid } = await app().answer([
    { name: '0', bytes: 'a first text' },
    { name: '1' },
    { name: '2', bytes: 'a second text', category: 'letters' },
    { name: '3', bytes: 'a first text' },
    { name: '4', bytes: 'a', category: 'poems' },
  ])
  const names = [accepted, duplicate, invalid].map((items) => items.map(({ name }) => name))
  expect([status, names]).toEqual([207, [['0', '2'], ['3'], ['1', '4']]])
  expect(await app().listed()).toContain(accepted[0]!.doc_id!)
})

test('an invalid item comes back as it was sent, without its content', async () => {
  const item = {
    name: 'a.txt',
    category: 'poems',
    bytes: 'secret words',
    owners: ['everyone'],
    doc_id: crypto.randomUUID(),
  }
  const response = await app().import([item])
  const text = await response.text()
  expect(text).not.toContain('secret')
  expect((JSON.parse(text) as { invalid: object[] }).invalid).toEqual([
    { ...item, bytes: '', path: '', reason: { code: 'unknown_category', message: expect.any(String) as string } },
  ])
})

test('what is invalid leaves no document, no bytes, and nothing on its way', async () => {
  const before = await app().listed('?limit=200')
  for (const [, item] of Object.values(cases)) await app().answer([item])
  expect(await app().listed('?limit=200')).toEqual(before)
  expect(await Array.fromAsync(app().blobs.list())).toHaveLength(before.length)
  expect(await app().onTheirWay()).toEqual([])
})

describe('a form', () => {
  test('of fields that are wrong has invalid files, of unknown ones a warning', async () => {
    const form = new FormData()
    form.append('files', new Blob(['one file of two']), 'a.txt')
    form.append('files', new Blob(['another file of two']), 'b.txt')
    const { invalid } = (await (await app().form(form)).json()) as { invalid: object[] }
    expect(invalid).toMatchObject([{ reason: { code: 'invalid_field' } }, { reason: { code: 'invalid_field' } }])
    form.append('category', 'notes')
    form.append('colour', 'red')
    const response = await app().form(form)
    expect([response.status, ((await response.json()) as { warnings: string[] }).warnings]).toEqual([
      202,
      [expect.stringContaining('"colour"')],
    ])
    form.append('doc_id', crypto.randomUUID())
    const repeated = (await (await app().form(form)).json()) as { invalid: object[] }
    expect(repeated.invalid).toMatchObject([
      { reason: { code: 'doc_id_repeated' } },
      { reason: { code: 'doc_id_repeated' } },
    ])
    expect(await app().onTheirWay()).toEqual([])
  })

  test('tells a file that is too large as the item that it is, and nothing of it is kept', async () => {
    const form = new FormData()
    form.append('category', 'notes')
    form.append('files', new Blob(['many words '.repeat(400)]), 'large.txt')
    form.append('files', new Blob(['a small one in a form']), 'small.txt')
    const response = await app().form(form)
    const { accepted, invalid } = (await response.json()) as { accepted: object[]; invalid: object[] }
    expect([response.status, accepted, invalid]).toMatchObject([
      207,
      [{ name: 'small.txt' }],
      [{ name: 'large.txt', reason: { code: 'too_large' } }],
    ])
    expect(await app().onTheirWay()).toEqual([])
  })

  test('of a category that there is not leaves nothing on its way', async () => {
    const form = new FormData()
    form.append('files', new Blob(['words']), 'a.txt')
    form.append('category', 'poems')
    expect((await app().form(form)).status).toBe(207)
    expect(await app().onTheirWay()).toEqual([])
  })
})

test('a PDF with a password is accepted, since that shows only when it is read', async () => {
  await app().accepted([{ name: 'a.pdf', bytes: base64(encryptedPdf()) }])
})

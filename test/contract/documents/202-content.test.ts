/** What `bytes` stands for: each accepted file has the digest of exactly the bytes that were meant. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })

/** Bytes whose base64 has both characters that the alphabets differ in, and padding. */
const content = Buffer.from('Frühstück ÿ¿¾ÿ>>>??? um acht')
const base64 = content.toString('base64')
const noPicture = 'hello, this is text'

/** Imports, and returns the digest that the record has. */
async function digestOf(item: object): Promise<string> {
  const [id] = await app().accepted([{ category: crypto.randomUUID(), ...item }])
  return (await app().record(id!)).sha256
}

const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

describe('base64', () => {
  const wrapped = (
    Buffer.from('A line of text. '.repeat(20))
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\r\n')
  const spellings: Readonly<Record<string, readonly [object, Buffer | string]>> = {
    'in the standard alphabet': [{ bytes: base64 }, content],
    'in the URL alphabet': [{ bytes: base64.replaceAll('+', '-').replaceAll('/', '_') }, content],
    'without its padding': [{ bytes: base64.replace(/=+$/, '') }, content],
    'in the URL alphabet without padding': [{ bytes: content.toString('base64url') }, content],
    'behind the prefix of a data URL': [{ bytes: `data:text/plain;charset=utf-8;base64,${base64}` }, content],
    'of a data URL, said to be base64': [{ bytes: `data:;base64,${base64}`, encoding: 'base64' }, content],
    'in lines of 76 characters': [{ bytes: wrapped }, 'A line of text. '.repeat(20)],
    'in lines of any length when it is said to be base64': [
      { bytes: base64.replace(/.{7}/g, '$&\n'), encoding: 'base64' },
      content,
    ],
    'of one byte': [{ bytes: 'QQ==' }, 'A'],
  }
  for (const [how, [item, meant]] of Object.entries(spellings)) {
    test(how, async () => expect(await digestOf(item)).toBe(digest(meant)))
  }

  test('with the slashes escaped, as some JSON writers do', async () => {
    const file = `{"name":"a","category":"escaped","bytes":"${base64.replaceAll('/', '\\/')}"}`
    const response = await app().request('POST', '/api/v1/documents', { body: `{"files":[${file}]}` })
    expect(response.status).toBe(202)
    const { accepted } = (await response.json()) as { accepted: { doc_id: string }[] }
    expect((await app().record(accepted[0]!.doc_id)).sha256).toBe(digest(content))
  })
})

describe('what is not base64 is the text itself', () => {
  const texts: Readonly<Record<string, string>> = {
    'with spaces': noPicture,
    'with letters of other alphabets': 'größe',
    'of five letters, which no base64 has': 'hello',
    'with both alphabets at once': 'ab+_',
    'with padding in the middle': 'QUJD=QUJD',
    'with too much padding': 'QUI===',
    'of several lines': 'abcd\nefgh\n',
  }
  for (const [how, text] of Object.entries(texts)) {
    test(how, async () => expect(await digestOf({ bytes: text })).toBe(digest(text)))
  }

  test('also what could be, when encoding says that it is text', async () => {
    expect(await digestOf({ bytes: 'word', encoding: 'utf-8' })).toBe(digest('word'))
    expect(await digestOf({ bytes: base64, encoding: 'utf-8' })).toBe(digest(base64))
  })

  test('a lone surrogate becomes the character that stands for what cannot be shown', async () => {
    const file = String.raw`{"name":"a","category":"surrogate","bytes":"a \ud800 b"}`
    const response = await app().request('POST', '/api/v1/documents', { body: `{"files":[${file}]}` })
    const { accepted } = (await response.json()) as { accepted: { doc_id: string }[] }
    expect((await app().record(accepted[0]!.doc_id)).sha256).toBe(digest('a \ufffd b'))
  })
})

test('large contents arrive whole, whatever their length is modulo three', async () => {
  for (const length of [3_145_727, 3_145_728, 3_145_729, 7_000_001]) {
    const bytes = Buffer.alloc(length, 'text of many bytes ')
    expect(await digestOf({ bytes: bytes.toString('base64') })).toBe(digest(bytes))
    expect(await digestOf({ bytes: bytes.toString() })).toBe(digest(bytes))
  }
})

test('a request of megabytes is answered like its small twin, item by item', async () => {
  const filler = 'A line of a long text, with "quotes".\n'.repeat(40_000)
  const items = (text: string) => [
    { name: 'text.txt', category: crypto.randomUUID(), bytes: `${text}1`, encoding: 'utf-8' },
    { name: 'base64.txt', category: crypto.randomUUID(), bytes: Buffer.from(`${text}2`).toString('base64') },
    { name: 'both.txt', category: 'c', bytes: text, path: 'somewhere' },
    { name: 'none.txt', category: 'c', bytes: '' },
    { name: 'wrong.txt', category: 'c', bytes: text, encoding: 'base64' },
  ]
  const answers = await Promise.all([items('Some "words".\n'), items(filler)].map((files) => app().answer(files)))
  const [small, large] = answers.map(({ accepted, invalid, ...answer }) => ({
    ...answer,
    accepted: accepted.map(({ name }) => name),
    invalid: invalid.map(({ name, reason }) => [name, reason?.code]),
  }))
  expect(large).toEqual(small!)
  expect(large).toMatchObject({ status: 207, accepted: ['text.txt', 'base64.txt'] })
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ReadFailure } from '../reading.ts'
import { type ExternalReaderKind, readAnswer } from './external-answer.ts'

const limits = { textMax: 1_000_000, pagesMax: 1000, unpackedBytesMax: 1 }
const folder = join(import.meta.dir, '../../../test/support/documents/external-answers')
const recorded = (name: string) => Bun.file(join(folder, name)).bytes()

function read(kind: ExternalReaderKind, answer: Uint8Array | string) {
  const bytes = typeof answer === 'string' ? Buffer.from(answer) : answer
  return readAnswer(bytes, { kind, mediaType: 'application/pdf' }, limits)
}

test('docling: headings, lists, tables, inline parts and code in reading order, each on its page; heads of pages left out', async () => {
  const { text, pages, title, headings, tables, code } = await read('docling', await recorded('docling.json'))
  expect(text.split('\n\n')).toEqual([
    '# Annual report',
    '## Revenue',
    'Revenue grew by a tenth.',
    '- Costs fell.\n- Staff grew.',
    'Table 1: Revenue by year',
    '| Year | Revenue |\n| --- | --- |\n| 2024 | 110 |\n| Total |  |',
    'The outlook is x > 0',
    'print(1)',
  ])
  expect(title).toBe('Annual report')
  expect(pages).toEqual([
    { start: 0, number: 1, label: null },
    { start: text.indexOf('Table 1'), number: 2, label: null },
  ])
  expect([headings.length, tables.length, code.length]).toEqual([2, 1, 1])
})

test('tika: each page of a PDF is a page', async () => {
  const { text, pages, title } = await read('tika', await recorded('tika.txt'))
  expect(text.split('\n\n')).toEqual(['Revenue grew by a tenth. Costs fell.', 'The outlook is good.'])
  expect(title).toBe('Annual report')
  expect(pages.map(({ start, number }) => text.slice(start, start + 11) + number)).toEqual([
    'Revenue gre1',
    'The outlook2',
  ])
})

test('tika: a file without pages and without a title', async () => {
  const body = '<p>Gr&uuml;&szlig;e</p><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>'
  const { text, pages, title } = await read('tika', `<html><head><title/></head><body>${body}</body></html>`)
  expect([text, pages, title]).toEqual(['Grüße\n\n| a | b |\n| --- | --- |\n| 1 | 2 |', [], null])
})

test('unstructured: titles, lists and tables, each on its page; heads of pages left out', async () => {
  const { text, pages, title } = await read('unstructured', await recorded('unstructured.json'))
  expect(text.split('\n\n')).toEqual([
    '# Annual report',
    '# Revenue',
    'Revenue grew by a tenth, which is more than the board had expected of the year.',
    '- Costs fell.\n- Staff grew.',
    '| Year | Revenue |\n| --- | --- |\n| 2023 | 100 |\n| 2024 | 110 |',
    'The outlook is good, and the board proposes a dividend of two euros a share.',
  ])
  expect(title).toBe('Annual report')
  expect(pages.map(({ number }) => number)).toEqual([1, 2])
})

const docling = (fields: object) => JSON.stringify({ document: { json_content: fields } })
const element = (metadata: object) => JSON.stringify([{ type: 'NarrativeText', text: 'x', metadata }])

test.each<[string, ExternalReaderKind, string, string]>([
  ['no JSON', 'docling', '<html>', 'damaged'],
  ['no document', 'docling', '{"document":{}}', 'damaged'],
  ['no JSON', 'unstructured', '{', 'damaged'],
  ['an error in place of a list', 'unstructured', '{"detail":"no"}', 'damaged'],
  ['elements that are none', 'unstructured', '[1]', 'damaged'],
  ['no elements', 'unstructured', '[]', 'no_text'],
  ['no text', 'tika', '<html><head><title>&#0;</title></head><body/></html>', 'no_text'],
  ['a page that no file has', 'unstructured', element({ page_number: 2 ** 50 }), 'too_complex'],
  ['a body that is a child of itself', 'docling', docling({ body: { children: [{ $ref: '#/body' }] } }), 'no_text'],
  [
    'groups in a circle',
    'docling',
    docling({ body: { children: [{ $ref: '#/groups/0' }] }, groups: [{ children: [{ $ref: '#/groups/0' }] }] }),
    'no_text',
  ],
])('%s, of %s, fails with one code', async (_what, kind, answer, code) => {
  const failure: unknown = await read(kind, answer).catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(ReadFailure)
  expect((failure as ReadFailure).code).toBe(code as ReadFailure['code'])
})

test('what has a wrong type is read as far as it goes', async () => {
  const texts = [
    { label: 7, text: 'one', prov: 'x', level: {} },
    { text: 5 },
    null,
    { label: 'section_header', text: 'two', level: -4 },
  ]
  const children = [0, 1, 2, 3, 9].map((at) => ({ $ref: `#/texts/${at}` }))
  const { text } = await read(
    'docling',
    docling({ body: { children: [...children, { $ref: '#/__proto__/0' }, 3] }, texts }),
  )
  expect(text).toBe('one\n\n# two')
  expect((await read('unstructured', element({ page_number: 'x', category_depth: -3 }))).text).toBe('x')
})

test.each([10_000, 20_000, 40_000])(
  '%i groups in each other, and as many pages, are read in one pass',
  async (count) => {
    const groups = Array.from({ length: count }, (_each, at) => ({
      label: 'list',
      children: [{ $ref: at + 1 < count ? `#/groups/${at + 1}` : '#/texts/0' }],
    }))
    const texts = [{ label: 'list_item', text: 'deep' }]
    const { text } = await read('docling', docling({ body: { children: [{ $ref: '#/groups/0' }] }, groups, texts }))
    expect(text.trim()).toBe('- deep')
  },
)

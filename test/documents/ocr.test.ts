/** Pictures and scanned pages without a vision model: their text is recognised on the server, with pages and places. */
import { expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { column, pdfOfScans } from '#test/support/documents/pdf-writer.ts'
import { pictureOf, scanOf } from '#test/support/documents/scan.ts'

const app = documentsOfFile({ set: ['documents.max_attempts=1'] })
const lines = ['Purple elephants keep the archive tidy.', 'They never forget a single page.']
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

test('a scanned page within a file is found, on its page, and a passage of it is marked in the page’s picture', async () => {
  const file = pdfOfScans([scanOf(await pictureOf(lines))], column(['A typed page before the scan.']))
  const record = await app().imported({ name: 'mixed.pdf', bytes: base64(file) }, { chunker: 'page' })
  expect(record).toMatchObject({ state: 'completed', reader: { name: 'auto' } })
  expect(record.warnings).toContainEqual(expect.stringContaining('Page 2 is without a text layer'))
  const [hit] = await app().hits({ query: 'purple elephants archive', doc_id: record.doc_id })
  expect(hit).toMatchObject({ page: 2 })
  const { start, end } = (await app().chunks(record.doc_id)).at(-1) as { start: number; end: number }
  const image = async (query: string): Promise<string> => {
    const response = await app().request('GET', `/api/v1/document/${record.doc_id}/pages/2/image${query}`)
    expect(response.status).toBe(200)
    return Bun.hash(await response.arrayBuffer()).toString()
  }
  expect(await image(`?start=${start}&end=${end}`)).not.toBe(await image(''))
})

test('a picture is imported by its text', async () => {
  const record = await app().imported({ name: 'sign.png', bytes: base64(await pictureOf(lines)) })
  expect(record).toMatchObject({ state: 'completed', media_type: 'image/png' })
  expect((await app().chunks(record.doc_id)).map(({ text }) => text).join(' ')).toContain('forget a single page')
})

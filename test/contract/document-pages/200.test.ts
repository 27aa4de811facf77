/** GET /api/v1/document/{doc_id}/pages/{page} and …/image: where a hit is, as text and as a picture. */
import { expect, test } from 'bun:test'
import type { z } from 'zod'
import type { pageAnswer } from '#documents/records/content-handlers.ts'
import { pngPixels } from '#lib/png-pixels.ts'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'

const app = documentsOfFile()

const animals = ['lions', 'seals', 'tigers', 'zebras']
const lineOf = (animal: string, at: number) =>
  `${animal} eat${at} hay${at} and${at} drink${at} water${at} at${at} nine${at}.`
const linesOf = (animal: string): string[] => Array.from({ length: 12 }, (_, at) => lineOf(animal, at))

/** A file of four pages; each has other bytes, so that none is a duplicate. */
async function imported(fields: object = {}): Promise<string> {
  const pages = animals.map((animal) => ({ texts: column(linesOf(animal)) }))
  const bytes = Buffer.from(writePdf({ pages, title: crypto.randomUUID() })).toString('base64')
  const { doc_id: id, state } = await app().imported({ name: 'zoo.pdf', bytes }, fields)
  expect(state).toBe('completed')
  return id
}

const get = (path: string): Promise<Response> => app().request('GET', `/api/v1/document/${path}`)

test('each page holds its own text, whether chunks are smaller than a page or run over several', async () => {
  for (const units of [20, 5000]) {
    const id = await imported({ chunk_units: units, chunker: 'token' })
    let end = 0
    for (const [at, animal] of animals.entries()) {
      const page = (await (await get(`${id}/pages/${at + 1}`)).json()) as z.output<typeof pageAnswer>
      expect(page).toMatchObject({ doc_id: id, page: at + 1, label: null, pages: 4, next: null, start: end })
      for (const other of animals) expect(page.text.includes(other)).toBe(other === animal)
      end = page.end
    }
  }
})

test('a document without pages says so', async () => {
  const { doc_id: id } = await app().imported({ name: 'note.txt', bytes: 'no pages here' })
  await expectRefusal(await get(`${id}/pages/1`), { status: 404, type: 'not_found_error', code: 'not_found' })
})

test('a page that is not there, and one that cannot be drawn, say so', async () => {
  const id = await imported()
  const { doc_id: text } = await app().imported({ name: 'note.txt', bytes: 'plain text' })
  for (const path of [
    `${id}/pages/5`,
    `${id}/pages/0`,
    `${id}/pages/x`,
    `${id}/pages/5/image`,
    `${text}/pages/1/image`,
  ])
    await expectRefusal(await get(path), { status: 404, type: 'not_found_error', code: 'not_found' })
})

/** Rows of the picture in which the yellow of the marker is. */
async function markedRows(path: string): Promise<Set<number>> {
  const response = await get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  const { width, rgba } = pngPixels(await response.bytes())
  const rows = new Set<number>()
  for (let at = 0; at < rgba.length; at += 4)
    if ((rgba[at] ?? 0) > 250 && (rgba[at + 2] ?? 0) < 120) rows.add(Math.floor(at / 4 / width))
  return rows
}

test('the picture of a page marks the passage of a hit, and nothing else', async () => {
  const id = await imported({ chunker: 'token', chunk_units: 30 })
  expect((await markedRows(`${id}/pages/2/image`)).size).toBe(0)
  const chunks = (await app().chunks(id)).filter(({ page }) => page === 2)
  expect(chunks.length).toBeGreaterThan(2)
  const marked = await Promise.all(
    chunks.map(({ start, end }) => markedRows(`${id}/pages/2/image?start=${start}&end=${end}`)),
  )
  for (const rows of marked) expect(rows.size).toBeGreaterThan(5)
  const tops = marked.map((rows) => Math.min(...rows))
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  expect(new Set(tops).size).toBe(tops.length)
  // A passage of another page marks nothing here.
  const [elsewhere] = (await app().chunks(id)).filter(({ page }) => page === 4)
  expect((await markedRows(`${id}/pages/2/image?start=${elsewhere!.start}&end=${elsewhere!.end}`)).size).toBe(0)
})

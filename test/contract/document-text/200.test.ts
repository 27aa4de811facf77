/** GET /api/v1/document/{doc_id}/text: the text that offsets count in. */
import { expect, test } from 'bun:test'
import type { z } from 'zod'
import type { textAnswer } from '#documents/records/content-handlers.ts'
import { documentsOfFile, startDocuments } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile()

type Slice = z.output<typeof textAnswer>

async function slice(id: string, query = ''): Promise<Slice> {
  const response = await app().request('GET', `/api/v1/document/${id}/text${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Slice
}

/** The whole text, in as many parts as it comes in. */
async function wholeOf(id: string): Promise<{ text: string; parts: readonly Slice[] }> {
  const parts: Slice[] = []
  for (let next: number | null = 0; next !== null; next = parts.at(-1)!.next) {
    const part = await slice(id, `?start=${next}`)
    expect([part.doc_id, part.start, Array.from(part.text).length]).toEqual([id, next, part.end - part.start])
    parts.push(part)
  }
  return { text: parts.map(({ text }) => text).join(''), parts }
}

const sentences = Array.from({ length: 120 }, (_, at) => `Satz ${at} über 🐘 und 𝔐.`)

test.each([
  ['chunks that touch', { chunker: 'character', chunk_units: 50 }],
  ['chunks that overlap', { chunker: 'character', chunk_units: 50, chunk_overlap: 40 }],
  ['one chunk', { chunker: 'token', chunk_units: 8000 }],
])('any slice is that of the whole text in code points: %s', async (name, fields) => {
  const { doc_id: id } = await app().imported({ bytes: `${name}. ${sentences.join(' ')}` }, fields)
  const { text: whole, parts } = await wholeOf(id)
  const points = Array.from(whole)
  expect(parts.map(({ length }) => length)).toEqual(parts.map(() => points.length))
  for (const each of sentences) expect(whole).toContain(each)
  for (let start = 0, length = 1; start < points.length; start += length, length *= 2) {
    const { text, end, next } = await slice(id, `?start=${start}&end=${start + length}`)
    expect([text, next]).toEqual([points.slice(start, start + length).join(''), null])
    expect(end).toBe(Math.min(start + length, points.length))
  }
  for (const { start, end, text } of await app().chunks(id))
    expect((await slice(id, `?start=${start}&end=${end}`)).text).toBe(text)
})

test('a long text comes in parts that are the text again', async () => {
  const bytes = Array.from({ length: 30_000 }, (_, at) => `Line ${at} of 🐘.`).join('\n\n')
  const { doc_id: id } = await app().imported({ bytes })
  const { text, parts } = await wholeOf(id)
  expect(parts.length).toBeGreaterThan(1)
  expect(text.trim()).toBe(bytes)
})

test('what lies beyond the text is empty', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'abc' })
  const { length } = await slice(id)
  for (const query of [`?start=${length}`, '?start=9999999999', '?start=2&end=2', '?start=2&end=1'])
    expect(await slice(id, query)).toMatchObject({ text: '', next: null, length })
})

test('offsets that are none are refused with their name', async () => {
  const { doc_id: id } = await app().imported({ bytes: 'abcd' })
  for (const query of ['start=-1', 'end=-1', 'start=1.5', 'end=x', 'start=1e999'])
    await expectRefusal(await app().request('GET', `/api/v1/document/${id}/text?${query}`), {
      status: 400,
      type: 'invalid_request_error',
      code: 'invalid_query_parameter',
      param: query.split('=')[0]!,
    })
})

test('a document without a completed version has no text, and the answer says so', async () => {
  await using idle = await startDocuments({ set: ['documents.concurrency=0'] })
  const [id] = await idle.accepted([{ bytes: 'queued' }])
  const { message } = await expectRefusal(await idle.request('GET', `/api/v1/document/${id}/text`), {
    status: 404,
    type: 'not_found_error',
    code: 'not_found',
  })
  expect(message).toContain('no text yet')
})

/** Readers on other servers: what they are asked, what becomes of their answers, and what happens when they give none. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import {
  answer,
  cutBody,
  endlessStream,
  hang,
  head,
  json,
  redirect,
  reset,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { startUpstream, type ReceivedRequest, type Upstream } from '#test/support/upstream/upstream.ts'

const folder = join(import.meta.dir, '../support/documents/external-answers')
const recorded = (name: string) => Bun.file(join(folder, name)).text()

let server: Upstream
let app: DocumentsApp
beforeAll(async () => {
  server = await startUpstream()
  const url = server.url.replace('/v1', '')
  const readers = [
    { name: 'layout', kind: 'docling', url: `${url}/d`, types: ['pdf'], credential: 'dk', fields: { do_ocr: 'false' } },
    {
      name: 'office',
      kind: 'tika',
      url,
      types: ['image/*'],
      credential: 'ada:pw',
      fields: { 'X-Tika-OCRLanguage': 'deu' },
    },
    { name: 'elements', kind: 'unstructured', url, types: ['text/html'], credential: 'uk' },
    { name: 'quick', kind: 'tika', url, types: ['rtf'], seconds: 0.2 },
  ]
  app = await startDocuments({
    environment: { SLUICE_DOCUMENTS_READERS: JSON.stringify(readers) },
    set: ['documents.max_unpacked_bytes=1048576'],
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server.close()
})
afterEach(() => {
  server.forget()
  // A reader that was down is asked again.
  app.advance(31_000)
})

const pdf = (text: string) => writePdf({ pages: [{ texts: column([text]) }] })
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const pdfItem = (text: string) => ({ name: 'ann "ual".pdf', bytes: base64(pdf(text)) })
const html = (text: string) => ({ name: 'page.html', bytes: `<!doctype html><p>${text}</p>`, encoding: 'utf-8' })
const rtf = (text: string) => ({ name: 'a.rtf', bytes: `{\\rtf1 ${text}}`, encoding: 'utf-8' })

/** The document at its end, and what its record warns of but for the embedder. */
async function read(item: object, fields?: object) {
  const { warnings, ...record } = await app.imported({ ...item }, fields)
  return { ...record, warnings: warnings.filter((each) => !each.startsWith('The built-in embedder')) }
}
const textOf = async (id: string) => (await app.chunks(id)).map(({ text }) => text).join('\n\n')
const bodyOf = ({ body }: ReceivedRequest) => Buffer.from(body).toString('latin1')

const docling =
  (statuses: readonly string[], result: string) =>
  (request: ReceivedRequest): Behaviour => {
    const task = (status: string) => json({ task_id: 'a/1', task_type: 'convert', task_status: status })
    if (request.method === 'POST') return task('pending')
    if (request.path.startsWith('/d/v1/result/')) return answer(200, { 'content-type': 'application/json' }, result)
    const asked = server.requests.filter(({ path }) => path.startsWith('/d/v1/status/')).length
    return task(statuses[asked - 1] ?? 'success')
  }

describe('the recorded contracts', () => {
  test('docling-serve converts as a task, and the pages of its document are those of ours', async () => {
    server.script(docling(['started', 'success'], await recorded('docling.json')))
    const { doc_id: id, state, warnings, media_type: type } = await read(pdfItem('Unread one.'), { chunker: 'page' })
    expect([state, warnings, type]).toEqual(['completed', [], 'application/pdf'])
    expect((await app.hits({ query: 'outlook', mode: 'keyword', doc_id: id }))[0]).toMatchObject({ page: 2 })
    const [posted, ...others] = server.requests
    expect(others.map(({ target }) => target)).toEqual([
      '/d/v1/status/poll/a%2F1?wait=5',
      '/d/v1/status/poll/a%2F1?wait=5',
      '/d/v1/result/a%2F1',
    ])
    expect(posted).toMatchObject({ method: 'POST', path: '/d/v1/convert/file/async' })
    expect(server.requests.map((request) => request.header('x-api-key'))).toEqual(['dk', 'dk', 'dk', 'dk'])
    const form = await new Response(posted!.body, {
      headers: { 'content-type': posted!.header('content-type')! },
    }).formData()
    const file = form.get('files') as File
    expect([file.type, Buffer.from(await file.arrayBuffer()).equals(pdf('Unread one.'))]).toEqual([
      'application/pdf',
      true,
    ])
    expect([form.get('to_formats'), form.get('image_export_mode'), form.get('do_ocr')]).toEqual([
      'json',
      'placeholder',
      'false',
    ])
  })

  test('Tika is given the bytes as they are, and reads pictures that are refused without it', async () => {
    server.script(answer(200, { 'content-type': 'text/html' }, await recorded('tika.txt')))
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const { doc_id: id, state, warnings } = await read({ name: 'ü".png', bytes: png })
    expect([state, warnings]).toEqual(['completed', []])
    expect(await textOf(id)).toBe('Revenue grew by a tenth. Costs fell.\n\nThe outlook is good.')
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'PUT', path: '/tika' })
    expect(Buffer.from(request!.body).toString('base64')).toBe(png)
    expect(
      ['accept', 'content-type', 'content-disposition', 'authorization', 'x-tika-ocrlanguage'].map((name) =>
        request!.header(name),
      ),
    ).toEqual(['text/html', 'image/png', 'attachment; filename="__.png"', `Basic ${btoa('ada:pw')}`, 'deu'])
  })

  test("Unstructured's API is asked for elements, and their pages are those of ours", async () => {
    server.script(answer(200, { 'content-type': 'application/json' }, await recorded('unstructured.json')))
    const { doc_id: id, warnings } = await read(html('Unread two.'), { chunker: 'page' })
    expect(warnings).toEqual([])
    expect((await app.hits({ query: 'dividend', mode: 'keyword', doc_id: id }))[0]).toMatchObject({ page: 2 })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/general/v0/general' })
    expect(request!.header('unstructured-api-key')).toBe('uk')
    expect(bodyOf(request!)).toContain('name="strategy"\r\n\r\nauto\r\n')
    expect(bodyOf(request!)).toContain('name="files"; filename="page.html"\r\nContent-Type: text/html\r\n\r\n<!doctype')
  })
})

describe('a reader that gives nothing usable leaves the file to the built-in reader, with a warning', () => {
  test.each<[string, () => Behaviour, RegExp]>([
    ['refuses the file', () => json({ detail: 'no' }, 422), /elements answered with status 422\./],
    ['breaks down at it', () => json({}, 500), /answered with status 500\./],
    ['found nothing', () => json([]), /found no text in it\./],
    ['has no content', () => [head(204)], /found no content in it\./],
    ['answers with something else', () => answer(200, {}, '<html>'), /gave an answer that cannot be used\./],
    ['refuses the credential', () => json({}, 401), /refused the credential\./],
    ['has too many requests', () => json({}, 429), /had too many requests\./],
    ['sends the file elsewhere', () => redirect('http://127.0.0.1:1/'), /is not at this address \(status 302\)\./],
    ['is down behind its proxy', () => json({}, 503), /answered with status 503\./],
    ['breaks off', () => cutBody([]), /gave no complete answer\./],
    ['closes the connection', () => [reset], /gave no complete answer\./],
    ['answers without an end', () => endlessStream('x'.repeat(100_000)), /answered with more than 1048576 bytes\./],
  ])('one that %s', async (_what, behaviour, warning) => {
    server.script(() => behaviour())
    const { state, doc_id: id, warnings } = await read(html(`A ${_what}.`))
    expect(state).toBe('completed')
    expect(await textOf(id)).toBe(`A ${_what}.`)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(warning)
    expect(warnings[0]).toEndWith('The file was read by the built-in reader.')
    expect(server.requests).toHaveLength(1)
  })

  test('a task that fails, and one that is none', async () => {
    server.script(docling(['failure'], ''))
    expect((await read(pdfItem('Three.'))).warnings[0]).toStartWith('The reader layout could not convert it.')
    server.script(json({ detail: 'x' }))
    expect((await read(pdfItem('Four.'))).warnings[0]).toStartWith('The reader layout did not answer as docling')
  })

  test('one that is silent costs its time once; the next files do not wait for it until it is asked again', async () => {
    server.script([hang])
    const first = await read(rtf('Silent one.'))
    expect(first.warnings[0]).toStartWith('The reader quick did not answer within 0.2 seconds.')
    const later = await Promise.all(['a', 'b', 'c'].map((each) => read(rtf(`Silent ${each}.`))))
    for (const { warnings } of later) expect(warnings[0]).toStartWith('The reader quick did not answer a moment ago.')
    expect(server.requests).toHaveLength(1)
    app.advance(31_000)
    server.script(answer(200, {}, '<p>Heard.</p>'))
    const { doc_id: id, warnings } = await read(rtf('Silent no more.'))
    expect([await textOf(id), warnings]).toEqual(['Heard.', []])
  })
})

describe('a type that is read nowhere else', () => {
  const archive = { name: 'a.rar', bytes: base64(Buffer.from('Rar!\x1a\x07\x01\0 and so on', 'latin1')) }

  test('is taken where its reader is named, and refused where not', async () => {
    await app.invalid(archive, 'unsupported_type')
    server.script(answer(200, {}, '<p>Unpacked.</p>'))
    const { doc_id: id, state, reader } = await read(archive, { reader: 'office' })
    expect([state, reader, await textOf(id)]).toEqual(['completed', { name: 'office' }, 'Unpacked.'])
    expect(server.requests[0]!.header('content-type')).toBe('application/octet-stream')
  })

  test('waits for its reader where that is away, and fails where it refuses the file', async () => {
    server.script(json({}, 503))
    const [waiting] = await app.accepted([{ ...archive, category: 'other' }], { reader: 'office' })
    await eventually(async () => (await app.record(waiting!)).error !== null)
    const { error } = await app.record(waiting!)
    expect(error).toMatchObject({ code: 'reader_unavailable', stage: 'reading', retryable: true })
    expect(error!.message).toBe('The reader office answered with status 503.')
    server.script(json({}, 422))
    app.advance(31_000)
    const refused = await app.ended(waiting!)
    expect([refused.state, refused.error?.code]).toEqual(['failed', 'unsupported_type'])
  })
})

test('a named reader reads every type, and text without a reader is read here without a question', async () => {
  server.script(answer(200, {}, '<p>By name.</p>'))
  const { doc_id: named } = await read({ name: 'n.txt', bytes: 'Named.' }, { reader: 'office' })
  expect(await textOf(named)).toBe('By name.')
  server.forget()
  const { doc_id: plain } = await read({ name: 'p.txt', bytes: 'Plain.' })
  expect([await textOf(plain), server.requests.length]).toEqual(['Plain.', 0])
})

test('the calls are counted by reader and outcome, and no credential is in the log or the settings', async () => {
  const exposition = await (await app.operate('GET', '/settings')).text()
  const metrics = await app.app.exposition()
  for (const outcome of ['answered', 'refused', 'away'])
    expect(metrics.includes(`sluice_reader_call_seconds_count{reader="elements",outcome="${outcome}"}`)).toBe(true)
  expect(exposition + app.log()).not.toMatch(/ada:pw|"uk"|"dk"/)
})

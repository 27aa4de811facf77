/** Items that name a web address: accepted at once, fetched by the worker, under rules that no page can change. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { deflateSync, gzipSync, brotliCompressSync } from 'node:zlib'
import { idle, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'

let app: DocumentsApp
let site: Bun.Server<undefined>
let origin: string
let requests: string[] = []
const robots = (): Response => new Response('User-agent: *\nDisallow: /private\n')
let page: (request: Request, path: string) => Response | Promise<Response>
const held = new Set<() => void>()

beforeAll(async () => {
  site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      requests.push(pathname)
      return pathname === '/robots.txt' ? robots() : page(request, pathname)
    },
  })
  origin = `http://127.0.0.1:${site.port}`
  app = await startDocuments({
    set: [
      'documents.urls_allow_private=true',
      'documents.source_timeout_seconds=1',
      'documents.max_file_bytes=200000',
      'documents.max_attempts=1',
    ],
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await site.stop(true)
})
afterEach(() => {
  for (const release of held) release()
  requests = []
})

const item = (path: string, fields: object = {}) => ({ name: 'page', url: origin + path, ...fields })
const html = (body: string, init?: ResponseInit) =>
  new Response(body, { headers: { 'content-type': 'text/html' }, ...init })
const textOf = async (id: string) => (await app.chunks(id)).map(({ text }) => text).join('\n\n')

test('a page is fetched, its text is read, and its bytes are those of a document like any other', async () => {
  const text = 'The margay climbs down trees head first, which few cats can do as well as it does. '.repeat(4)
  const body = `<title>Margay</title><link rel="canonical" href="https://cats.example/margay"><nav>Menu</nav><div class="cookie-banner">We value you</div><main><h1>Margay</h1><p>${text}</p></main>`
  page = () => html(body, { headers: { etag: '"v1"' } })
  const record = await app.imported(item('/margay#top', { metadata: { shelf: 3 } }))
  expect(record).toMatchObject({
    state: 'completed',
    title: 'Margay',
    source: 'web',
    source_id: `${origin}/margay`,
    source_version: '"v1"',
    media_type: 'text/html',
    bytes: body.length,
    reader: { name: 'auto', main_text: true },
    metadata: { shelf: 3, canonical_url: 'https://cats.example/margay' },
  })
  expect(await textOf(record.doc_id)).toBe(`# Margay\n\n${text.trim()}`)
  const file = await app.request('GET', `/api/v1/document/${record.doc_id}/file`)
  expect(await file.text()).toBe(body)
  expect(requests).toEqual(['/robots.txt', '/margay'])
  expect(await app.onTheirWay()).toEqual([])
})

test('another import of the address looks at the page again and takes the place of what was there', async () => {
  page = () => html('<p>Old ocelot.</p>')
  const first = await app.imported(item('/again'))
  page = () => html('<p>New ocelot.</p>')
  const second = await app.imported(item('/again'))
  expect([second.doc_id, second.version]).toEqual([first.doc_id, 2])
  expect(await textOf(first.doc_id)).toBe('New ocelot.')
  // What was there stays when the address is gone.
  page = () => new Response('', { status: 404 })
  const third = await app.imported(item('/again'))
  expect([third.doc_id, third.state, third.searchable]).toEqual([first.doc_id, 'failed', true])
  expect(await textOf(first.doc_id)).toBe('New ocelot.')
})

test('the content decides what it is, whatever the server calls it, and packed answers are unpacked', async () => {
  const pdf = writePdf({ pages: [{ texts: column(['A portable puma.']) }] })
  page = () => new Response(pdf, { headers: { 'content-type': 'text/html' } })
  const read = await app.imported(item('/x.html'))
  expect([read.media_type, await textOf(read.doc_id)]).toEqual(['application/pdf', 'A portable puma.'])
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    page = () => new Response(pack(`<p>Packed by ${encoding}.</p>`), { headers: { 'content-encoding': encoding } })
    expect(await textOf((await app.imported(item(`/${encoding}`))).doc_id)).toBe(`Packed by ${encoding}.`)
  }
  page = () => html('<nav>A</nav><p>All of it.</p><aside>Beside.</aside>')
  const whole = await app.imported(item('/whole'), { reader: { name: 'html', main_text: false } })
  expect(await textOf(whole.doc_id)).toBe('All of it.\n\nBeside.')
})

const endless = (piece: string): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from(piece)),
    }),
  )
const silent = (): Promise<Response> => new Promise((resolve) => held.add(() => resolve(new Response(''))))
const to = (location: string): Response => new Response('', { status: 302, headers: { location } })

describe('a page that cannot be had fails the document with one sentence', () => {
  test.each<[string, typeof page, string, RegExp]>([
    ['is not there', () => new Response('', { status: 404 }), 'fetch_failed', /answered with status 404\.$/],
    ['is not changed, which nobody asked', () => new Response(null, { status: 304 }), 'fetch_failed', /status 304\.$/],
    ['has no content', () => new Response(''), 'no_text', /no content/],
    ['leads to itself', (_request, path) => to(path), 'fetch_failed', /redirects more than 5 times\.$/],
    ['leads on and on', (_request, path) => to(`${path}x`), 'fetch_failed', /redirects more than 5 times\.$/],
    ['leads to no web address', () => to('file:///etc/passwd'), 'fetch_failed', /redirects to no web address\.$/],
    [
      'leads to what robots.txt forbids',
      () => to('/private/a'),
      'fetch_failed',
      /robots\.txt of .* forbids this address\.$/,
    ],
    ['never ends', () => endless('x'.repeat(1000)), 'too_complex', /larger than 200000 bytes/],
    ['never begins', silent, 'fetch_failed', /did not answer within 1 seconds\.$/],
    [
      'unpacks to far more than it is',
      () => new Response(gzipSync(Buffer.alloc(50_000_000)), { headers: { 'content-encoding': 'gzip' } }),
      'too_complex',
      /larger than 200000 bytes/,
    ],
    [
      'is packed in part',
      () => new Response(gzipSync('x'.repeat(1000)).subarray(0, 20), { headers: { 'content-encoding': 'gzip' } }),
      'fetch_failed',
      /cannot be unpacked\.$/,
    ],
    [
      'is packed as nothing known',
      () => new Response('x', { headers: { 'content-encoding': 'zzz' } }),
      'fetch_failed',
      /encoding .* not known\.$/,
    ],
  ])('one that %s', async (what, behaviour, code, message) => {
    page = behaviour
    const { state, error } = await app.imported(item(`/${what.replaceAll(' ', '-')}`))
    expect([state, error?.code]).toEqual(['failed', code])
    expect(error?.message).toMatch(message)
    expect(await app.onTheirWay()).toEqual([])
  })

  test('one that robots.txt forbids is not asked for', async () => {
    const { error } = await app.imported(item('/private/lair'))
    expect(error).toMatchObject({ code: 'fetch_failed', retryable: false })
    expect(requests).not.toContain('/private/lair')
  })
})

test('what may pass is tried again, and a person can have it tried again', async () => {
  page = () => new Response('', { status: 503 })
  const first = await app.imported(item('/later'))
  expect(first.error).toMatchObject({ code: 'fetch_failed', retryable: true })
  page = () => html('<p>Back again.</p>')
  await app.request('POST', `/api/v1/document/${first.doc_id}/retry`)
  const again = await app.ended(first.doc_id)
  expect([again.state, again.version, await textOf(first.doc_id)]).toEqual(['completed', 1, 'Back again.'])
})

describe('an item', () => {
  test.each<[string, object, string]>([
    ['with bytes and a url', { bytes: 'x' }, 'bytes_and_path'],
    ['with a path and a url', { path: '/x' }, 'bytes_and_path'],
    ['with a doc_id and a url', { doc_id: crypto.randomUUID() }, 'invalid_field'],
    ['with a password in its url', { url: 'http://a:b@example.com/' }, 'invalid_field'],
    ['with a file as url', { url: 'file:///etc/passwd' }, 'invalid_field'],
    ['with a url that is none', { url: 'example.com' }, 'invalid_field'],
  ])('%s is invalid', async (_what, fields, code) => {
    await app.invalid(item('/x', fields), code)
    expect(requests).toEqual([])
  })

  test('can say what its source and its file are called', async () => {
    page = () => html('<p>Named.</p>')
    const record = await app.imported(item('/n', { source: 'cats', source_id: 'named', source_version: '7' }))
    expect([record.source, record.source_id, record.source_version]).toEqual(['cats', 'named', '7'])
  })
})

test('private addresses are refused by default, by name, by number and behind a redirect; and urls can be switched off', async () => {
  await using strict = await startDocuments({ set: ['documents.max_attempts=1'] })
  const targets = [origin, origin.replace('127.0.0.1', 'localhost'), origin.replace('127.0.0.1', '[::ffff:127.0.0.1]')]
  for (const target of targets) {
    const { error } = await strict.imported({ name: 'x', url: `${target}/x` })
    expect(error?.message).toMatch(/has a private address\. .* documents\.urls_allow_private is true\.$/)
  }
  expect(requests).toEqual([])
  await using off = await startDocuments({ set: [...idle, 'documents.import_urls=false'] })
  await off.invalid({ name: 'x', url: 'https://example.com/' }, 'invalid_url')
})

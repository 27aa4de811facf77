/** How the files of the web console are handed out, and what stays as it is where they are not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readConsoleFiles } from '#console/console-files.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

const page = '<!doctype html><title>Console</title>'
const script = 'export const answer = 42;\n'.repeat(40)
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }

let directory: string
let app: AdminApp
let plain: AdminApp
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-console-'))
  await mkdir(join(directory, 'assets'))
  await Bun.write(join(directory, 'index.html'), page)
  await Bun.write(join(directory, 'assets/index-abc.js'), script)
  await Bun.write(join(directory, 'assets/index-abc.js.gz'), gzipSync(script))
  await Bun.write(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await Bun.write(join(directory, 'notes.md'), 'not a file of the console')
  const consoleFiles = readConsoleFiles(directory)
  if (consoleFiles === null) throw new Error('no files')
  app = await startAdminApp({ consoleFiles })
  plain = await startAdminApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

interface Body {
  readonly error?: { readonly code: string }
  readonly openapi?: string
  readonly status?: string
}

const bodyOf = async (answer: Response): Promise<Body> => (await answer.json()) as Body

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(app.url + path, { method, headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' })

describe('the page of the console', () => {
  test('is at / and at every address that a browser opens', async () => {
    for (const path of ['/', '/keys', '/models/a/b', '/sign-in?return=%2Fkeys', '/index.html']) {
      const answer = await get(path, html)
      expect([path, answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
        page,
      ])
    }
  })

  test('may load nothing from elsewhere, be framed nowhere, and is asked for anew each time', async () => {
    for (const path of ['/', '/keys']) {
      const { headers } = await get(path, html)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-cache')
    }
  })

  test('is 304 for who has it already', async () => {
    const etag = (await get('/', html)).headers.get('etag') ?? ''
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
      const answer = await get('/', { ...html, 'if-none-match': known })
      expect([known, answer.status, await answer.text()]).toEqual([known, 304, ''])
    }
    expect((await get('/', { ...html, 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('is not there for other methods, nor for clients that want no page', async () => {
    for (const [path, method, headers] of [
      ['/keys', 'POST', html],
      ['/keys', 'GET', { accept: 'application/json' }],
      ['/keys', 'GET', {}],
    ] as const) {
      const answer = await get(path, headers, method)
      expect([method, answer.status, (await bodyOf(answer)).error?.code]).toEqual([method, 404, 'not_found'])
    }
  })

  test('answers HEAD with the headers alone', async () => {
    const answer = await get('/keys', html, 'HEAD')
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      200,
      String(page.length),
      '',
    ])
  })
})

describe('a file of the console', () => {
  test('with the digest of its content in the name is kept for ever', async () => {
    const answer = await get('/assets/index-abc.js')
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      script,
    ])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
  })

  test('comes compressed to who takes it, and only to them', async () => {
    const encodings = { gzip: 'gzip', 'gzip;q=0': null, 'br, gzip;q=0.5': 'gzip', identity: null, '': null }
    const tags = new Set<string | null>()
    for (const [accepted, encoding] of Object.entries(encodings)) {
      const answer = await get('/assets/index-abc.js', { 'accept-encoding': accepted })
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, encoding])
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(await answer.text()).toBe(script)
      tags.add(answer.headers.get('etag'))
    }
    expect(tags.size).toBe(2)
  })

  test('that does not exist is 404, also for a browser', async () => {
    for (const path of [
      '/assets/index-old.js',
      '/assets/',
      '/assets/../index.html.gz',
      '/notes.md',
      '/assets/index-abc.js.gz',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    expect((await get('/assets/index-old.js', html)).status).toBe(404)
  })
})

describe('the API', () => {
  test('refuses strangers below its prefixes before anything else, however they ask', async () => {
    for (const path of [
      '/ai/v1/models',
      '/ai/nothing',
      '/api/v1/nothing',
      '/generate',
      '/generatex',
      '/admin/',
      '/admin/api/v1/keys',
    ]) {
      const answer = await get(path, html, path === '/generate' ? 'POST' : 'GET')
      expect([path, answer.status]).toEqual([path, 401])
    }
  })

  test('keeps its addresses: /docs, /openapi.json, /healthz', async () => {
    expect(await (await get('/docs', html)).text()).toContain('API</h1>')
    expect((await bodyOf(await get('/openapi.json', html))).openapi).toBe('3.1.1')
    expect((await bodyOf(await get('/healthz', html))).status).toBe('ok')
  })
})

test('without a built console / leads to the page about the API, and other addresses are 404', async () => {
  const answer = await fetch(`${plain.url}/`, { headers: html, redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs'])
  expect((await fetch(`${plain.url}/keys`, { headers: html })).status).toBe(404)
  expect(readConsoleFiles(join(directory, 'assets'))).toBeNull()
})

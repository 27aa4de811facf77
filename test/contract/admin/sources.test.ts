/** Sources in the admin API, and what their runs do: buckets, WebDAV folders and sites, well and badly behaved. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SourceClient } from '#documents/web/source-client.ts'
import { systemClock } from '#lib/clock.ts'
import { Ticker } from '#lib/ticker.ts'
import { Secret } from '#lib/secret.ts'
import { signature } from '#documents/sources/s3-listing.ts'
import { eventually, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { multistatus, response, startRemote, type Remote } from '#test/support/sources/remote.ts'

interface SourceOnWire {
  readonly id: string
  readonly name: string
  readonly has_credential: boolean
  readonly last_run: {
    readonly outcome: string
    readonly begun_at: string
    readonly errors: readonly string[]
  } | null
}

let app: DocumentsApp
let remote: Remote
let added: string[] = []
beforeAll(async () => {
  const set = ['documents.sources_allow_private=true', 'documents.source_timeout_seconds=2']
  app = await startDocuments({ set })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void (remote = startRemote()))
afterEach(async () => {
  for (const id of added) await app.operate('DELETE', `/sources/${id}`)
  added = []
  await remote[Symbol.asyncDispose]()
})

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await app.operate(method, path, body)
  return (answer.status === 204 ? null : await answer.json()) as T
}

async function add(kind: string, path: string, fields: object = {}): Promise<SourceOnWire> {
  const body = { name: crypto.randomUUID(), kind, url: remote.origin + path, user_id: app.keys.main.userId, ...fields }
  const source = await call<SourceOnWire>('POST', '/sources', body)
  expect(source).toMatchObject({ name: body.name, kind, last_run: null })
  added.push(source.id)
  return source
}

/** The run after the one that is known. */
async function ran(id: string, before: string | null = null) {
  let found: SourceOnWire | null = null
  await eventually(async () => {
    found = await call<SourceOnWire>('GET', `/sources/${id}`)
    return found.last_run !== null && found.last_run.begun_at !== before
  })
  return found!.last_run!
}

async function again(id: string) {
  const { last_run: last } = await call<SourceOnWire>('GET', `/sources/${id}`)
  await call('POST', `/sources/${id}/run`)
  return ran(id, last?.begun_at ?? null)
}

const namesOf = async (id: string) => {
  const response_ = await app.request('GET', `/api/v1/documents/manifest?source=source:${id}`)
  const { data } = (await response_.json()) as { data: { source_id: string; state: string; doc_id: string }[] }
  for (const { doc_id: each } of data) await app.ended(each)
  return data.map(({ source_id: name }) => name).toSorted()
}

const kinds = [
  {
    kind: 's3',
    path: '/bucket/docs/',
    credential: 'AKID:secret',
    scheme: 'AWS4-HMAC-SHA256 ',
    id: (name: string) => name,
  },
  { kind: 'webdav', path: '/dav/docs', credential: 'ada:pass', scheme: 'Basic ', id: (name: string) => name },
  {
    kind: 'sitemap',
    path: '/sitemap.xml',
    credential: null,
    scheme: null,
    id: (name: string) => `${remote.origin}/site/docs/${encodeURI(name)}`,
  },
]

for (const { kind, path, credential, scheme, id } of kinds)
  test(`${kind}: new, changed and deleted files reach the documents, and a dry run says so before`, async () => {
    for (const [name, text] of Object.entries({
      'a.txt': 'An aardvark.',
      'deep/b ü.txt': 'A badger.',
      'c.txt': 'A civet.',
    }))
      remote.files.set(`docs/${name}`, text)
    const source = await add(kind, path, { credential, every_minutes: 1000 })
    expect(source.has_credential).toBe(credential !== null)
    expect(JSON.stringify(await call('GET', '/sources'))).not.toContain('secret"')
    expect(await ran(source.id)).toMatchObject({ outcome: 'completed', imported: 3, failed: 0, deleted: 0, errors: [] })
    expect(await namesOf(source.id)).toEqual(['a.txt', 'c.txt', 'deep/b ü.txt'].map(id).toSorted())
    if (scheme !== null) expect(remote.lastAuthorization()).toStartWith(scheme)
    expect(await again(source.id)).toMatchObject({ imported: 0, unchanged: 3 })

    remote.files.set('docs/a.txt', 'A changed albatross.')
    remote.files.delete('docs/c.txt')
    const planned = await call<{ data: { change: string; file: string }[] }>('POST', `/sources/${source.id}/dry-run`)
    expect(planned.data).toEqual([
      { change: 'changed', file: id('a.txt') },
      { change: 'deleted', file: id('c.txt') },
    ])
    expect(await again(source.id)).toMatchObject({ imported: 1, deleted: 1, unchanged: 1 })
    expect(await namesOf(source.id)).toEqual(['a.txt', 'deep/b ü.txt'].map(id).toSorted())
    const hits = await app.hits({ query: 'albatross aardvark', mode: 'keyword' })
    expect(hits.map(({ text }) => text)).toContain('A changed albatross.')
    expect(hits.map(({ text }) => text)).not.toContain('An aardvark.')
    // An answer that has lost everything deletes nothing.
    remote.files.clear()
    expect(await again(source.id)).toMatchObject({ outcome: 'failed', deleted: 0 })
    expect(await namesOf(source.id)).toHaveLength(2)
  })

describe('a server that lies, loops or never ends', () => {
  const own = '<D:resourcetype><D:collection/></D:resourcetype>'

  test('WebDAV: folders outside, folders twice and names that climb are left alone', async () => {
    remote.files.set('docs/a.txt', 'An antelope.')
    remote.fault = (request) => {
      if (request.method !== 'PROPFIND' || !new URL(request.url).pathname.endsWith('/docs/')) return null
      const hrefs = [
        '/dav/docs/',
        '/dav/docs/',
        '/dav/',
        '/etc/',
        '/dav/docs/../../x/',
        'http://127.0.0.1:1/dav/docs/x',
      ]
      const file = response('/dav/docs/a.txt', '<D:resourcetype/><D:getetag>"1"</D:getetag>')
      return multistatus([...hrefs.map((href) => response(href, own)), file])
    }
    const source = await add('webdav', '/dav/docs/')
    expect(await ran(source.id)).toMatchObject({ outcome: 'completed', imported: 1 })
    expect(remote.requests.filter((each) => each.startsWith('PROPFIND'))).toEqual(['PROPFIND /dav/docs/'])
  })

  test('S3: the same page for ever, and what is no list, end as failures with one sentence', async () => {
    const looping = '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>'
    remote.fault = () => new Response(`<ListBucketResult>${looping}</ListBucketResult>`)
    const source = await add('s3', '/bucket/')
    expect(await ran(source.id)).toMatchObject({
      outcome: 'failed',
      errors: [expect.stringContaining('again and again')],
    })
    remote.fault = () => new Response('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
    expect(await again(source.id)).toMatchObject({
      outcome: 'failed',
      errors: [expect.stringContaining('list of objects')],
    })
  })

  test('an answer that never ends is given up, and one file that fails leaves the others', async () => {
    remote.files.set('docs/a.txt', 'A first ant.')
    remote.files.set('docs/b.txt', 'A second bee.')
    remote.fault = (request) =>
      request.url.endsWith('/docs/a.txt') ? new Response(new ReadableStream({ pull: () => Bun.sleep(1e6) })) : null
    const source = await add('s3', '/bucket/docs/')
    expect(await ran(source.id)).toMatchObject({
      outcome: 'completed',
      imported: 1,
      failed: 1,
      errors: [expect.stringMatching(/^a\.txt: .* did not answer within 2 seconds/)],
    })
    remote.fault = () => null
    expect(await again(source.id)).toMatchObject({ imported: 1, failed: 0, unchanged: 1 })
  })

  test('a redirect tells another server no credential', async () => {
    await using other = startRemote()
    other.files.set('docs/a.txt', 'A redirected adder.')
    remote.files.set('docs/a.txt', 'x')
    remote.fault = (request) =>
      request.url.endsWith('/docs/a.txt') ? Response.redirect(`${other.origin}/dav/docs/a.txt`, 302) : null
    const source = await add('webdav', '/dav/docs/', { credential: 'ada:pass' })
    expect(await ran(source.id)).toMatchObject({ imported: 1 })
    expect([other.requests.length, other.lastAuthorization()]).toEqual([1, null])
  })
})

test('a private address is refused unless the operator allows it, and a name that leads to one', async () => {
  using ticker = new Ticker()
  using client = new SourceClient({
    clock: systemClock,
    ticker,
    allowsPrivate: () => false,
    allowedBy: 'x',
    timeoutMs: () => 5000,
  })
  const { signal } = new AbortController()
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = new URL(remote.origin.replace('127.0.0.1', host))
    const failure = await client.text({ url, signal }, 1000).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ message: expect.stringContaining('private address') as string })
  }
  expect(remote.requests).toEqual([])
})

test('what robots.txt forbids is not fetched', async () => {
  remote.files.set('private/x.html', '<p>Secret.</p>')
  remote.files.set('open.html', '<title>Open</title><p>An open ocelot.</p>')
  const source = await add('sitemap', '/sitemap.xml')
  expect(await ran(source.id)).toMatchObject({ imported: 1 })
  expect(remote.requests.some((each) => each.includes('private'))).toBe(false)
})

test('fields are checked, names are unique, a credential does not follow to another server', async () => {
  const source = await add('s3', '/bucket/', { credential: 'AKID:secret' })
  const body = { name: source.name, kind: 's3', url: remote.origin, user_id: app.keys.main.userId }
  expect((await app.operate('POST', '/sources', body)).status).toBe(409)
  expect((await app.operate('POST', '/sources', { ...body, name: 'x', url: 'file:///etc' })).status).toBe(422)
  expect((await app.operate('POST', '/sources', { ...body, name: 'x', url: 'http://a:b@c/' })).status).toBe(422)
  expect((await app.operate('POST', '/sources', { ...body, name: 'x', user_id: crypto.randomUUID() })).status).toBe(404)
  const path = `/sources/${source.id}`
  expect(await call('PATCH', path, { every_minutes: 5, enabled: false })).toMatchObject({ has_credential: true })
  expect(await call('PATCH', path, { url: 'https://elsewhere.example.org/b/' })).toMatchObject({
    has_credential: false,
  })
})

test('requests to S3 are signed as its documentation has them', () => {
  const credential = new Secret('AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')
  const url = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J')
  const { authorization } = signature(url, { region: 'us-east-1', credential, at: new Date('2013-05-24T00:00:00Z') })
  expect(authorization).toEndWith('Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7')
})

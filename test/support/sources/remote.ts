/** A server that is a bucket, a WebDAV folder and a site at once, for tests of sources; it can misbehave. */
import { createHash } from 'node:crypto'

export interface Remote extends AsyncDisposable {
  readonly origin: string
  /** Contents by path: `a/b.txt`. */
  readonly files: Map<string, string>
  /** Requests in their order: method, path and query. */
  readonly requests: string[]
  /** Authorization of the last request. */
  readonly lastAuthorization: () => string | null
  /** Answers in place of the server, or null to let it answer. */
  fault: (request: Request) => Response | Promise<Response> | null
}

export function startRemote(): Remote {
  const files = new Map<string, string>()
  const requests: string[] = []
  let authorization: string | null = null
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      requests.push(`${request.method} ${url.pathname}${url.search}`)
      authorization = request.headers.get('authorization')
      const fault = await remote.fault(request)
      if (fault !== null) return fault
      const [, area = '', ...rest] = url.pathname.split('/')
      const path = decodeURIComponent(rest.join('/'))
      if (area === 'bucket' && path === '') return list(url, files)
      if (area === 'dav' && request.method === 'PROPFIND') return folder(url, path, files)
      if (area === 'sitemap.xml') return sitemap(url, files)
      if (area === 'robots.txt') return new Response('User-agent: *\nDisallow: /site/private\n')
      const content = files.get(path)
      return content === undefined ? new Response('', { status: 404 }) : new Response(content)
    },
  })
  const remote: Remote = {
    origin: `http://127.0.0.1:${server.port}`,
    files,
    requests,
    lastAuthorization: () => authorization,
    fault: () => null,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return remote
}

const pageSize = 2

function list(url: URL, files: ReadonlyMap<string, string>): Response {
  const prefix = url.searchParams.get('prefix') ?? ''
  const all = [...files].filter(([name]) => name.startsWith(prefix)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const from = Number(url.searchParams.get('continuation-token') ?? 0)
  const contents = all
    .slice(from, from + pageSize)
    .map(
      ([name, text]) =>
        `<Contents><Key>${encodeURIComponent(name)}</Key><ETag>&quot;${etagOf(text)}&quot;</ETag><Size>${Buffer.byteLength(text)}</Size></Contents>`,
    )
  const more = from + pageSize < all.length
  const token = more ? `<NextContinuationToken>${from + pageSize}</NextContinuationToken>` : ''
  return new Response(
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`,
  )
}

function folder(url: URL, path: string, files: ReadonlyMap<string, string>): Response {
  const here = new Map<string, string | null>()
  for (const [name, text] of files) {
    if (!name.startsWith(path)) continue
    const [first = '', ...others] = name.slice(path.length).split('/')
    here.set(others.length > 0 ? `${first}/` : first, others.length > 0 ? null : text)
  }
  const responses = [...here].map(([name, text]) => {
    const href = url.pathname + name.split('/').map(encodeURIComponent).join('/')
    const props =
      text === null
        ? '<D:resourcetype><D:collection/></D:resourcetype>'
        : `<D:resourcetype/><D:getetag>"${etagOf(text)}"</D:getetag><D:getcontentlength>${Buffer.byteLength(text)}</D:getcontentlength>`
    return response(href, props)
  })
  const own = response(url.pathname, '<D:resourcetype><D:collection/></D:resourcetype>')
  return multistatus([own, ...responses])
}

export function response(href: string, props: string): string {
  return `<D:response><D:href>${href}</D:href><D:propstat><D:prop>${props}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
}

export function multistatus(responses: readonly string[]): Response {
  const body = `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses.join('')}</D:multistatus>`
  return new Response(body, { status: 207 })
}

function sitemap(url: URL, files: ReadonlyMap<string, string>): Response {
  const pages = [...files].map(
    ([name, text]) => `<url><loc>${url.origin}/site/${encodeURI(name)}</loc><lastmod>${etagOf(text)}</lastmod></url>`,
  )
  const other = '<url><loc>http://127.0.0.1:1/elsewhere</loc></url>'
  return new Response(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}${other}</urlset>`)
}

function etagOf(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

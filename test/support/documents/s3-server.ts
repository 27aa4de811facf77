/**
 * An S3-compatible store in memory: one bucket, path-style addresses, and of the API what storing files
 * takes: objects, uploads in parts, lists in pages. Every request is checked for a valid signature.
 * Sources: Amazon S3 API Reference; AWS Signature Version 4 for API requests.
 */
import { createHash, createHmac } from 'node:crypto'

export interface S3Request {
  readonly method: string
  /** Of the object; empty for the bucket itself. */
  readonly key: string
}

export interface S3Server extends AsyncDisposable {
  readonly url: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Environment of a Sluice that keeps its files here. */
  readonly environment: Readonly<Record<string, string>>
  /** Contents by key. */
  readonly objects: Map<string, Uint8Array>
  /** All that were answered, refused ones included. */
  readonly requests: readonly S3Request[]
  /** Uploads in parts that were neither completed nor aborted. */
  readonly unfinished: () => number
  /** Connections are refused until `up`. */
  down(): Promise<void>
  up(): void
  /** Answers every request, or those of one method, with this status until it is null again. */
  answerWith(status: number | null, method?: string): void
}

export interface S3ServerOptions {
  /** Objects on one page of a list. */
  readonly pageSize?: number
}

interface Upload {
  readonly key: string
  readonly parts: Map<number, Uint8Array>
}

const accessKeyId = 'AKIATESTONLY'
const secretAccessKey = 'only-for-tests/0123456789'
const bucket = 'sluice-test'

/** Listens until it is disposed. */
export function startS3({ pageSize = 1000 }: S3ServerOptions = {}): S3Server {
  const objects = new Map<string, Uint8Array>()
  const uploads = new Map<string, Upload>()
  const requests: S3Request[] = []
  let refusal: { readonly status: number; readonly method: string | undefined } | null = null
  const store = { objects, uploads, pageSize }
  const listen = (port: number) =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const url = new URL(request.url)
        const [, ofBucket, key] = /^\/([^/]+)\/?(.*)$/.exec(url.pathname) ?? []
        const named = { method: request.method, key: decodeURIComponent(key ?? '') }
        requests.push(named)
        const body = await request.bytes()
        if (refusal !== null && (refusal.method ?? request.method) === request.method)
          return failure(refusal.status, 'ServiceUnavailable')
        if (ofBucket !== bucket) return failure(404, 'NoSuchBucket')
        const code = signatureProblem(request, url)
        if (code !== null) return failure(403, code)
        return answer(store, { ...named, query: url.searchParams, body })
      },
    })
  let server: ReturnType<typeof listen> | null = listen(0)
  const port = Number(server.port)
  const url = `http://127.0.0.1:${port}`
  const down = async (): Promise<void> => {
    await server?.stop(true)
    server = null
  }
  return {
    url,
    bucket,
    accessKeyId,
    secretAccessKey,
    environment: {
      SLUICE_DOCUMENTS_S3_URL: url,
      SLUICE_DOCUMENTS_S3_BUCKET: bucket,
      SLUICE_DOCUMENTS_S3_ACCESS_KEY_ID: accessKeyId,
      SLUICE_DOCUMENTS_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    objects,
    requests,
    unfinished: () => uploads.size,
    down,
    up: () => void (server ??= listen(port)),
    answerWith: (status, method) => void (refusal = status === null ? null : { status, method }),
    [Symbol.asyncDispose]: down,
  }
}

interface Store {
  readonly objects: Map<string, Uint8Array>
  readonly uploads: Map<string, Upload>
  readonly pageSize: number
}

interface Asked extends S3Request {
  readonly query: URLSearchParams
  readonly body: Uint8Array
}

function answer(store: Store, asked: Asked): Response {
  const { objects } = store
  const { method, key, query, body } = asked
  if (key === '') return method === 'GET' ? list(store, query) : failure(405, 'MethodNotAllowed')
  if (query.has('uploads') || query.has('uploadId')) return inParts(store, asked)
  if (method === 'PUT') {
    objects.set(key, body)
    return new Response(null, { headers: { etag: etagOf(body) } })
  }
  if (method === 'DELETE') {
    objects.delete(key)
    return new Response(null, { status: 204 })
  }
  const found = objects.get(key)
  if (found === undefined) return failure(404, 'NoSuchKey')
  const headers = { etag: etagOf(found), 'content-length': String(found.byteLength) }
  if (method === 'HEAD') return new Response(null, { headers })
  return method === 'GET' ? new Response(Buffer.from(found), { headers }) : failure(405, 'MethodNotAllowed')
}

function inParts({ objects, uploads }: Store, { method, key, query, body }: Asked): Response {
  if (method === 'POST' && query.has('uploads')) {
    const id = crypto.randomUUID()
    uploads.set(id, { key, parts: new Map() })
    return xml('InitiateMultipartUploadResult', `<Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`)
  }
  const id = query.get('uploadId') ?? ''
  const upload = uploads.get(id)
  if (upload === undefined || upload.key !== key) return failure(404, 'NoSuchUpload')
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body)
    return new Response(null, { headers: { etag: etagOf(body) } })
  }
  uploads.delete(id)
  if (method === 'DELETE') return new Response(null, { status: 204 })
  const numbers = [...upload.parts.keys()].toSorted((a, b) => a - b)
  const whole = Buffer.concat(numbers.map((number) => upload.parts.get(number) ?? new Uint8Array()))
  objects.set(key, whole)
  return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>${etagOf(whole)}</ETag>`)
}

function list({ objects, pageSize }: Store, query: URLSearchParams): Response {
  const after = query.get('continuation-token') ?? ''
  const matching = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).toSorted()
  const rest = matching.filter((key) => key > after)
  const page = rest.slice(0, pageSize)
  const truncated = rest.length > page.length
  const contents = page.map((key) => {
    const size = objects.get(key)?.byteLength ?? 0
    return `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>${size}</Size></Contents>`
  })
  const next = truncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const facts = `<Name>${bucket}</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${truncated}</IsTruncated>${next}`
  return xml('ListBucketResult', facts + contents.join(''))
}

/** The error code of a request that is not signed with the key, or null. */
function signatureProblem(request: Request, url: URL): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/
  const [, id, scope, signedHeaders, signature] = pattern.exec(request.headers.get('authorization') ?? '') ?? []
  if (id === undefined || scope === undefined || signedHeaders === undefined) return 'AccessDenied'
  if (id !== accessKeyId) return 'InvalidAccessKeyId'
  const headers = signedHeaders.split(';').map((name) => `${name}:${(request.headers.get(name) ?? '').trim()}\n`)
  const pairs = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  const payload = request.headers.get('x-amz-content-sha256') ?? ''
  const query = pairs.toSorted().join('&')
  const canonical = [request.method, url.pathname, query, headers.join(''), signedHeaders, payload].join('\n')
  const digest = createHash('sha256').update(canonical).digest('hex')
  const signed = `AWS4-HMAC-SHA256\n${request.headers.get('x-amz-date') ?? ''}\n${scope}\n${digest}`
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${secretAccessKey}`,
    )
  return createHmac('sha256', key).update(signed).digest('hex') === signature ? null : 'SignatureDoesNotMatch'
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function xml(name: string, inner: string): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?><${name}>${inner}</${name}>`
  return new Response(text, { headers: { 'content-type': 'application/xml' } })
}

function failure(status: number, code: string): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>Refused: ${code}.</Message></Error>`
  return new Response(text, { status, headers: { 'content-type': 'application/xml' } })
}

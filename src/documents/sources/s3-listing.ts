/**
 * Objects of an S3-compatible store below a prefix: ListObjectsV2, signed by Signature Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). By requests of our own, so that addresses are
 * checked as for every source.
 */
import { createHash, createHmac } from 'node:crypto'
import { childOf, eachElementInTurns, textOf, type XmlElement } from '#readers/xml.ts'
import type { Secret } from '#lib/secret.ts'
import type { ListedFile, SourceListing } from './listing.ts'
import type { SourceClient } from '../web/source-client.ts'
import { SourceFailure } from '../web/source-failure.ts'

export interface S3Place {
  /** Endpoint and bucket, and the prefix as the rest of the path: `https://s3.example.com/bucket/prefix/`. */
  readonly url: URL
  readonly region: string
  /** `access key id:secret access key`; null signs nothing. */
  readonly credential: Secret | null
}

const pageBytesMax = 4 * 1024 * 1024
const emptyHash = createHash('sha256').update('').digest('hex')

export function s3Listing(
  { url, region, credential }: S3Place,
  client: SourceClient,
  now: () => number,
): SourceListing {
  const [, bucket = '', ...rest] = url.pathname.split('/')
  const prefix = decodeURIComponent(rest.join('/'))
  const signed = (target: URL): Readonly<Record<string, string>> =>
    credential === null ? {} : signature(target, { region, credential, at: new Date(now()) })
  return {
    versionIsContent: false,
    requestFor: ({ url: target }) => ({ url: target, headers: signed(target) }),
    async *list(signal) {
      const seen = new Set<string>()
      for (let token: string | null = ''; token !== null;) {
        const page = new URL(`/${bucket}`, url)
        page.search = queryOf({
          'list-type': '2',
          prefix,
          'encoding-type': 'url',
          ...(token !== '' && { 'continuation-token': token }),
        })
        const text = await client.text({ url: page, headers: signed(page), signal }, pageBytesMax)
        const { objects, fields } = await listIn(text, url)
        for (const entry of objects) {
          const file = fileOf(entry, { url, bucket, prefix })
          if (file !== null) yield file
        }
        token = fields.get('IsTruncated') === 'true' ? (fields.get('NextContinuationToken') ?? '') : null
        if (token !== null && (token === '' || seen.has(token)))
          throw new SourceFailure('The store gives the same page of its list again and again.')
        if (token !== null) seen.add(token)
      }
    },
  }
}

const listParts = new Set(['Contents', 'IsTruncated', 'NextContinuationToken'])

/** The objects of a page of the list, and what it says about the next one. */
async function listIn(text: string, url: URL) {
  const objects: XmlElement[] = []
  const fields = new Map<string, string>()
  let isList = false
  const note = (element: XmlElement, [root, ...others]: readonly XmlElement[]): void => {
    if (root?.name !== 'ListBucketResult' || others.length > 0) return
    isList = true
    if (element.name === 'Contents') objects.push(element)
    else fields.set(element.name, textOf(element))
  }
  await eachElementInTurns(text, listParts, note).catch(() => (isList = false))
  if (!isList) throw new SourceFailure(`${url.host} did not answer with a list of objects.`)
  return { objects, fields }
}

function fileOf(
  entry: XmlElement,
  { url, bucket, prefix }: { readonly url: URL; readonly bucket: string; readonly prefix: string },
): ListedFile | null {
  const key = decoded(textOf(childOf(entry, 'Key')))
  const bytes = Number(textOf(childOf(entry, 'Size')))
  // A folder is an object that ends with a slash.
  if (!key.startsWith(prefix) || key.endsWith('/') || !Number.isSafeInteger(bytes)) return null
  const version = `${textOf(childOf(entry, 'ETag'))}:${bytes}`
  const target = new URL(url)
  target.search = ''
  // A key may have segments that a URL would resolve.
  const path = key.split('/').map(percentEncoded)
  if (path.some((segment) => segment === '.' || segment === '..')) return null
  target.pathname = `/${bucket}/${path.join('/')}`
  return { id: key.slice(prefix.length) || key, name: key.slice(prefix.length) || key, version, bytes, url: target }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Percent-encoded as RFC 3986 has it, which signatures need. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .toSorted()
    .join('&')
}

/** Headers that sign a GET. The query has to be encoded and sorted. */
export function signature(
  url: URL,
  { region, credential, at }: { readonly region: string; readonly credential: Secret; readonly at: Date },
): Readonly<Record<string, string>> {
  const [keyId = '', secret = ''] = splitOnce(credential.reveal())
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers = { host: url.host, 'x-amz-content-sha256': emptyHash, 'x-amz-date': time }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['GET', url.pathname, url.search.slice(1), lines.join(''), names, emptyHash].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`)
  const { host: _host, ...sent } = headers
  const signed = hmac(key, toSign).toString('hex')
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope},SignedHeaders=${names},Signature=${signed}`,
  }
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(':')
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

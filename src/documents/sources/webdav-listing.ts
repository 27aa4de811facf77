/**
 * Files of a WebDAV server below a collection: PROPFIND, one collection after the other (RFC 4918 section 9.1), since servers
 * refuse an infinite depth. Nothing outside of the collection is followed, and no collection twice.
 */
import type { Secret } from '#lib/secret.ts'
import { childOf, descendantsOf, eachElementInTurns, textOf, type XmlElement } from '#readers/xml.ts'
import type { ListedFile, SourceListing } from './listing.ts'
import type { SourceClient } from '../web/source-client.ts'
import { SourceFailure } from '../web/source-failure.ts'

const answerBytesMax = 16 * 1024 * 1024
const foldersMax = 50_000
const asked =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getetag/><getcontentlength/><getlastmodified/></prop></propfind>'

/** @param credential `user:password` */
export function webdavListing(given: URL, credential: Secret | null, client: SourceClient): SourceListing {
  const root = new URL(given)
  if (!root.pathname.endsWith('/')) root.pathname += '/'
  const own: Readonly<Record<string, string>> =
    credential === null ? {} : { authorization: `Basic ${Buffer.from(credential.reveal()).toString('base64')}` }
  return {
    versionIsContent: false,
    requestFor: ({ url }) => ({ url, headers: own }),
    async *list(signal) {
      const seen = new Set([root.pathname])
      const folders = [root]
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        const headers = { ...own, depth: '1', 'content-type': 'application/xml; charset=utf-8' }
        const request = { method: 'PROPFIND' as const, url: folder, headers, body: asked, signal }
        const text = await client.text(request, answerBytesMax)
        for (const entry of await entriesOf(text, folder, root)) {
          // The collection itself is in its answer, and a server that lies may name another one again.
          if (seen.has(entry.url.pathname)) continue
          seen.add(entry.url.pathname)
          if (entry.file !== null) yield entry.file
          else folders.push(entry.url)
        }
        if (folders.length > foldersMax) throw new SourceFailure(`There are more than ${foldersMax} folders.`)
      }
    },
  }
}

interface Entry {
  readonly url: URL
  /** Null for a collection. */
  readonly file: ListedFile | null
}

const responses = new Set(['response'])

async function entriesOf(text: string, folder: URL, root: URL): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  const note = (response: XmlElement): void => {
    const entry = entryOf(response, folder, root)
    if (entry !== null) entries.push(entry)
  }
  await eachElementInTurns(text, responses, note).catch(() => {
    throw new SourceFailure(`${folder.host} did not answer PROPFIND with valid XML.`)
  })
  return entries
}

function entryOf(response: XmlElement, folder: URL, root: URL): Entry | null {
  const href = textOf(childOf(response, 'href')).trim()
  if (!URL.canParse(href, folder.href)) return null
  const url = new URL(href, folder.href)
  url.search = ''
  url.hash = ''
  // Directly in the folder that was asked for, and so below the root.
  const within = url.pathname.slice(folder.pathname.length).replace(/\/$/, '')
  if (url.origin !== root.origin || !url.pathname.startsWith(folder.pathname) || within === '' || within.includes('/'))
    return null
  const first = (name: string): string => textOf(descendantsOf(response, name)[0] ?? null).trim()
  if (descendantsOf(response, 'collection').length > 0) {
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return { url, file: null }
  }
  const id = decoded(url.pathname.slice(root.pathname.length))
  const size = first('getcontentlength')
  const bytes = /^\d{1,15}$/.test(size) ? Number(size) : null
  const version = first('getetag') || first('getlastmodified')
  return { url, file: { id, name: id, version: `${version}:${size}`.slice(0, 500), bytes, url } }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

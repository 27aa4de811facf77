/**
 * E-books: the chapters in reading order, a page for each file, named as in the table of contents.
 * (EPUB 3.3 and OPF 2.0; open container format.)
 */

import { openArchive } from './archive.ts'
import type { Archive } from './archive.ts'
import { decodeText } from './text/charset.ts'
import { appendHtml } from './html/html.ts'
import { ReadFailure } from './reading.ts'
import type { Reader, Reading, ReadRequest } from './reading.ts'
import { TextBuilder } from './text-builder.ts'
import { attributeOf, childOf, childrenOf, decodeXml, descendantsOf, parseXml, textOf } from './xml.ts'
import type { XmlElement } from './xml.ts'
import { resolvePath } from './office/package.ts'

interface ManifestItem {
  /** Name in the archive. */
  readonly path: string
  readonly mediaType: string
  readonly properties: readonly string[]
}

/** Fonts may be garbled so that they are not simply copied out; everything else that is encrypted needs a key. */
const fontGarbling = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])
const chapterTypes = new Set(['application/xhtml+xml', 'text/html', 'application/xml'])

export const epubReader: Reader = { name: 'epub', read: async (request) => readEpub(request) }

function readEpub({ bytes, mediaType, limits }: ReadRequest): Reading {
  const archive = openArchive(bytes, limits.unpackedBytesMax)
  const packagePath = packagePathIn(archive)
  const root = parsePart(archive, packagePath)
  if (root === null) throw notAnEbook()
  const manifest = readManifest(root, packagePath)
  const spine = childOf(root, 'spine')
  const chapters = childrenOf(spine, 'itemref')
    .map((reference) => manifest.get(attributeOf(reference, 'idref') ?? ''))
    .filter((item) => item !== undefined && chapterTypes.has(item.mediaType)) as ManifestItem[]
  refuseEncrypted(archive, chapters)

  const builder = new TextBuilder(limits)
  const tocId = spine === null ? null : attributeOf(spine, 'toc')
  const labels = readLabels(archive, manifest, tocId)
  for (const { path } of chapters) {
    const content = archive.read(path)
    if (content === null) {
      builder.warn('A chapter that the book names is not in the file; it was left out.')
      continue
    }
    builder.page(labels.get(path) ?? null)
    appendHtml(builder, decodeText(content, { markup: true }).text)
  }
  const title = textOf(childOf(childOf(root, 'metadata'), 'title')).trim()
  return builder.reading({ mediaType, title: title === '' ? null : title })
}

function packagePathIn(archive: Archive): string {
  const container = parsePart(archive, 'META-INF/container.xml')
  const [rootfile] = container === null ? [] : descendantsOf(container, 'rootfile')
  const path = rootfile === undefined ? null : attributeOf(rootfile, 'full-path')
  if (path === null) throw notAnEbook()
  return path
}

/** Items by id. */
function readManifest(root: XmlElement, packagePath: string): ReadonlyMap<string, ManifestItem> {
  const items = new Map<string, ManifestItem>()
  for (const item of childrenOf(childOf(root, 'manifest'), 'item')) {
    items.set(attributeOf(item, 'id') ?? '', {
      path: targetOf(packagePath, attributeOf(item, 'href') ?? ''),
      mediaType: attributeOf(item, 'media-type') ?? '',
      properties: (attributeOf(item, 'properties') ?? '').split(/\s+/),
    })
  }
  return items
}

/** Names of chapters by file, from the table of contents of either version; that of version 3 is a page of the book. */
function readLabels(
  archive: Archive,
  manifest: ReadonlyMap<string, ManifestItem>,
  tocId: string | null,
): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  const add = (from: string, target: string | null, label: string): void => {
    const path = target === null ? '' : targetOf(from, target)
    if (path !== '' && label.trim() !== '' && !labels.has(path)) labels.set(path, label)
  }
  const nav = [...manifest.values()].find(({ properties }) => properties.includes('nav'))
  const ncx = tocId === null ? undefined : manifest.get(tocId)
  for (const { path } of [nav, ncx].filter((item) => item !== undefined)) {
    const toc = parseLenient(archive, path)
    if (toc === null) continue
    for (const part of descendantsOf(toc, 'nav')) {
      if ((attributeOf(part, 'type') ?? 'toc') !== 'toc') continue
      for (const link of descendantsOf(part, 'a')) add(path, attributeOf(link, 'href'), textOf(link))
    }
    for (const point of childrenOf(childOf(toc, 'navMap'), 'navPoint'))
      addPoint(point, (target, label) => add(path, target, label))
  }
  return labels
}

function addPoint(point: XmlElement, add: (target: string | null, label: string) => void): void {
  const content = childOf(point, 'content')
  if (content !== null) add(attributeOf(content, 'src'), textOf(childOf(point, 'navLabel')))
  for (const nested of childrenOf(point, 'navPoint')) addPoint(nested, add)
}

function refuseEncrypted(archive: Archive, chapters: readonly ManifestItem[]): void {
  const root = parsePart(archive, 'META-INF/encryption.xml')
  const paths = new Set(chapters.map(({ path }) => path))
  for (const data of root === null ? [] : descendantsOf(root, 'EncryptedData')) {
    const [method] = descendantsOf(data, 'EncryptionMethod')
    const [reference] = descendantsOf(data, 'CipherReference')
    const path = reference === undefined ? '' : targetOf('', attributeOf(reference, 'URI') ?? '')
    const algorithm = method === undefined ? null : attributeOf(method, 'Algorithm')
    if (paths.has(path) && !fontGarbling.has(algorithm ?? '')) {
      throw new ReadFailure('encrypted', 'The book is copy-protected and cannot be read. Import it without protection.')
    }
  }
}

/** Names of chapters are not worth failing for. */
function parseLenient(archive: Archive, path: string): XmlElement | null {
  try {
    return parsePart(archive, path)
  } catch (error) {
    if (error instanceof ReadFailure && error.code === 'damaged') return null
    throw error
  }
}

function parsePart(archive: Archive, path: string): XmlElement | null {
  const content = archive.read(path)
  return content === null ? null : parseXml(decodeXml(content), { doctypeAllowed: true })
}

/** The file that a link leads to, without the place in it. */
function targetOf(from: string, link: string): string {
  const path = link.split('#')[0] ?? ''
  try {
    return path === '' ? '' : resolvePath(from, decodeURIComponent(path))
  } catch {
    return resolvePath(from, path)
  }
}

const notAnEbook = (): ReadFailure => new ReadFailure('damaged', 'The file is an archive, but not an e-book (EPUB).')

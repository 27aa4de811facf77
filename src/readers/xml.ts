/**
 * XML of office documents: a scanner that gives the wanted elements as small trees, one at a time, so
 * that the memory needed is that of the largest of them and not of the file.
 *
 * Names are local names: prefixes are dropped, since producers choose them freely. There is no DTD and
 * so no entity but the five of XML and character references. Invariant: time is linear in the length of
 * the text, and no tree is deeper than `depthMax`, so that readers may recurse.
 * (Extensible Markup Language 1.0, fifth edition.)
 */

import { ReadFailure } from './reading.ts'

export interface XmlElement {
  /** Local name. */
  readonly name: string
  readonly children: readonly XmlNode[]
  /** As written; `attributeOf` reads them. */
  readonly attributes: string
}

export type XmlNode = XmlElement | string

/** An element while it is being read. */
interface OpenElement extends XmlElement {
  readonly children: XmlNode[]
  readonly qualifiedName: string
}

interface Tag extends OpenElement {
  readonly closed: boolean
  /** Where the text goes on behind it. */
  readonly end: number
}

export interface XmlOptions {
  /** Lets a document type pass that only names itself, as tables of contents of old e-books have it. */
  readonly doctypeAllowed?: boolean
}

/** One pass over a text. */
interface Scan {
  readonly text: string
  readonly wanted: ReadonlySet<string> | null
  readonly visit: Visit
  /** The elements that are not closed yet, outermost first. */
  readonly open: OpenElement[]
  /** How many ancestors the element has that is being collected; -1 while none is. */
  collecting: number
  /** In what is being collected. */
  nodes: number
  rootSeen: boolean
}

type Visit = (element: XmlElement, ancestors: readonly XmlElement[]) => void

const depthMax = 512

/** Limit on the nodes of one tree; at 150 bytes each this is what a reading process can hold. */
const nodesMax = 3_000_000

/** Some milliseconds of work. */
const tagsOfTurn = 5000
/** A tag with the text behind it, where turns are given: what is longer would take one for itself. */
const partMax = 262_144

const space = 32
const exclamationMark = 33
const doubleQuote = 34
const singleQuote = 39
const slash = 47
const colon = 58
const greaterThan = 62
const questionMark = 63

/** The whole document as one tree. Throws ReadFailure when it is not well-formed. */
export function parseXml(text: string, options?: XmlOptions): XmlElement {
  const roots: XmlElement[] = []
  eachElement(text, null, (element) => roots.push(element), options)
  const [root] = roots
  if (root === undefined) throw malformed()
  return root
}

/**
 * Visits each outermost element whose name is wanted (null: the root), complete, with its ancestors, which have no
 * children, outermost first. Throws ReadFailure when the text is not well-formed, after the visits before that place.
 */
export function eachElement(
  text: string,
  wanted: ReadonlySet<string> | null,
  visit: Visit,
  options: XmlOptions = {},
): void {
  const scan = scanOf(text, wanted, visit)
  for (let at = text.indexOf('<'); at !== -1;) at = readTag(scan, at, options)
  requireEnd(scan)
}

/** The same on a thread that others need: they have their turns between. Refuses texts that are too long for one. */
export async function eachElementInTurns(text: string, wanted: ReadonlySet<string>, visit: Visit): Promise<void> {
  const scan = scanOf(text, wanted, visit)
  let tags = 0
  for (let at = text.indexOf('<'); at !== -1;) {
    if (text.indexOf('<', at + 1) - at > partMax) throw malformed()
    at = readTag(scan, at, {})
    tags += 1
    if (tags % tagsOfTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  requireEnd(scan)
}

function scanOf(text: string, wanted: ReadonlySet<string> | null, visit: Visit): Scan {
  return { text, wanted, visit, open: [], collecting: -1, nodes: 0, rootSeen: false }
}

/** Reads the tag here and the text behind it; where the next tag begins, or -1. */
function readTag(scan: Scan, at: number, options: XmlOptions): number {
  const { text } = scan
  const next = text.charCodeAt(at + 1)
  let end: number
  if (next === slash) end = readCloseTag(scan, at)
  else if (next === exclamationMark || next === questionMark) end = readDeclaration(scan, at, options)
  else end = readOpenTag(scan, at)
  const following = text.indexOf('<', end)
  if (following > end) parentIn(scan)?.children.push(decodeEntities(text.slice(end, following)))
  return following
}

function requireEnd({ open, rootSeen }: Scan): void {
  if (open.length > 0 || !rootSeen) throw malformed()
}

/** The value of an attribute by its local name, null when there is none. One without a prefix comes before others. */
export function attributeOf(element: XmlElement, name: string): string | null {
  return findAttribute(element.attributes, name, 'any')
}

/** Like `attributeOf`, but only one with a prefix: `r:id` of an element that has an `id` of its own as well. */
export function prefixedAttributeOf(element: XmlElement, name: string): string | null {
  return findAttribute(element.attributes, name, 'prefixed')
}

/** An attribute that is a whole number, not negative; `fallback` when there is none or it is something else. */
export function integerOf(element: XmlElement, name: string, fallback: number): number {
  const text = attributeOf(element, name)
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isSafeInteger(value) && value >= 0 ? value : fallback
}

/** The first child element of that name. */
export function childOf(element: XmlElement | null, name: string): XmlElement | null {
  for (const child of element?.children ?? []) if (typeof child !== 'string' && child.name === name) return child
  return null
}

/** All child elements, or those of that name. */
export function childrenOf(element: XmlElement | null, name?: string): XmlElement[] {
  const found: XmlElement[] = []
  for (const child of element?.children ?? []) {
    if (typeof child !== 'string' && (name === undefined || child.name === name)) found.push(child)
  }
  return found
}

/** The outermost descendants of that name, in document order, added to `found`. */
export function descendantsOf(element: XmlElement, name: string, found: XmlElement[] = []): XmlElement[] {
  for (const child of element.children) {
    if (typeof child === 'string') continue
    if (child.name === name) found.push(child)
    else descendantsOf(child, name, found)
  }
  return found
}

/** All text in an element, as it stands. */
export function textOf(element: XmlElement | null): string {
  let text = ''
  for (const child of element?.children ?? []) text += typeof child === 'string' ? child : textOf(child)
  return text
}

/** The text of an XML file in the encoding that it says it has. */
export function decodeXml(bytes: Uint8Array): string {
  let encoding = 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = 'utf-16le'
  else if (bytes[0] === 0xfe && bytes[1] === 0xff) encoding = 'utf-16be'
  else {
    const declaration = String.fromCharCode(...bytes.subarray(0, 100))
    encoding = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(declaration)?.[1] ?? encoding
    // A file that says so in one-byte characters cannot be UTF-16.
    if (/^utf-?16/i.test(encoding)) encoding = 'utf-8'
  }
  try {
    return new TextDecoder(encoding as Bun.Encoding).decode(bytes)
  } catch (error) {
    throw malformed(error)
  }
}

/** The element that what is read now belongs to, if it is being collected. */
function parentIn({ open, collecting }: Scan): OpenElement | undefined {
  return collecting === -1 ? undefined : open.at(-1)
}

function readOpenTag(scan: Scan, at: number): number {
  if (scan.open.length === 0 && scan.rootSeen) throw malformed()
  scan.rootSeen = true
  const tag = openTag(scan.text, at)
  const parent = parentIn(scan)
  parent?.children.push(tag)
  scan.nodes = parent === undefined ? 0 : scan.nodes + 1
  if (scan.nodes > nodesMax) throw tooLarge()
  const begins = scan.collecting === -1 && (scan.wanted === null || scan.wanted.has(tag.name))
  if (!tag.closed) {
    if (begins) scan.collecting = scan.open.length
    if (scan.open.push(tag) > depthMax) throw tooDeep()
  } else if (begins) scan.visit(tag, scan.open)
  return tag.end
}

function readCloseTag(scan: Scan, at: number): number {
  const element = scan.open.pop()
  const end = endOfCloseTag(scan.text, at, element)
  if (scan.open.length === scan.collecting && element !== undefined) {
    scan.collecting = -1
    scan.visit(element, scan.open)
  }
  return end
}

function readDeclaration(scan: Scan, at: number, options: XmlOptions): number {
  const end = endOfDeclaration(scan.text, at, options)
  if (scan.text.startsWith('<![CDATA[', at)) parentIn(scan)?.children.push(scan.text.slice(at + 9, end - 3))
  return end
}

function openTag(text: string, start: number): Tag {
  const end = endOfOpenTag(text, start + 1)
  const closed = text.charCodeAt(end - 1) === slash
  const inner = text.slice(start + 1, closed ? end - 1 : end)
  const nameEnd = inner.search(/\s/)
  const qualifiedName = nameEnd === -1 ? inner : inner.slice(0, nameEnd)
  if (qualifiedName === '') throw malformed()
  return {
    qualifiedName,
    name: qualifiedName.slice(qualifiedName.indexOf(':') + 1),
    attributes: nameEnd === -1 ? '' : inner.slice(nameEnd),
    children: [],
    closed,
    end: end + 1,
  }
}

/** The place of the `>`, which may also occur in the value of an attribute. */
function endOfOpenTag(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === greaterThan) return at
    if (code === doubleQuote || code === singleQuote) {
      at = text.indexOf(code === doubleQuote ? '"' : "'", at + 1)
      if (at === -1) break
    }
  }
  throw malformed()
}

function endOfCloseTag(text: string, start: number, element: OpenElement | undefined): number {
  if (element === undefined || !text.startsWith(element.qualifiedName, start + 2)) throw malformed()
  const nameEnd = start + 2 + element.qualifiedName.length
  const end = text.indexOf('>', nameEnd)
  if (end === -1 || (end !== nameEnd && text.slice(nameEnd, end).trim() !== '')) throw malformed()
  return end + 1
}

/** The end of a comment, a processing instruction, literal text or a document type. */
function endOfDeclaration(text: string, start: number, options: XmlOptions): number {
  const ending = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : text.startsWith('<?', start)
        ? '?>'
        : '>'
  const end = text.indexOf(ending, start + 2)
  if (end === -1) throw malformed()
  if (ending === '>' && !(options.doctypeAllowed === true && isBareDoctype(text.slice(start, end)))) {
    throw new ReadFailure(
      'damaged',
      'A part of the file declares a document type, which documents of its kind never do. Export it again.',
    )
  }
  return end + ending.length
}

const isBareDoctype = (declaration: string): boolean => /^<!doctype\s[^[]*$/i.test(declaration)

/** Compares in place, since spreadsheets ask this three times for each cell. */
function findAttribute(attributes: string, wanted: string, kind: 'any' | 'prefixed'): string | null {
  let prefixed: string | null = null
  let at = 0
  for (;;) {
    const equals = attributes.indexOf('=', at)
    if (equals === -1) return prefixed
    let nameEnd = equals
    while (nameEnd > at && attributes.charCodeAt(nameEnd - 1) <= space) nameEnd -= 1
    const open = quoteAfter(attributes, equals + 1)
    const close = attributes.indexOf(attributes.charAt(open), open + 1)
    if (close === -1) throw malformed()
    const nameStart = nameEnd - wanted.length
    if (nameStart > at && attributes.startsWith(wanted, nameStart)) {
      const before = attributes.charCodeAt(nameStart - 1)
      if (before <= space && kind === 'any') return decodeEntities(attributes.slice(open + 1, close))
      if (before === colon) prefixed ??= decodeEntities(attributes.slice(open + 1, close))
    }
    at = close + 1
  }
}

function quoteAfter(attributes: string, start: number): number {
  let at = start
  while (at < attributes.length) {
    const code = attributes.charCodeAt(at)
    if (code === doubleQuote || code === singleQuote) return at
    if (code > space) break
    at += 1
  }
  throw malformed()
}

const namedEntities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/** Names that XML does not know stay as they are written: without a DTD they stand for nothing else. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,8})|#x([\da-f]{1,8})|(\w{2,8}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return namedEntities.get(String(name)) ?? whole
    const code = decimal === undefined ? Number.parseInt(String(hexadecimal), 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
}

function tooDeep(): ReadFailure {
  return new ReadFailure(
    'too_complex',
    `The file nests its contents deeper than ${depthMax} levels, which no document does.`,
  )
}

function tooLarge(): ReadFailure {
  return new ReadFailure(
    'too_complex',
    'A table or paragraph of the file has more parts than can be read at once. Divide it.',
  )
}

function malformed(cause?: unknown): ReadFailure {
  return new ReadFailure('damaged', 'A part of the file is not well-formed XML. Export it again.', cause)
}

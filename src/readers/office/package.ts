/**
 * What all Office Open XML files have in common: parts, the relationships between them, and the title.
 * Not here: anything of text documents, sheets or slides. Parts are found by relationship, never by
 * their usual names, which not all software uses. (ECMA-376, part 2, Open Packaging Conventions.)
 */

import { openArchive } from '../archive.ts'
import { statedTexts } from '../stated.ts'
import { ReadFailure } from '../reading.ts'
import { attributeOf, childOf, childrenOf, decodeXml, parseXml, textOf } from '../xml.ts'

export interface Relation {
  /** The last word of its type's address, which transitional and strict files share: `slide`, `styles`. */
  readonly type: string
  /** The part it leads to, as named in the archive. */
  readonly target: string
}

export interface OfficePackage {
  /** The main part's name. */
  readonly main: string
  /** Title in the core properties. */
  readonly title: string | null
  /** The other core properties. */
  readonly stated: Readonly<Record<string, unknown>>
  /** The XML of a part; null when there is no such part. */
  part(name: string): string | null
  /** Relationships of a part by id, those to the outside left out. */
  relationsOf(part: string): ReadonlyMap<string, Relation>
}

/** Opens the file and finds its main part. Throws ReadFailure. */
export function openPackage(bytes: Uint8Array, unpackedBytesMax: number): OfficePackage {
  if (isEncryptedOffice(bytes)) {
    throw new ReadFailure('encrypted', 'The file is protected by a password. Remove it and import the file again.')
  }
  const archive = openArchive(bytes, unpackedBytesMax)
  const part = (name: string): string | null => {
    const content = archive.read(name)
    return content === null ? null : decodeXml(content)
  }
  const relationsOf = (name: string): ReadonlyMap<string, Relation> => readRelations(part(relationsPart(name)), name)
  const ofPackage = [...relationsOf('').values()]
  const main = ofPackage.find(({ type }) => type === 'officeDocument')?.target
  if (main === undefined) throw new ReadFailure('damaged', 'The file is an archive, but not an Office document.')
  const core = ofPackage.find(({ type }) => type === 'core-properties')?.target
  return { main, ...coreProperties(core === undefined ? null : part(core)), part, relationsOf }
}

/** The first part that a part leads to by a relationship of that type, as XML. */
export function relatedPart(source: OfficePackage, part: string, type: string): string | null {
  for (const relation of source.relationsOf(part).values()) {
    if (relation.type === type) return source.part(relation.target)
  }
  return null
}

/**
 * Whether these are the bytes of an Office file with a password: a compound file, as old Office files are, with a
 * stream named EncryptedPackage. (MS-OFFCRYPTO 1.3.2; MS-CFB.)
 */
function isEncryptedOffice(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return file.indexOf('d0cf11e0a1b11ae1', 0, 'hex') === 0 && file.includes(Buffer.from('EncryptedPackage', 'utf16le'))
}

/** Levels of a path to a file in an archive, resolved against the folder of the file that names it. */
export function resolvePath(from: string, target: string): string {
  const folder = target.startsWith('/') ? '' : from.slice(0, from.lastIndexOf('/') + 1)
  const segments: string[] = []
  for (const segment of `${folder}${target}`.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}

function relationsPart(part: string): string {
  const nameStart = part.lastIndexOf('/') + 1
  return `${part.slice(0, nameStart)}_rels/${part.slice(nameStart)}.rels`
}

function readRelations(xml: string | null, part: string): ReadonlyMap<string, Relation> {
  const relations = new Map<string, Relation>()
  if (xml === null) return relations
  for (const element of childrenOf(parseXml(xml), 'Relationship')) {
    if (attributeOf(element, 'TargetMode') === 'External') continue
    const type = attributeOf(element, 'Type') ?? ''
    relations.set(attributeOf(element, 'Id') ?? '', {
      type: type.slice(type.lastIndexOf('/') + 1),
      target: resolvePath(part, attributeOf(element, 'Target') ?? ''),
    })
  }
  return relations
}

/** Properties (ECMA-376 part 2, 11) by the names that metadata has for them. */
const statedProperties = {
  author: 'creator',
  subject: 'subject',
  keywords: 'keywords',
  description: 'description',
  category: 'category',
  language: 'language',
  created: 'created',
  modified: 'modified',
}

/** Properties are not worth failing for. */
function coreProperties(xml: string | null): Pick<OfficePackage, 'title' | 'stated'> {
  try {
    const root = xml === null ? null : parseXml(xml)
    const title = textOf(childOf(root, 'title')).trim() || null
    return { title, stated: statedTexts(statedProperties, (name) => textOf(childOf(root, name))) }
  } catch (error) {
    if (error instanceof ReadFailure) return { title: null, stated: {} }
    throw error
  }
}

/**
 * Which of the formats that are ZIP archives a file is, by the names of its entries; at most the one that names the
 * type is unpacked.
 *
 * Invariant: works on damaged archives too, so that their reader can say that they are damaged. All names that are kept
 * take at most `entriesMax` × `nameMax` bytes.
 */
import { openArchive } from '../archive.ts'

/** A media type, or what the archive is when it is not a document that Sluice reads. */
export type ZipType = `application/${string}` | 'archive' | 'xlsb'

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const powerPoint = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

/** The types that the `mimetype` entry of EPUB and OpenDocument names; templates are read like documents. */
const declared = /^application\/(?:epub\+zip|vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))/

const localHeader = 0x04034b50
const centralHeader = 0x02014b50
const entriesMax = 20_000
const nameMax = 256
const endRecord = Buffer.from('PK\x05\x06', 'latin1')
/** APPNOTE 4.3.16: the record itself and the longest comment behind it. */
const endRecordWithin = 22 + 65_535

/** The type of an archive. */
export function zipMediaType(bytes: Buffer): ZipType {
  const mimetype = declaredType(bytes)
  if (mimetype !== null) return mimetype
  const names = entryNames(bytes)
  const late = names.includes('mimetype') ? lateType(bytes) : null
  if (late !== null) return late
  const has = (prefix: string): boolean => names.some((name) => name.startsWith(prefix))
  if (names.includes('[Content_Types].xml')) {
    if (names.includes('xl/workbook.bin')) return 'xlsb'
    if (has('word/')) return word
    if (has('xl/')) return excel
    if (has('ppt/')) return powerPoint
  }
  if (names.includes('META-INF/container.xml') && names.some((name) => name.endsWith('.opf')))
    return 'application/epub+zip'
  return names.some((name) => name.startsWith('Index/') || name === 'Index.zip') && has('Metadata/')
    ? 'application/vnd.apple.iwork'
    : 'archive'
}

/** OpenDocument 1.3 part 2, 3.3 and EPUB OCF 4.3: the first entry is `mimetype`, not compressed. */
function declaredType(bytes: Buffer): `application/${string}` | null {
  if (bytes.length < 38 || bytes.readUInt32LE(0) !== localHeader) return null
  const nameLength = bytes.readUInt16LE(26)
  if (bytes.toString('latin1', 30, 30 + nameLength) !== 'mimetype') return null
  const start = 30 + nameLength + bytes.readUInt16LE(28)
  const type = declared.exec(bytes.toString('latin1', start, start + 100))?.[0]
  return type === undefined ? null : (type as `application/${string}`)
}

/** Programs that pack such files themselves put the entry anywhere, and compress it. */
function lateType(bytes: Buffer): `application/${string}` | null {
  try {
    const entry = openArchive(bytes, Number.MAX_SAFE_INTEGER).read('mimetype')
    const type = entry === null ? undefined : declared.exec(Buffer.from(entry).toString('latin1', 0, 100))?.[0]
    return type === undefined ? null : (type as `application/${string}`)
  } catch {
    return null
  }
}

function entryNames(bytes: Buffer): readonly string[] {
  const end = bytes.lastIndexOf(endRecord)
  const from = Math.max(0, bytes.length - endRecordWithin)
  const listed = end >= from && end + 22 <= bytes.length ? centralNames(bytes, bytes.readUInt32LE(end + 16)) : []
  return listed.length > 0 ? listed : localNames(bytes)
}

function centralNames(bytes: Buffer, start: number): readonly string[] {
  const names: string[] = []
  let at = start
  while (at + 46 <= bytes.length && names.length < entriesMax && bytes.readUInt32LE(at) === centralHeader) {
    const nameLength = bytes.readUInt16LE(at + 28)
    names.push(nameAt(bytes, at + 46, nameLength))
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return names
}

/** Without a directory: the names that precede the entries themselves. A header within a name is not an entry. */
function localNames(bytes: Buffer): readonly string[] {
  const names: string[] = []
  const signature = Buffer.from('PK\x03\x04', 'latin1')
  let at = bytes.indexOf(signature)
  while (at !== -1 && at + 30 <= bytes.length && names.length < entriesMax) {
    const nameLength = bytes.readUInt16LE(at + 26)
    names.push(nameAt(bytes, at + 30, nameLength))
    at = bytes.indexOf(signature, at + 30 + nameLength)
  }
  return names
}

/** No name that tells a type is longer than `nameMax`, so the rest is left out. */
function nameAt(bytes: Buffer, start: number, length: number): string {
  return bytes.toString('latin1', start, start + Math.min(length, nameMax))
}

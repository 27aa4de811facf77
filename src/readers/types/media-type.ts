/**
 * Of which type a file is, by its content. The name only tells apart kinds of text that look alike: source code,
 * Markdown, comma-separated values.
 *
 * Here: formats with a signature, and the refusals. Archives are in zip-type.ts, texts in text-type.ts. Own code
 * because what Sluice has to know (which of the ZIP formats it is, whether a text is HTML, a mail, JSON or a table, and
 * what to tell a user whose file is not taken) no signature library answers.
 */
import { readImageHeader } from '#lib/image-header.ts'
import { isUtf16 } from '../text/charset.ts'
import { ReadFailure } from '../reading.ts'
import { textMediaType } from './text-type.ts'
import { zipMediaType } from './zip-type.ts'

/** ISO 32000-1, annex H.3.4.1: readers accept the header within the first 1024 bytes. */
const pdfHeaderWithin = 1_024
const sampleBytes = 65_536

function unsupported(message: string): ReadFailure {
  return new ReadFailure('unsupported_type', message)
}

const archiveRemedy = 'Archives are not unpacked. Import the files in it one by one.'
const mediaRemedy = 'Sound and video are not read. Import a transcript instead.'
const programRemedy = 'The file is a program or other binary data and holds no text to import.'

/** Bytes at the beginning (or at `at`), as Latin-1, of formats that no reader takes, and what to tell the user. */
const refused: readonly { readonly signature: string; readonly at?: number; readonly message: string }[] = [
  ...['\x1f\x8b', '7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07', 'BZh', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd', 'MSCF'].map(
    (signature) => ({ signature, message: archiveRemedy }),
  ),
  { signature: 'ustar', at: 257, message: archiveRemedy },
  ...['ID3', '\xff\xfb', '\xff\xf3', 'OggS', 'fLaC', '\x1a\x45\xdf\xa3', '\0\0\x01\xba', 'FLV\x01'].map(
    (signature) => ({
      signature,
      message: mediaRemedy,
    }),
  ),
  { signature: 'WAVE', at: 8, message: mediaRemedy },
  { signature: 'AVI ', at: 8, message: mediaRemedy },
  ...[
    '\x7fELF',
    'MZ',
    '\xcf\xfa\xed\xfe',
    '\xca\xfe\xba\xbe',
    '\0asm',
    'SQLite format 3\0',
    'wOFF',
    'wOF2',
    '\0\x01\0\0',
  ].map((signature) => ({ signature, message: programRemedy })),
  {
    signature: '%!PS',
    message: 'PostScript is not read. Save the document as PDF and import that.',
  },
]

const oleSignature = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')
const outlookProperties = Buffer.from('__properties_version1.0', 'utf16le')

/** Compound files: the Office formats until 2003, mails of Outlook, and newer Office files behind a password. */
function oleFailure(bytes: Buffer): ReadFailure {
  if (bytes.includes(encryptedPackage)) {
    return new ReadFailure('encrypted', 'The file is protected by a password. Save it without one and import it again.')
  }
  if (bytes.includes(outlookProperties)) {
    return unsupported('Mails in Outlook’s own format are not read. Save the mail as .eml and import that.')
  }
  return unsupported(
    'Files of Word, Excel and PowerPoint 97 to 2003 are not read. Save it as .docx, .xlsx, .pptx or PDF and import that.',
  )
}

/** ISO/IEC 14496-12: pictures of telephones and video share a container, told apart by its brand. */
function containerFailure(start: string): ReadFailure | null {
  if (start.slice(4, 8) !== 'ftyp') return null
  return /^(?:hei|hev|mif1|msf1|avif|avis)/.test(start.slice(8, 12))
    ? unsupported('Pictures in HEIC and AVIF format are not read. Save it as JPEG or PNG and import that.')
    : unsupported(mediaRemedy)
}

function isRefused(start: string, signature: string, at = 0): boolean {
  return (
    start.startsWith(signature, at) &&
    // Two letters alone may as well begin a text.
    (!/^[\w%!]{2,4}$/.test(signature) || at > 0 || hasBinary(start) || signature === '%!PS')
  )
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const binaryCharacters = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g

function hasBinary(start: string): boolean {
  return start.search(binaryCharacters) !== -1
}

const strayMax = 3

/** A text may hold a few stray control characters, but not one in a hundred; and NUL hardly ever. */
export function isBinary(bytes: Buffer): boolean {
  if (isUtf16(bytes)) return false
  const sample = bytes.toString('latin1', 0, sampleBytes)
  const found = sample.match(binaryCharacters)
  if (found === null || found.length <= strayMax) return false
  return found.length * 100 > sample.length || found.filter((character) => character === '\0').length > strayMax
}

/**
 * The media type of a file. Throws ReadFailure: `no_text` for an empty one, `encrypted`, and `unsupported_type` with
 * what the user can do instead. A type that is answered need not have a reader: pictures do not.
 */
export function detectMediaType(content: Uint8Array, name: string): string {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length === 0) throw new ReadFailure('no_text', 'The file is empty.')
  const start = bytes.toString('latin1', 0, 512)
  if (bytes.subarray(0, pdfHeaderWithin).includes('%PDF-')) return 'application/pdf'
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return zipType(bytes)
  if (start.startsWith('{\\rtf')) return 'application/rtf'
  if (start.startsWith(oleSignature)) throw oleFailure(bytes)
  // "BM" alone begins many a text; in a bitmap these bytes are reserved and zero.
  const isBitmapText = start.startsWith('BM') && start.slice(6, 10) !== '\0\0\0\0'
  const image = isBitmapText ? null : readImageHeader(bytes)
  if (image !== null) return `image/${image.format}`
  const container = containerFailure(start)
  if (container !== null) throw container
  for (const { signature, at, message } of refused) if (isRefused(start, signature, at)) throw unsupported(message)
  if (isBinary(bytes)) throw unsupported(`${programRemedy} If it is a document, save it as PDF and import that.`)
  return textMediaType(bytes, name)
}

function zipType(bytes: Buffer): string {
  const type = zipMediaType(bytes)
  if (type === 'archive') throw unsupported(archiveRemedy)
  if (type === 'iwork')
    throw unsupported('Files of Pages, Numbers and Keynote are not read. Export it as PDF and import that.')
  if (type === 'xlsb') throw unsupported('Binary workbooks (.xlsb) are not read. Save it as .xlsx and import that.')
  return type
}

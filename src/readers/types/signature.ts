/**
 * What the beginning of a file tells about its type: a format with a signature, a family of formats that share one, or
 * text. Formats that no reader takes are refused here, with what the user can do instead.
 *
 * Not here: which format of a family a file is (media-type.ts, zip-type.ts, text-type.ts). Own code because no
 * signature library knows what to tell a user whose file is refused. Invariant: time is linear in the bytes that it is
 * given, and small, so that the server may ask it about the beginning of every upload.
 */
import { imageFormatOf } from '#lib/image-header.ts'
import { isUtf16 } from '../text/charset.ts'
import { ReadFailure } from '../reading.ts'

/** A media type, or the family whose formats only the rest of the file tells apart. */
export type StartType =
  | { readonly kind: 'type'; readonly mediaType: string }
  | { readonly kind: 'zip' | 'compound' | 'text' }

/** Bytes from the beginning of a file that are worth looking at. */
export const startBytes = 16_384

/** ISO 32000-1, annex H.3.4.1: readers accept the header within the first 1024 bytes. */
const pdfHeaderWithin = 1_024
/** More of a text than `startBytes`, for those who have it. */
const sampleBytes = 65_536

export function unsupported(message: string): ReadFailure {
  return new ReadFailure('unsupported_type', message)
}

const archiveRemedy = 'Archives of this kind are not unpacked. Pack the files as ZIP or TAR, or import them one by one.'
const mediaRemedy = 'Sound and video of this kind are not read. Save it as MP3, WAV, M4A, MP4, OGG, FLAC or WebM.'
const programRemedy = 'The file is a program or other binary data and holds no text to import.'

/** Bytes at the beginning (or at `at`), as Latin-1, of formats that no reader takes, and what to tell the user. */
const refused: readonly { readonly signature: string; readonly at?: number; readonly message: string }[] = [
  ...['Rar!\x1a\x07', 'BZh', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd', 'MSCF'].map((signature) => ({
    signature,
    message: archiveRemedy,
  })),
  ...['\0\0\x01\xba', 'FLV\x01'].map((signature) => ({ signature, message: mediaRemedy })),
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

const compoundSignature = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'

/** ISO/IEC 14496-12: pictures of telephones and video share a container; its brand distinguishes them. */
function containerType(start: string): StartType | null {
  if (start.slice(4, 8) !== 'ftyp') return null
  const brand = start.slice(8, 12)
  if (/^(?:hei|hev|mif1|msf1|avif|avis)/.test(brand))
    throw unsupported('Pictures in HEIC and AVIF format are not read. Save it as JPEG or PNG and import that.')
  return { kind: 'type', mediaType: /^M4[AB]/.test(brand) ? 'audio/mp4' : 'video/mp4' }
}

/** Recordings, by their first bytes. Two bytes alone may begin a text in UTF-16, so the sync of MP3 needs its third. */
const recordings: readonly { readonly start: RegExp; readonly mediaType: string }[] = [
  // oxlint-disable-next-line no-control-regex -- the bytes of signatures
  { start: /^(?:ID3[\x02-\x04]\0|\xff[\xfb\xfa\xf3\xf2\xe3][\x10-\xee])/, mediaType: 'audio/mpeg' },
  { start: /^RIFF[^]{4}WAVE/, mediaType: 'audio/wav' },
  { start: /^OggS\0/, mediaType: 'audio/ogg' },
  { start: /^fLaC\0/, mediaType: 'audio/flac' },
  // oxlint-disable-next-line no-control-regex -- as above
  { start: /^\x1a\x45\xdf\xa3/, mediaType: 'video/webm' },
]

/** Whether files of this type are sound or video, which only a transcription model reads. */
export function isRecording(mediaType: string): boolean {
  return mediaType.startsWith('audio/') || mediaType.startsWith('video/')
}

function isRefused(start: string, signature: string, at = 0): boolean {
  return (
    start.startsWith(signature, at) &&
    // Two letters alone may as well begin a text.
    (!/^[\w%!]{2,4}$/.test(signature) || at > 0 || hasControl(start) || signature === '%!PS')
  )
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacter = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

function hasControl(start: string): boolean {
  return controlCharacter.test(start)
}

/** Control characters that no text holds, by their code. */
const isControl = Uint8Array.from({ length: 256 }, (_, code) =>
  controlCharacter.test(String.fromCharCode(code)) ? 1 : 0,
)
const strayMax = 3

/** A text may hold a few stray control characters, but not one in a hundred; and NUL hardly ever. */
export function isBinary(bytes: Uint8Array): boolean {
  if (isUtf16(bytes)) return false
  const sample = bytes.subarray(0, sampleBytes)
  let found = 0
  let zeros = 0
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0
    found += isControl[byte] ?? 0
    if (byte === 0) zeros += 1
  }
  return found > strayMax && (found * 100 > sample.length || zeros > strayMax)
}

const damagedPdf =
  'The file has the name of a PDF but does not begin as one: it is damaged, or something else. Get a new copy and import that.'

function binaryRemedy(name: string): string {
  const isNamedPdf = /\.pdf$/i.test(name)
  return isNamedPdf ? damagedPdf : `${programRemedy} If it is a document, save it as PDF and import that.`
}

/** Formats and families with readers whose first bytes, or those at `at`, are always the same. */
const starts: readonly { readonly signature: string; readonly at?: number; readonly type: StartType }[] = [
  { signature: 'PK\x03\x04', type: { kind: 'zip' } },
  { signature: 'PK\x05\x06', type: { kind: 'zip' } },
  { signature: '{\\rtf', type: { kind: 'type', mediaType: 'application/rtf' } },
  { signature: compoundSignature, type: { kind: 'compound' } },
  { signature: '7z\xbc\xaf\x27\x1c', type: { kind: 'type', mediaType: 'application/x-7z-compressed' } },
  { signature: '\x1f\x8b', type: { kind: 'type', mediaType: 'application/gzip' } },
  { signature: 'ustar', at: 257, type: { kind: 'type', mediaType: 'application/x-tar' } },
]

/** The type that the beginning of a file tells; its name only words the refusal. Throws ReadFailure: `no_text` for an empty one, `unsupported_type`. */
export function startTypeOf(bytes: Buffer, name = ''): StartType {
  if (bytes.length === 0) throw new ReadFailure('no_text', 'The file is empty.')
  const start = bytes.toString('latin1', 0, 512)
  if (bytes.subarray(0, pdfHeaderWithin).includes('%PDF-')) return { kind: 'type', mediaType: 'application/pdf' }
  const known = starts.find(({ signature, at = 0 }) => start.startsWith(signature, at))
  if (known !== undefined) return known.type
  // "BM" alone begins many a text; in a bitmap these bytes are reserved and zero.
  const isBitmapText = start.startsWith('BM') && start.slice(6, 10) !== '\0\0\0\0'
  const image = isBitmapText ? null : imageFormatOf(bytes)
  if (image !== null) return { kind: 'type', mediaType: `image/${image}` }
  const container = containerType(start)
  if (container !== null) return container
  const recording = recordings.find((each) => each.start.test(start))
  if (recording !== undefined) return { kind: 'type', mediaType: recording.mediaType }
  for (const { signature, at, message } of refused) if (isRefused(start, signature, at)) throw unsupported(message)
  if (isBinary(bytes)) throw unsupported(binaryRemedy(name))
  return { kind: 'text' }
}

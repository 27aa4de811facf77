/**
 * The media type of a file by its content. The name only tells apart kinds of text that look alike: source code,
 * Markdown, comma-separated values.
 *
 * Here: what takes the whole file, so it runs in a reading process. The beginning is in signature.ts, archives are in
 * zip-type.ts, texts in text-type.ts.
 */
import { ReadFailure } from '../reading.ts'
import { openCompound } from '../compound.ts'
import { startTypeOf, unsupported } from './signature.ts'
import { sourceMediaTypes, textMediaType } from './text-type.ts'
import { zipMediaType } from './zip-type.ts'

/** Streams that tell the formats of compound files, and newer Office files behind a password. */
const compoundTypes: readonly (readonly [string, string])[] = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
  ['__properties_version1.0', 'application/vnd.ms-outlook'],
]

/** The Office formats until 2003, and mails of Outlook. */
function compoundType(bytes: Buffer): string {
  const { names } = openCompound(bytes, bytes.length)
  if (names.includes('EncryptedPackage')) {
    throw new ReadFailure('encrypted', 'The file is protected by a password. Save it without one and import it again.')
  }
  const found = compoundTypes.find(([stream]) => names.includes(stream))
  if (found !== undefined) return found[1]
  throw unsupported(
    'The file is of a program whose old format is not read. Save it as .docx, .xlsx, .pptx or PDF and import that.',
  )
}

/**
 * The media type of a file. Throws ReadFailure: `no_text` for an empty one, `encrypted`, and `unsupported_type` with
 * what the user can do instead. A type that is answered need not have a reader: pictures do not.
 */
export function detectMediaType(content: Uint8Array, name: string): string {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const start = startTypeOf(bytes, name)
  switch (start.kind) {
    case 'type':
      return start.mediaType
    case 'zip':
      return zipType(bytes)
    case 'compound':
      return compoundType(bytes)
    case 'text':
      return textMediaType(bytes, name)
  }
}

/** Whether files of this type are pictures, which only a vision model reads. A drawing that is written as text is none. */
export function isPicture(mediaType: string): boolean {
  return mediaType.startsWith('image/') && !sourceMediaTypes.has(mediaType)
}

function zipType(bytes: Buffer): string {
  const type = zipMediaType(bytes)
  if (type === 'archive') return 'application/zip'
  if (type === 'xlsb') throw unsupported('Binary workbooks (.xlsb) are not read. Save it as .xlsx and import that.')
  return type
}

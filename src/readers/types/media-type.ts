/**
 * The media type of a file by its content. The name only tells apart kinds of text that look alike: source code,
 * Markdown, comma-separated values.
 *
 * Here: what takes the whole file, so it runs in a reading process. The beginning is in signature.ts, archives are in
 * zip-type.ts, texts in text-type.ts.
 */
import { ReadFailure } from '../reading.ts'
import { archiveRemedy, startTypeOf, unsupported } from './signature.ts'
import { sourceMediaTypes, textMediaType } from './text-type.ts'
import { zipMediaType } from './zip-type.ts'

const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')
const outlookProperties = Buffer.from('__properties_version1.0', 'utf16le')

/** Compound files: the Office formats until 2003, mails of Outlook, and newer Office files behind a password. */
function compoundFailure(bytes: Buffer): ReadFailure {
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
      throw compoundFailure(bytes)
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
  if (type === 'archive') throw unsupported(archiveRemedy)
  if (type === 'iwork')
    throw unsupported('Files of Pages, Numbers and Keynote are not read. Export it as PDF and import that.')
  if (type === 'xlsb') throw unsupported('Binary workbooks (.xlsb) are not read. Save it as .xlsx and import that.')
  return type
}

/**
 * Files within a file: what is attached to a mail or packed in an archive. Each is read by the reader of its own
 * content and begins a page that bears its name, which is shown and never used as a path.
 *
 * Invariant: a file that cannot be read costs a warning, never the whole; together they cost no more than the limits.
 */
import { type Recogniser, type Reading, ReadFailure, type ReadLimits, type ReadRequest } from './reading.ts'
import { detectMediaType } from './types/media-type.ts'
import type { TextBuilder } from './text-builder.ts'

/** Reads a file that was found in another, by its content unless a reader is named. Rejects with ReadFailure. */
export type ReadAttachment = (file: {
  readonly bytes: Uint8Array
  readonly name: string
  readonly limits: ReadLimits
  readonly reader?: string
  readonly depth?: number
  readonly recogniser?: Recogniser | undefined
}) => Promise<Reading>

export interface AttachedFile {
  readonly name: string
  /** The bytes, made when its turn comes; may throw ReadFailure. */
  readonly bytes: () => Uint8Array
  /** Taken as a mail, whatever its content looks like. */
  readonly isMail?: boolean
}

export interface Attaching {
  readonly request: ReadRequest
  readonly readAttachment: ReadAttachment
  /** How many are read. */
  readonly filesMax: number
}

/** Files within files within files. */
const deepest = 3
const mailType = 'message/rfc822'

/** Throws ReadFailure `too_complex` when the file that holds others is itself too deep in others. */
export function checkDepth({ depth = 0 }: ReadRequest): void {
  if (depth >= deepest) {
    throw new ReadFailure('too_complex', `Mails and archives are read up to ${deepest} deep within each other.`)
  }
}

/** Appends the files in their order, a page each; what is left out is named in a warning. Answers why the first was left out. */
export async function appendAttachments(
  builder: TextBuilder,
  attached: readonly AttachedFile[],
  { request: { limits, recogniser, depth = 0 }, readAttachment, filesMax }: Attaching,
): Promise<string | null> {
  let firstFailure: string | null = null
  let bytesLeft = limits.unpackedBytesMax
  for (const [at, { name, bytes: unpack, isMail = false }] of attached.entries()) {
    try {
      const bytes = at < filesMax ? unpack() : new Uint8Array()
      bytesLeft -= bytes.length
      if (at >= filesMax || bytesLeft < 0) {
        builder.warn(`${attached.length - at} more files were left out, since they are too many or too large together.`)
        return firstFailure
      }
      const own = { ...limits, textMax: Math.max(1, limits.textMax - builder.length), unpackedBytesMax: bytesLeft }
      const reader = isMail || detectMediaType(bytes, name) === mailType ? { reader: 'eml' } : {}
      const reading = await readAttachment({ bytes, name, limits: own, recogniser, depth: depth + 1, ...reader })
      builder.page(name)
      builder.append(reading)
      for (const warning of reading.warnings) builder.warn(`${name}: ${warning}`)
    } catch (error) {
      if (!(error instanceof ReadFailure)) throw error
      firstFailure ??= error.message
      builder.warn(`${name} was left out. ${error.message}`)
    }
  }
  return firstFailure
}

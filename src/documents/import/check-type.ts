/**
 * Whether a file that has arrived is of a type that can be read at all, told by its content before it is accepted.
 *
 * Here only the beginning of the file is looked at, which takes microseconds whatever the file is. What the rest has to
 * tell (of which kind an archive is) a reading process finds out.
 */
import { isPicture } from '#readers/types/media-type.ts'
import { isRecording, startBytes, startTypeOf } from '#readers/types/signature.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Component } from '#store/documents/document-store.ts'
import { transcriptionModelOf } from '../models.ts'
import type { Documents } from '../documents.ts'
import { ocrOptions } from '../reading/ocr-options.ts'
import { ReadingStopped } from '../reading/reading-child.ts'
import type { Invalid } from './receive-item.ts'

export interface ArrivedFile {
  readonly path: string
  /** Its beginning, of `startBytes`, where that is in memory; null when it has to be read. */
  readonly start: Uint8Array | null
  readonly name: string
  /** With which it will be read. */
  readonly reader: Component
}

/** Why it cannot be read, or null. A file that looks readable and is not fails when it is read. */
export async function checkType(
  { detectType, settings, external }: Pick<Documents, 'detectType' | 'settings' | 'external'>,
  { path, start: known, name, reader }: ArrivedFile,
): Promise<Invalid | null> {
  if (external.names.includes(reader.name)) return null
  try {
    const beginning = known ?? (await Bun.file(path).slice(0, startBytes).bytes())
    const start = startTypeOf(Buffer.from(beginning), name)
    if (start.kind === 'text') return null
    const mediaType = start.kind === 'type' ? start.mediaType : await detectType(path, name)
    if (external.readerFor(reader.name, mediaType) !== null) return null
    if (isRecording(mediaType)) return transcriptionModelOf(reader) === null ? notWrittenDown : null
    if (!isPicture(mediaType) || 'model' in reader) return null
    if (isRecognised(mediaType, reader) && ocrOptions(settings) !== null) return null
    return {
      code: 'unsupported_type',
      message:
        'Pictures are read by a multimodal model. Name one with "reader": {"name": "vision", "model": "…"}, or have an administrator set documents.vision_model, or install text recognition (PNG, JPEG, WebP, GIF and BMP).',
    }
  } catch (thrown) {
    if (thrown instanceof ReadFailure) return invalidBecause(thrown)
    // The process ended for a reason outside of the file: the worker finds out what the file is.
    if (thrown instanceof ReadingStopped) return null
    throw thrown
  }
}

const notWrittenDown: Invalid = {
  code: 'unsupported_type',
  message:
    'Sound and video are read by a transcription model. Name one with "reader": {"name": "transcription", "model": "…"}, or have an administrator set documents.transcription_model.',
}

function isRecognised(mediaType: string, { name }: Component): boolean {
  return (name === 'auto' || name === 'picture') && mediaType !== 'image/tiff'
}

/** What is too complex, or breaks the process, is accepted, so that its record tells how its reading ended. */
function invalidBecause({ code, message }: ReadFailure): Invalid | null {
  if (code === 'too_complex' || code === 'damaged') return null
  return { code: code === 'encrypted' ? 'encrypted' : 'unsupported_type', message }
}

/** Whether a file that has arrived is of a type that can be read at all, told by its content before it is accepted. */
import { detectMediaType } from '#readers/types/media-type.ts'
import { ReadFailure } from '#readers/reading.ts'
import type { Component } from '#store/documents/document-store.ts'
import type { Received } from '../blobs/blob-store.ts'
import type { Invalid } from './receive-item.ts'

/** Why it cannot be read, or null. A file that looks readable and is not fails when it is read. */
export function unreadable({ path }: Received, name: string, reader: Component): Invalid | null {
  // Mapped, so that only the parts that are looked at are read.
  const content = Bun.mmap(path)
  try {
    const mediaType = detectMediaType(content, name)
    if (!mediaType.startsWith('image/') || 'model' in reader) return null
    return {
      code: 'unsupported_type',
      message:
        'Pictures are read by a multimodal model. Name one with "reader": {"name": "vision", "model": "…"}, or have an administrator set documents.vision_model.',
    }
  } catch (thrown) {
    if (thrown instanceof ReadFailure) return { code: codeOf(thrown), message: thrown.message }
    throw thrown
  }
}

function codeOf({ code }: ReadFailure): Invalid['code'] {
  return code === 'encrypted' ? 'encrypted' : 'unsupported_type'
}

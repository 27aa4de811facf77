/** Files of an account for a request that names them by their ids; src/open-batches.ts gives this to the gateway. */
import { BlobMissing, BlobsUnavailable } from '#documents/blobs/blob-store.ts'
import { ApiError } from '#errors/api-error.ts'
import type { FindFile } from '#gateway/request/inline-files.ts'
import { ReadFailure } from '#readers/reading.ts'
import { startBytes, startTypeOf } from '#readers/types/signature.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { notReadable, ownFile, type Files } from './files.ts'

type Found = Pick<Files, 'files' | 'blobs' | 'clock'>

/** Finds files whose content is there; the output of a batch that still runs is none. */
export function fileFinder(files: Found): FindFile {
  return async (id, caller) => {
    const file = await answering(ownFile(files, id, caller)).catch((thrown: unknown) => {
      if (thrown instanceof ApiError && thrown.code === 'file_not_found') return null
      throw thrown
    })
    if (file === null || file.sha256 === null) return null
    const { blobId, sha256, name, bytes } = file
    return { name, bytes, read: () => answering(readFile(files, { blobId, sha256, name })) }
  }
}

async function readFile(
  { blobs }: Found,
  { blobId: id, sha256, name }: Pick<StoredFile, 'blobId' | 'name'> & { readonly sha256: string },
) {
  await using blob = await blobs.open({ id, sha256 })
  const content = Buffer.from(await Bun.file(blob.path).arrayBuffer())
  return { content, mediaType: mediaTypeOf(content, name) }
}

async function answering<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    if (thrown instanceof BlobMissing) throw notReadable(thrown)
    if (thrown instanceof StoreUnavailable || thrown instanceof BlobsUnavailable)
      throw new ApiError('store_unavailable', { cause: thrown })
    throw thrown
  }
}

const officeType = 'application/vnd.openxmlformats-officedocument'
const zipTypes: Readonly<Record<string, string>> = {
  docx: `${officeType}.wordprocessingml.document`,
  xlsx: `${officeType}.spreadsheetml.sheet`,
  pptx: `${officeType}.presentationml.presentation`,
}

/** The type that the beginning of the content shows; the name tells apart only what is a zip archive. */
function mediaTypeOf(content: Buffer, name: string): string {
  try {
    const type = startTypeOf(content.subarray(0, startBytes), name)
    if (type.kind === 'type') return type.mediaType
    if (type.kind === 'text') return 'text/plain'
    const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
    return type.kind === 'zip' ? (zipTypes[extension] ?? 'application/zip') : 'application/octet-stream'
  } catch (thrown) {
    // Kinds of files that no reader takes; a model may.
    if (thrown instanceof ReadFailure) return 'application/octet-stream'
    throw thrown
  }
}

/**
 * GET /ai/v1/files/:id/content: the bytes of a file, or a range of them. What a batch has written so far can be read
 * while it runs: its lines in the order of the input, without those that are not done.
 */
import { fileAnswer, filePieces, streamOf } from '#http/file-answer.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { ownFile, type Files } from './files.ts'
import { resultPieces } from './result-pieces.ts'

const headers = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
}

/** Answers 404, 416 and 503 by throwing. What is still written has no ranges: a line may come before others that are there. */
export async function fileContent(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const file = await ownFile(files, context.params['id'] ?? '', caller)
  const { blobId: id, sha256 } = file
  if (sha256 !== null) return fileAnswer(context, await files.blobs.open({ id, sha256 }), headers, sha256)
  const written = streamOf(resultPieces(files.batches, file))
  return context.respond(written, { status: 200, headers: { ...headers, 'accept-ranges': 'none' } })
}

/** All of a file, or what a running batch has written of it. The blob is opened with the first piece. */
export async function* contentPieces(files: Files, file: StoredFile): AsyncGenerator<Uint8Array, void> {
  const { blobId: id, sha256 } = file
  if (sha256 === null) return yield* resultPieces(files.batches, file)
  await using blob = await files.blobs.open({ id, sha256 })
  yield* filePieces(blob, 0, file.bytes)
}

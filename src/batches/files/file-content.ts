/**
 * GET /ai/v1/files/:id/content: the bytes of a file, or a range of them. What a batch has written so far can be read
 * while it runs: its lines in the order of the input, without those that are not done.
 */
import { streamOf } from '#http/stream-of.ts'
import type { LocalBlob } from '#documents/blobs/blob-store.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { ownFile, type Files } from './files.ts'
import { resultPieces } from './result-pieces.ts'

const pieceBytes = 262_144
const headers = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
}

/** Answers 404, 416 and 503 by throwing. */
export async function fileContent(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const file = await ownFile(files, context.params['id'] ?? '', caller)
  if (file.sha256 === null)
    return context.respond(streamOf(resultPieces(files.batches, file)), { status: 200, headers })
  const range = rangeOf(context.request.headers.get('range'), file.bytes)
  const blob = await files.blobs.open({ id: file.blobId, sha256: file.sha256 })
  return answer(context, { file, blob, range })
}

/** First byte, and the byte behind the last. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

interface Found {
  readonly file: StoredFile
  readonly blob: LocalBlob
  /** Null: all of it. */
  readonly range: ByteRange | null
}

function answer(context: RequestContext, { file, blob, range }: Found): Response {
  const { start, end } = range ?? { start: 0, end: file.bytes }
  const about = { ...headers, 'accept-ranges': 'bytes', 'content-length': String(end - start) }
  const body = streamOf(blobPieces(blob, start, end), blob)
  if (range === null) return context.respond(body, { status: 200, headers: about })
  const contentRange = `bytes ${start}-${end - 1}/${file.bytes}`
  return context.respond(body, { status: 206, headers: { ...about, 'content-range': contentRange } })
}

/** One range of bytes (RFC 9110 section 14); null for none, and for what this server need not understand. Answers 416. */
export function rangeOf(header: string | null, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < start) return null
  if (start >= end) throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } })
  return { start, end }
}

async function* blobPieces({ path }: LocalBlob, start: number, end: number): AsyncGenerator<Uint8Array, void> {
  const file = Bun.file(path)
  for (let at = start; at < end; at += pieceBytes) yield await file.slice(at, Math.min(end, at + pieceBytes)).bytes()
}

/** All of a file, or what a running batch has written of it. The blob is opened with the first piece. */
export async function* contentPieces(files: Files, file: StoredFile): AsyncGenerator<Uint8Array, void> {
  const { blobId: id, sha256 } = file
  if (sha256 === null) return yield* resultPieces(files.batches, file)
  await using blob = await files.blobs.open({ id, sha256 })
  yield* blobPieces(blob, 0, file.bytes)
}

/** Bytes of a file as an answer, read as the client takes them: all of them, or one range (RFC 9110 section 14). */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from './request-context.ts'

const pieceBytes = 262_144

/** A local file, there until it is disposed of. */
export interface LocalFile extends AsyncDisposable {
  readonly path: string
}

/**
 * Answers 200, 206, 304 and 416. The file is disposed of with the answer, however it ends.
 * @param sha256 of the content, which is its entity tag: a client that has it is answered 304, and a range of another
 * content is all of this one
 */
export async function fileAnswer(
  context: RequestContext,
  file: LocalFile,
  headers: Readonly<Record<string, string>>,
  sha256: string,
): Promise<Response> {
  const bytes = Bun.file(file.path).size
  await using opened = new AsyncDisposableStack()
  opened.use(file)
  const asked = context.request.headers
  const etag = `"${sha256}"`
  if (hasTag(asked.get('if-none-match'), etag))
    return context.respond(null, { status: 304, headers: { ...headers, etag } })
  const isSame = (asked.get('if-range') ?? etag) === etag
  const range = isSame ? rangeOf(asked.get('range'), bytes) : null
  const { start, end } = range ?? { start: 0, end: bytes }
  const body = streamOf(filePieces(file, start, end), opened.move())
  const about = { ...headers, etag, 'accept-ranges': 'bytes', 'content-length': String(end - start) }
  if (range === null) return context.respond(body, { status: 200, headers: about })
  const contentRange = `bytes ${start}-${end - 1}/${bytes}`
  return context.respond(body, { status: 206, headers: { ...about, 'content-range': contentRange } })
}

/** Whether a list of entity tags has this one; a proxy that packed an answer has made the tag a weak one. */
function hasTag(header: string | null, etag: string): boolean {
  const tags = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}

/** First byte, and the byte behind the last. */
interface ByteRange {
  readonly start: number
  readonly end: number
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

/** Some of a file, in pieces of a quarter of a mebibyte. */
export async function* filePieces(
  { path }: { readonly path: string },
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  const file = Bun.file(path)
  for (let at = start; at < end; at += pieceBytes) yield await file.slice(at, Math.min(end, at + pieceBytes)).bytes()
}

/**
 * A body that is made as the client reads it. What it reads from is given back at its end, and when the client leaves
 * before the first piece, too: a generator that has not begun has no end of its own.
 */
export function streamOf(
  pieces: AsyncGenerator<Uint8Array, void>,
  source?: AsyncDisposable,
): ReadableStream<Uint8Array> {
  const end = async (): Promise<void> => {
    await pieces.return()
    await source?.[Symbol.asyncDispose]()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          if (done !== true) return controller.enqueue(value)
        } catch (thrown) {
          await end()
          throw thrown
        }
        await end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

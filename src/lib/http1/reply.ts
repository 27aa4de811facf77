/**
 * An HTTP answer as the gateway reads it: head first, body at the reader's pace. Plain data and one
 * method instead of the platform's Response, because a stream object and its promises for every
 * event cost more than moving the bytes.
 */

export interface Reply {
  readonly status: number
  /** Names in lower case; a repeated field is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
}

/** Makes an answer of its head and its body. */
export type MakeReply = (head: Pick<Reply, 'status' | 'headers'>, body: ReplyBody) => Reply

/** The answer as it was sent. */
export const replyAsSent: MakeReply = ({ status, headers }, body) => ({ status, headers, body })

export interface ReplyBody {
  /**
   * The next bytes, or null at the end that the answer's framing promised. What has arrived already
   * is given without a promise. Rejects when the answer breaks before its end, and with the
   * signal's reason when the call was aborted. One call at a time.
   */
  read(): Uint8Array | null | Promise<Uint8Array | null>
  /**
   * The same without a promise: undefined when nothing has arrived yet, and then the reader is called, once. For bodies
   * of which every piece counts; `readTo` reads any body so.
   */
  readTo?(reader: ReplyReader): Uint8Array | null | undefined
  /** Gives up what is left; the connection is closed. After the end it does nothing. */
  cancel(): void
}

/** Gets what a body had not received yet when it was asked. Must not throw. */
export interface ReplyReader {
  received(bytes: Uint8Array | null): void
  failed(reason: unknown): void
}

/** The next bytes of any body, or null at its end, or undefined: then the reader is called when there is more to say. */
export function readTo(body: ReplyBody, reader: ReplyReader): Uint8Array | null | undefined {
  if (body.readTo !== undefined) return body.readTo(reader)
  const bytes = body.read()
  if (!(bytes instanceof Promise)) return bytes
  bytes.then(
    (later) => reader.received(later),
    (reason: unknown) => reader.failed(reason),
  )
  return undefined
}

/** Hears of each part of a body, for time-outs that begin again with every byte. */
export interface PartListener {
  part(): void
}

/**
 * The whole rest of a body. Gives it up and returns null when it is longer than `bytesMax`. Without a promise when all of
 * it is there: most answers come together with their head, in one part.
 */
export function takeAll(body: ReplyBody, bytesMax: number, listener?: PartListener): Whole | Promise<Whole> {
  const first = body.read()
  if (first instanceof Promise) return takeRest(body, first, { parts: [], bytesLeft: bytesMax, listener })
  if (first === null) return Buffer.alloc(0)
  if (first.byteLength > bytesMax) return giveUp(body)
  listener?.part()
  const second = body.read()
  return second === null
    ? whole(first)
    : takeMore(body, second, { parts: [first], bytesLeft: bytesMax - first.byteLength, listener })
}

function takeMore(
  body: ReplyBody,
  second: Uint8Array | Promise<Uint8Array | null>,
  taking: Taking,
): Whole | Promise<Whole> {
  const { parts, listener } = taking
  let { bytesLeft } = taking
  for (let part: ReturnType<ReplyBody['read']> = second; part !== null; part = body.read()) {
    if (part instanceof Promise) return takeRest(body, part, { parts, bytesLeft, listener })
    bytesLeft -= part.byteLength
    if (bytesLeft < 0) return giveUp(body)
    parts.push(part)
    listener?.part()
  }
  return Buffer.concat(parts)
}

/** The same, always with a promise. */
export async function readAll(body: ReplyBody, bytesMax: number, listener?: PartListener): Promise<Whole> {
  return takeAll(body, bytesMax, listener)
}

/** The rest of a body, piece by piece; a reader that stops early has to cancel it. */
export async function* piecesOf(body: ReplyBody): AsyncGenerator<Uint8Array, void> {
  for (let piece = await body.read(); piece !== null; piece = await body.read()) yield piece
}

type Whole = Buffer<ArrayBuffer> | null

interface Taking {
  readonly parts: Uint8Array[]
  readonly bytesLeft: number
  readonly listener: PartListener | undefined
}

async function takeRest(
  body: ReplyBody,
  first: Promise<Uint8Array | null>,
  { parts, bytesLeft: bytesMax, listener }: Taking,
): Promise<Whole> {
  let bytesLeft = bytesMax
  for (let part = await first; part !== null; part = await body.read()) {
    bytesLeft -= part.byteLength
    if (bytesLeft < 0) return giveUp(body)
    parts.push(part)
    listener?.part()
  }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? whole(only) : Buffer.concat(parts)
}

function giveUp(body: ReplyBody): null {
  body.cancel()
  return null
}

/** The bytes of a body that came in one part, not copied. To look at the memory of a view costs more than the view. */
function whole(part: Uint8Array): Buffer<ArrayBuffer> {
  // No body is in memory that threads share.
  return Buffer.isBuffer(part) ? (part as Buffer<ArrayBuffer>) : Buffer.concat([part])
}

/** A Response of the platform as a Reply, for providers that make theirs in this process. */
export function replyOf(response: Response): Reply {
  const headers: Record<string, string> = {}
  for (const [name, value] of response.headers) headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  return { status: response.status, headers, body: bodyOf(response.body) }
}

function bodyOf(stream: ReadableStream<Uint8Array> | null): ReplyBody {
  if (stream === null) return { read: () => null, cancel: () => {} }
  const reader = stream.getReader()
  return {
    read: async () => {
      const { done, value } = await reader.read()
      return done ? null : value
    },
    // A stream that has failed cannot be cancelled, and need not be.
    cancel: () => void reader.cancel().catch(() => {}),
  }
}

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

/**
 * The whole rest of a body. Gives it up and returns null when it is longer than `bytesMax`. Without a promise when all of
 * it is there: most answers come together with their head.
 * @param onPart called at each part, for time-outs that begin again with every byte
 */
export function takeAll(body: ReplyBody, bytesMax: number, onPart?: () => void): Whole | Promise<Whole> {
  const parts: Uint8Array[] = []
  let bytesLeft = bytesMax
  for (;;) {
    const part = body.read()
    if (part instanceof Promise) return takeRest(body, part, { parts, bytesLeft, onPart })
    if (part === null) return joined(parts)
    bytesLeft -= part.byteLength
    if (bytesLeft < 0) return giveUp(body)
    parts.push(part)
    onPart?.()
  }
}

/** The same, always with a promise. */
export async function readAll(body: ReplyBody, bytesMax: number, onPart?: () => void): Promise<Whole> {
  return takeAll(body, bytesMax, onPart)
}

/** The rest of a body, piece by piece; a reader that stops early has to cancel it. */
export async function* piecesOf(body: ReplyBody): AsyncGenerator<Uint8Array, void> {
  for (let piece = await body.read(); piece !== null; piece = await body.read()) yield piece
}

type Whole = Buffer<ArrayBuffer> | null

interface Taking {
  readonly parts: Uint8Array[]
  readonly bytesLeft: number
  readonly onPart: (() => void) | undefined
}

async function takeRest(
  body: ReplyBody,
  first: Promise<Uint8Array | null>,
  { parts, bytesLeft: bytesMax, onPart }: Taking,
): Promise<Whole> {
  let bytesLeft = bytesMax
  for (let part = await first; part !== null; part = await body.read()) {
    bytesLeft -= part.byteLength
    if (bytesLeft < 0) return giveUp(body)
    parts.push(part)
    onPart?.()
  }
  return joined(parts)
}

function giveUp(body: ReplyBody): null {
  body.cancel()
  return null
}

/** Most answers come in one read, and are not copied then. */
function joined(parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const [only] = parts
  return parts.length === 1 && only?.buffer instanceof ArrayBuffer
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(parts)
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

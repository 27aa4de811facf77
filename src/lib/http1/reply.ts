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
  /** Gives up what is left; the connection is closed. After the end it does nothing. */
  cancel(): void
}

/**
 * The whole rest of a body. Gives it up and returns null when it is longer than `bytesMax`.
 * @param onPart called at each part, for time-outs that begin again with every byte
 */
export async function readAll(
  body: ReplyBody,
  bytesMax: number,
  onPart?: () => void,
): Promise<Buffer<ArrayBuffer> | null> {
  const parts: Uint8Array[] = []
  let total = 0
  for (;;) {
    const next = body.read()
    const part = next instanceof Promise ? await next : next
    if (part === null) return joined(parts)
    total += part.byteLength
    if (total > bytesMax) {
      body.cancel()
      return null
    }
    parts.push(part)
    onPart?.()
  }
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

/**
 * What a provider with batches of its own offers: it takes many requests at once, works on them within a day, and asks for
 * half the price. Nothing here retries or waits; who calls decides what a failure means.
 */
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import type { FieldSpan } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'

export interface NativeLine {
  /** Letters, digits, `-` and `_`, 64 at most: what every vendor takes. */
  readonly id: string
  /** The request in one line, with the provider's own name of the model; where `translate` is, what that made of it. */
  readonly body: Uint8Array
}

/** A request in the words of its endpoint. */
export interface NativeCall {
  /** Path of the endpoint. */
  readonly endpoint: string
  /** The provider's own name of the model, which the body has, too. */
  readonly model: string
  readonly body: Uint8Array<ArrayBuffer>
}

export interface NativeSubmission {
  /** Marks the batch at the provider, so that it is found again; 24 letters and digits. */
  readonly token: string
  /** Path of the endpoint, for example `/v1/embeddings`. */
  readonly endpoint: string
  /** The provider's own name of the model of all lines. */
  readonly model: string
  readonly lines: readonly NativeLine[]
}

/** A submission of which nobody knows whether it has arrived. */
export interface LostSubmission {
  readonly token: string
  /** Milliseconds since 1970, before the call. */
  readonly at: number
  readonly count: number
}

/** - `unsure`: batches that look like it do not tell yet whether they are. */
export type NativeSearch =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsure' }

/** The answer to one line. */
export interface NativeResult {
  readonly id: string
  readonly status: number
  readonly body: Buffer<ArrayBuffer>
}

/** - `gone`: it has failed, or the provider does not know it any more. */
export type NativeProgress =
  | { readonly kind: 'running' }
  /** Lines without a result, and those at which the provider itself failed, are left out. */
  | { readonly kind: 'ended'; readonly results: AsyncIterable<NativeResult> }
  | { readonly kind: 'gone'; readonly reason: string }

export interface NativeBatches {
  /** Paths of the endpoints whose lines it takes. */
  readonly endpoints: ReadonlySet<string>
  /** A request in the provider's own words, where those are not the endpoint's; null when it has none for it. */
  translate?(call: NativeCall): Promise<Uint8Array | null>
  /** A result in the words of the endpoint, where the provider has its own. Rejects when that is not possible. */
  reply?(result: NativeResult, call: NativeCall): Promise<Reply>
  /** The provider's id of the new batch. Rejects with NativeRefused, or with what leaves open whether it was made. */
  submit(submission: NativeSubmission, signal: AbortSignal): Promise<string>
  find(lost: LostSubmission, signal: AbortSignal): Promise<NativeSearch>
  poll(id: string, signal: AbortSignal): Promise<NativeProgress>
  /** Asks for its end, which takes a while. One that has ended stays as it is. */
  cancel(id: string, signal: AbortSignal): Promise<void>
}

/** The provider has answered with this status. */
export class NativeRefused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'NativeRefused'
    this.status = status
  }
}

export interface NativeQuestion {
  readonly method: 'GET' | 'POST'
  /** Below the base URL. */
  readonly path: string
  readonly body?: { readonly type: string; readonly bytes: Uint8Array }
}

/** Sends a question with the provider's credential. */
export type AskNative = (question: NativeQuestion, signal: AbortSignal) => Promise<Reply>

const answerBytesMax = 4_194_304
/** A longer line of results is passed over. */
const lineBytesMax = 67_108_864
/** A provider that takes longer is asked again later. */
const answerMs = 300_000
const resultsMs = 3_600_000
const lineFeed = 0x0a
/** How far the clocks of two machines may be apart. */
export const skewMs = 3_600_000
export const listPagesMax = 50

/** The object that a 2xx answers. Rejects with NativeRefused for any other status. */
export async function askObject(
  ask: AskNative,
  question: NativeQuestion,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { status, body } = await ask(question, AbortSignal.any([signal, AbortSignal.timeout(answerMs)]))
  const bytes = await readAll(body, answerBytesMax)
  const text = bytes?.toString() ?? ''
  if (status < 200 || status > 299)
    throw new NativeRefused(status, `${question.path} answered ${status}: ${text.slice(0, 500)}`)
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error(`${question.path} answered no object`)
  return value
}

/** The same as null for 404. */
export async function askKnown(
  ask: AskNative,
  question: NativeQuestion,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  try {
    return await askObject(ask, question, signal)
  } catch (thrown) {
    if (thrown instanceof NativeRefused && thrown.status === 404) return null
    throw thrown
  }
}

/** The lines of a document; none when the provider has lost it. */
export async function* askLines(
  ask: AskNative,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer<ArrayBuffer>, void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(resultsMs)])
  const { status, body } = await ask({ method: 'GET', path }, limited)
  if (status === 200) return yield* linesOf(body)
  body.cancel()
  if (status !== 404) throw new NativeRefused(status, `${path} answered ${status}`)
}

/** The bytes of a field's value; null when it was not found. */
export function fieldOf(
  json: Buffer<ArrayBuffer>,
  fields: readonly FieldSpan[],
  name: string,
): Buffer<ArrayBuffer> | null {
  const field = fields.findLast((each) => each.name === name)
  return field === undefined ? null : json.subarray(field.valueStart, field.valueEnd)
}

async function* linesOf(body: ReplyBody): AsyncGenerator<Buffer<ArrayBuffer>, void> {
  const begun = new BegunLine()
  try {
    for (let read = await body.read(); read !== null; read = await body.read()) {
      let from = 0
      for (let end = read.indexOf(lineFeed); end >= 0; end = read.indexOf(lineFeed, from)) {
        begun.add(read.subarray(from, end))
        yield* begun.take()
        from = end + 1
      }
      begun.add(read.subarray(from))
    }
    yield* begun.take()
  } finally {
    body.cancel()
  }
}

/** The line that is being read, of which more may come. */
class BegunLine {
  #pieces: Uint8Array[] = []
  #bytes = 0

  add(piece: Uint8Array): void {
    this.#bytes += piece.length
    if (this.#bytes <= lineBytesMax) this.#pieces.push(piece)
  }

  /** The line, unless it is empty or too long; the next one begins. */
  take(): readonly Buffer<ArrayBuffer>[] {
    const [pieces, bytes] = [this.#pieces, this.#bytes]
    this.#pieces = []
    this.#bytes = 0
    return bytes > 0 && bytes <= lineBytesMax ? [Buffer.concat(pieces)] : []
  }
}

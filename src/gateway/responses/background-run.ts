/**
 * One response that is made in the background: its events so far, for any number of readers, and what is to be written
 * of them. It holds them until it has ended, up to the size of the largest answer.
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import type { KeptEvents, KeptStatus } from '#store/kept/kept-responses.ts'
import type { ResponseObject } from './kept-responses.ts'

/** How a response ended. */
export interface Outcome {
  readonly status: KeptStatus
  readonly response: ResponseObject
}

const terminal = /^\{"type":"response\.(completed|incomplete|failed)"/

export class BackgroundRun {
  readonly id: string
  readonly #controller = new AbortController()
  /** The Response object before anything was known. */
  readonly #pending: ResponseObject
  readonly #bytesMax: number
  /** The data of each event; the index is its sequence number. */
  readonly #events: string[] = []
  /** Terminal events wait here until the end is written, so that a reader of one finds the response. */
  #last: string[] = []
  #bytes = 0
  #written = 0
  #closed = false
  #wake = Promise.withResolvers<void>()

  constructor(id: string, pending: ResponseObject, bytesMax: number) {
    this.id = id
    this.#pending = pending
    this.#bytesMax = bytesMax
  }

  /** Ends the call that makes it. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** No more events will come. */
  get closed(): boolean {
    return this.#closed
  }

  /** Reads the whole streamed answer. Never rejects: a failure is an outcome. */
  async read(answer: () => Promise<Response>): Promise<Outcome> {
    try {
      const { body } = await answer()
      let rest = Buffer.alloc(0)
      for await (const chunk of body ?? []) rest = this.#take(Buffer.concat([rest, chunk]))
    } catch (thrown) {
      return this.#failed(toApiError(thrown))
    }
    const last = this.#last.at(-1)
    if (last === undefined) return this.#failed(new ApiError('upstream_stream_error'))
    const { response } = JSON.parse(last) as { readonly response: ResponseObject }
    return { status: response['status'] as KeptStatus, response }
  }

  abort(): void {
    this.#controller.abort()
    this.close()
  }

  /** The events from this one on that may be seen. */
  eventsFrom(sequence: number): readonly string[] {
    return this.#events.slice(sequence)
  }

  /** Resolves when there are more events, or none will come. */
  more(): Promise<void> {
    return this.#wake.promise
  }

  /** The events that are not written yet; `withLast` also those that end the response. */
  unwritten(withLast: boolean): KeptEvents | null {
    const lines = [...this.#events.slice(this.#written), ...(withLast ? this.#last : [])]
    return lines.length === 0 ? null : { position: this.#written, lines: lines.join('\n') }
  }

  /** They have been written. */
  wrote({ position, lines }: KeptEvents): void {
    this.#written = position + lines.split('\n').length
  }

  /** The end is written: readers see its event, and nothing follows. */
  close(): void {
    this.#events.push(...this.#last)
    this.#last = []
    this.#closed = true
    this.#notify()
  }

  /** Takes whole events; returns what is left of the bytes. */
  #take(bytes: Buffer): Buffer<ArrayBuffer> {
    let from = 0
    for (let end = nextEventEnd(bytes, 0); end > 0; end = nextEventEnd(bytes, from)) {
      const event = bytes.subarray(from, end)
      const span = singleDataSpan(event)
      if (span !== null) this.#add(event.toString('utf8', span.start, span.end))
      from = end
    }
    this.#notify()
    return Buffer.from(bytes.subarray(from))
  }

  #add(data: string): void {
    this.#bytes += data.length
    if (this.#bytes > this.#bytesMax) throw new ApiError('upstream_invalid_response', { message: tooLarge })
    if (this.#last.length > 0 || terminal.test(data)) this.#last.push(data)
    else this.#events.push(data)
  }

  #failed(error: ApiError): Outcome {
    const response = failedResponse(this.#pending, error)
    if (this.#events.length === 0) this.#events.push(eventOf('response.created', 0, this.#pending))
    this.#last = [eventOf('response.failed', this.#events.length, response)]
    return { status: 'failed', response }
  }

  #notify(): void {
    this.#wake.resolve()
    if (!this.#closed) this.#wake = Promise.withResolvers<void>()
  }
}

const tooLarge = 'The answer of the model provider is larger than this gateway allows.'

/** The same response, failed with this error. */
export function failedResponse(response: ResponseObject, error: ApiError): ResponseObject {
  const code = error.status === 429 ? 'rate_limit_exceeded' : 'server_error'
  return { ...response, status: 'failed', error: { code, message: error.message } }
}

/** The data of an event about a whole response. */
export function eventOf(type: string, sequence: number, response: ResponseObject): string {
  return JSON.stringify({ type, sequence_number: sequence, response })
}

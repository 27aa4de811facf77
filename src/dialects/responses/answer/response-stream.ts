/**
 * A streamed chat completion as the events of a streamed response. The stream opens with the first
 * chunk and ends with exactly one of response.completed, response.incomplete and response.failed;
 * this API has no [DONE].
 * Shape: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { StreamTranslator } from '../../dialect.ts'
import { readChunk } from '../chat-answer.ts'
import type { Json } from '../fields.ts'
import { Output } from './response-output.ts'
import type { ResponsesRequest } from '../request/responses-request.ts'
import { outcomeOf, responseBody, type Outcome } from './response-body.ts'

export interface ResponseStreamOptions {
  readonly request: ResponsesRequest
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly newId: () => string
}

export class ResponseStream implements StreamTranslator {
  readonly #options: ResponseStreamOptions
  readonly #id: string
  readonly #output: Output
  #events: string[] = []
  #sequenceNumber = 0
  #model: string
  #serviceTier: string | null = null
  #usage: Json | null = null
  #finishReason: string | null = null
  #opened = false
  #ended = false

  constructor(options: ResponseStreamOptions) {
    const { request, newId } = options
    this.#options = options
    this.#id = `resp_${newId()}`
    this.#model = request.model
    this.#output = new Output({
      tell: (type, fields) => this.#tell(type, fields),
      newId,
      thoughtsAsSummary: request.thoughtsAsSummary,
    })
  }

  /** Throws `upstream_invalid_response` or `upstream_stream_error` for what is no chunk; `fail` may follow. */
  push(chunk: unknown): string {
    if (this.#ended) return ''
    const { model, serviceTier, usage, said } = readChunk(chunk)
    this.#model = model ?? this.#model
    this.#serviceTier = serviceTier ?? this.#serviceTier
    this.#usage = usage ?? this.#usage
    this.#open()
    if (said !== null) {
      this.#output.add(said)
      this.#finishReason = said.finishReason ?? this.#finishReason
    }
    return this.#take()
  }

  /** Throws like `push`. */
  end(): string {
    if (this.#ended) return ''
    this.#open()
    const outcome = outcomeOf(this.#finishReason)
    this.#output.close(outcome.status === 'incomplete')
    this.#finish(outcome)
    return this.#take()
  }

  fail(error: ApiError): string {
    if (this.#ended) return ''
    this.#open()
    // The SDKs throw at this event; clients that read the stream themselves wait for the next.
    const { error: body } = errorBody(error)
    this.#tell('error', { code: body.code, message: body.message, param: body.param, error: body })
    this.#finish({ status: 'failed', error })
    return this.#take()
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    const response = this.#response({ status: 'in_progress' })
    this.#tell('response.created', { response })
    this.#tell('response.in_progress', { response })
  }

  #finish(outcome: Outcome): void {
    this.#tell(`response.${outcome.status}`, { response: this.#response(outcome) })
    this.#ended = true
  }

  #response(outcome: Outcome): Json {
    const { request, createdAt } = this.#options
    return responseBody(
      {
        id: this.#id,
        createdAt,
        model: this.#model,
        serviceTier: this.#serviceTier,
        usage: this.#usage,
        outcome,
        output: outcome.status === 'failed' ? this.#output.brokenValues() : this.#output.values(),
      },
      request.echo,
    )
  }

  #tell(type: string, fields: Json): void {
    const data = JSON.stringify({ type, sequence_number: this.#sequenceNumber, ...fields })
    this.#sequenceNumber += 1
    this.#events.push(`event: ${type}\ndata: ${data}\n\n`)
  }

  #take(): string {
    const text = this.#events.join('')
    this.#events = []
    return text
  }
}

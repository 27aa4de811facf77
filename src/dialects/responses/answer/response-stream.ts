/**
 * A streamed chat completion as the events of a streamed response. The stream opens with the first
 * chunk and ends with exactly one of response.completed, response.incomplete and response.failed;
 * this API has no [DONE].
 * Shape: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { JsonObject, StreamTranslator } from '../../dialect.ts'
import { ChunkReader, type ChatUsage } from '../../chat/chat-answer.ts'
import { typedEvent } from '../../typed-event.ts'
import { ResponseOutput } from './response-output.ts'
import type { ResponsesRequest } from '../request/responses-request.ts'
import { outcomeOf, responseBody, type Outcome } from './response-body.ts'

/** What a streamed response needs of its request. */
export interface ResponseStreamOptions {
  readonly request: ResponsesRequest
  readonly id: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly newId: () => string
}

/** The events of one streamed response. */
export class ResponseStream implements StreamTranslator {
  /** The Response object, once the last event was made and it has not failed. */
  answer: JsonObject | null = null
  readonly #options: ResponseStreamOptions
  readonly #chunks = new ChunkReader()
  readonly #output: ResponseOutput
  #events: string[] = []
  #sequenceNumber = 0
  #model: string
  #serviceTier: string | null = null
  #usage: ChatUsage | null = null
  #finishReason: string | null = null
  #opened = false
  #ended = false

  constructor(options: ResponseStreamOptions) {
    const { request, newId } = options
    this.#options = options
    this.#model = request.model
    this.#output = new ResponseOutput({
      emit: (type, fields) => this.#emit(type, fields),
      newId,
      reasoningAsSummary: request.reasoningAsSummary,
      tools: request.tools,
    })
  }

  /** Throws `upstream_invalid_response` or `upstream_stream_error` for what is not a chunk; `fail` may follow. */
  push(chunk: unknown): string {
    if (this.#ended) return ''
    const { model, serviceTier, usage, delta } = this.#chunks.read(chunk)
    this.#model = model ?? this.#model
    this.#serviceTier = serviceTier ?? this.#serviceTier
    this.#usage = usage ?? this.#usage
    this.#open()
    if (delta !== null) {
      this.#output.add(delta)
      this.#finishReason = delta.finishReason ?? this.#finishReason
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
    this.#emit('error', { code: body.code, message: body.message, param: body.param, error: body })
    this.#finish({ status: 'failed', error })
    return this.#take()
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    const response = this.#response({ status: 'in_progress' })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  #finish(outcome: Outcome): void {
    const response = this.#response(outcome)
    this.#emit(`response.${outcome.status}`, { response })
    if (outcome.status !== 'failed') this.answer = response
    this.#ended = true
  }

  #response(outcome: Outcome): JsonObject {
    const { request, id, createdAt } = this.#options
    return responseBody(
      {
        id,
        createdAt,
        model: this.#model,
        serviceTier: this.#serviceTier,
        usage: this.#usage,
        outcome,
        output: outcome.status === 'failed' ? this.#output.failedSnapshots() : this.#output.snapshots(),
      },
      request.echo,
    )
  }

  #emit(type: string, fields: JsonObject): void {
    this.#events.push(typedEvent({ type, sequence_number: this.#sequenceNumber, ...fields }))
    this.#sequenceNumber += 1
  }

  #take(): string {
    const text = this.#events.join('')
    this.#events = []
    return text
  }
}

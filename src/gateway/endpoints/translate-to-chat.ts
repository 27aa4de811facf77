/**
 * Translates calls of an API that the provider lacks: the request goes out as a chat completion, and
 * the answer comes back in the client's own wire format, whole or event by event.
 */
import type { Dialect, JsonObject, StreamTranslator, TranslatedRequest, TranslationContext } from '#dialects/dialect.ts'
import { ApiError } from '#errors/api-error.ts'
import { eventStreamHeaders } from '#http/event-stream.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'
import { headersForClient } from '../call/headers.ts'
import { parseBody } from '../request/fields.ts'
import { requestOf, type ModelRequest } from '../request/model-request.ts'
import type { Relay, ResponseTracker } from '../relay/relay.ts'
import { relayPieces, type Tap } from '../relay/relay-stream.ts'
import { StreamTap } from '../relay/stream-tap.ts'
import type { PreparedCall } from './model-call.ts'
import { readUsage, type TokenUsage } from '../usage/token-usage.ts'

const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

export interface TranslationOptions extends Pick<TranslationContext, 'now' | 'echo'> {
  /** Random ids when left out. */
  readonly newId?: () => string
}

/** The same request as a chat completion. Answers 400 for a request that cannot be translated. */
export function translateToChat(
  dialect: Dialect,
  request: ModelRequest,
  { now, newId = randomId, echo }: TranslationOptions,
): PreparedCall {
  const translated = dialect.translate(parseBody(request.bytes), { now, newId, ...(echo && { echo }) })
  // upstream-body.ts asks for usage, as in every stream: some providers refuse the question.
  const { stream_options: _, ...chatBody } = translated.chatBody
  const chatRequest = requestOf(Buffer.from(JSON.stringify(chatBody)), chatBody, {
    translated: true,
    effortField: dialect.effortField,
  })
  return {
    request: { ...chatRequest, state: request.state },
    ...(translated.dropped && { dropped: translated.dropped }),
    ...(translated.pending && { pending: () => translated.pending?.() ?? {} }),
    call: {
      endpoint: 'chat/completions',
      read: () => Promise.reject(new Error('a translated request has been read already')),
      asksUsage: true,
      relay: (reply, relay) => relayTranslated(reply, relay, translated),
    },
  }
}

function relayTranslated(reply: Reply, relay: Relay, translated: TranslatedRequest): Promise<Response> {
  if (!relay.streamed) return relayTranslatedWhole(reply, relay, translated)
  const translator = translated.stream()
  const headers = { ...headersForClient(reply.headers, relay.responseHeaders), ...eventStreamHeaders }
  return relayPieces({ ...reply, headers }, relay, {
    tap: new TranslatingTap(translator, relay, translated.pending === undefined ? null : relay.tracker()),
    inBand: true,
    failureEvent: (error) => Buffer.from(translator.fail(error)),
  })
}

async function relayTranslatedWhole(reply: Reply, relay: Relay, translated: TranslatedRequest): Promise<Response> {
  const { watch, record, context, rewriteModel, responseHeaders, responseBytesMax, idleSeconds } = relay
  watch.expect('idle', idleSeconds)
  const body = await readAll(reply.body, responseBytesMax, watch).catch((cause: unknown) => {
    throw watch.reason ?? new ApiError('upstream_error', { cause })
  })
  const answer = body === null ? null : parseJson(body)
  if (!isObject(answer)) throw new ApiError('upstream_invalid_response')
  record.firstToken()
  record.usage = readUsage(answer['usage'])
  const whole = translated.whole(rewriteModel === null ? answer : { ...answer, model: rewriteModel })
  if (translated.pending !== undefined && isObject(whole)) await relay.tracker().keep(whole)
  const bytes = Buffer.from(JSON.stringify(whole))
  record.responseBytes = bytes.length
  record.content?.answer(bytes)
  const headers = { ...headersForClient(reply.headers, responseHeaders), 'content-type': 'application/json' }
  return context.respond(bytes, { status: reply.status, headers })
}

/** A tap that translates every chunk of a chat stream into a dialect. */
class TranslatingTap implements Tap {
  /** The last events have to wait until the answer is kept; null for nothing. */
  pendingWrite: Promise<void> | null = null
  readonly #translator: StreamTranslator
  readonly #chat: StreamTap
  readonly #tracker: ResponseTracker | null
  #kept: JsonObject | null = null

  /** @param tracker keeps the answer when it is complete; null for an API whose answers cannot be asked for again */
  constructor(translator: StreamTranslator, relay: Relay, tracker: ResponseTracker | null) {
    this.#translator = translator
    this.#tracker = tracker
    this.#chat = new StreamTap({
      stripUsage: false,
      rewriteModel: relay.rewriteModel,
      eventBytesMax: relay.eventBytesMax,
    })
  }

  get usage(): TokenUsage | null {
    return this.#chat.usage
  }

  get started(): boolean {
    return this.#chat.started
  }

  get done(): boolean {
    return this.#chat.done
  }

  get complete(): boolean {
    return this.#chat.complete
  }

  get upstreamError(): Tap['upstreamError'] {
    return this.#chat.upstreamError
  }

  get oversized(): boolean {
    return this.#chat.oversized
  }

  push(bytes: Uint8Array): Uint8Array | null {
    const events = this.#chat.push(bytes)
    const text = events === null ? '' : this.#translate(Buffer.from(events))
    return text === '' ? null : Buffer.from(text)
  }

  end(): Uint8Array | null {
    const rest = this.#chat.end()
    if (rest === null) return null
    return Buffer.from(this.#translate(Buffer.from(rest)))
  }

  #translate(events: Buffer): string {
    let text = ''
    for (let from = 0; from < events.length;) {
      const end = nextEventEnd(events, from) || events.length
      const event = events.subarray(from, end)
      const span = singleDataSpan(event)
      if (span !== null) text += this.#translateOne(event.toString('utf8', span.start, span.end))
      from = end
    }
    this.#keepAnswer()
    return text
  }

  #keepAnswer(): void {
    const { answer = null } = this.#translator
    if (answer === null || answer === this.#kept || this.#tracker === null) return
    this.#kept = answer
    this.pendingWrite = this.#tracker.keep(answer).then(() => void (this.pendingWrite = null))
  }

  #translateOne(data: string): string {
    if (data.startsWith('[DONE]')) return this.#translator.end()
    return this.#translator.push(parseJson(Buffer.from(data)))
  }
}

function parseJson(json: Buffer): unknown {
  try {
    return parseBounded(json, passedJsonLimits)
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
}

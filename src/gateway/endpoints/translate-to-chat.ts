/**
 * Translates calls of an API that the provider lacks: the request goes out as a chat completion, and
 * the answer comes back in the client's own wire format, whole or event by event.
 */
import type { Dialect, StreamTranslator, TranslatedRequest } from '#dialects/dialect.ts'
import { ApiError } from '#errors/api-error.ts'
import { eventStreamHeaders } from '#http/event-stream.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'
import { parseBody } from '../request/fields.ts'
import { requestOf, type ModelRequest } from '../request/model-request.ts'
import type { Relay } from '../relay/relay.ts'
import { relayPieces, type Tap } from '../relay/relay-stream.ts'
import { StreamTap } from '../relay/stream-tap.ts'
import type { PreparedCall } from './model-call.ts'
import { readUsage, type TokenUsage } from '../usage/token-usage.ts'

/** The same request as a chat completion. Answers 400 for a request that cannot be translated. */
export function translateToChat(dialect: Dialect, request: ModelRequest, now: number): PreparedCall {
  const translated = dialect.translate(parseBody(request.bytes), {
    now,
    newId: () => crypto.randomUUID().replaceAll('-', ''),
  })
  // upstream-body.ts asks for usage, as in every stream: some providers refuse the question.
  const { stream_options: _, ...chatBody } = translated.chatBody
  return {
    request: requestOf(Buffer.from(JSON.stringify(chatBody)), chatBody, {
      translated: true,
      effortField: dialect.effortField,
    }),
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
  return relayPieces({ ...reply, headers: eventStreamHeaders }, relay, {
    tap: new TranslatingTap(translator, relay),
    inBand: true,
    failureEvent: (error) => Buffer.from(translator.fail(error)),
  })
}

async function relayTranslatedWhole(reply: Reply, relay: Relay, translated: TranslatedRequest): Promise<Response> {
  const { watch, record, context, rewriteModel, responseBytesMax, idleSeconds } = relay
  watch.expect('idle', idleSeconds)
  const body = await readAll(reply.body, responseBytesMax, () => watch.expect('idle', idleSeconds)).catch(
    (cause: unknown) => {
      throw watch.reason ?? new ApiError('upstream_error', { cause })
    },
  )
  const answer = body === null ? null : parseJson(body)
  if (!isObject(answer)) throw new ApiError('upstream_invalid_response')
  record.firstToken()
  record.usage = readUsage(answer['usage'])
  const bytes = Buffer.from(
    JSON.stringify(translated.whole(rewriteModel === null ? answer : { ...answer, model: rewriteModel })),
  )
  record.responseBytes = bytes.length
  return context.respond(bytes, { status: reply.status, headers: { 'content-type': 'application/json' } })
}

/** A tap that translates every chunk of a chat stream into a dialect. */
class TranslatingTap implements Tap {
  readonly #translator: StreamTranslator
  readonly #chat: StreamTap

  constructor(translator: StreamTranslator, relay: Relay) {
    this.#translator = translator
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
    return text
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

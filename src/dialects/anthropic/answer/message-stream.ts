/**
 * One streamed chat answer as the events of a message: message_start, the content blocks, message_delta
 * with the stop reason and the counts, message_stop. The last two are said only when the chat answer
 * has ended well; after an error event nothing follows.
 * Shape: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import type { StreamTranslator } from '../../dialect.ts'
import { BlockSequence, event, type CallKey } from './content-block-stream.ts'
import {
  callsOf,
  firstChoice,
  functionOf,
  stopOf,
  stringOf,
  textOf,
  thoughtOf,
  unreadable,
  usageOf,
} from '../chat-answer.ts'
import { errorBody } from '../error-response.ts'
import { emptyMessage, type Ids } from './message.ts'
import type { UnderstoodRequest } from '../request/messages-request.ts'
import { addDetails, sealThoughts, type ReasoningDetail } from '../request/thinking.ts'

type Fields = Readonly<Record<string, unknown>>

export class MessageStream implements StreamTranslator {
  readonly #request: UnderstoodRequest
  readonly #ids: Ids
  readonly #blocks = new BlockSequence()
  /** Of the tool calls, by the chat answer's index. */
  readonly #callIds = new Map<number, string>()
  #lastCall = -1
  /** Of the thought that is being said: what its upstream wants back. */
  readonly #details: ReasoningDetail[] = []
  #usage: unknown = null
  #serviceTier: unknown = null
  /** The choice that told why the answer stopped. */
  #stopped: Fields = {}
  #refused = false
  #started = false
  #ended = false

  constructor(request: UnderstoodRequest, ids: Ids) {
    this.#request = request
    this.#ids = ids
  }

  /** Throws upstream_invalid_response for what is no chat chunk. */
  push(chunk: unknown): string {
    if (this.#ended) return ''
    if (!isObject(chunk)) throw unreadable('a chunk is not an object')
    this.#usage = chunk['usage'] ?? this.#usage
    this.#serviceTier = chunk['service_tier'] ?? this.#serviceTier
    const choice = firstChoice(chunk)
    const started = this.#start(stringOf(chunk['model']))
    if (choice === undefined) return started
    if (typeof choice['finish_reason'] === 'string') this.#stopped = choice
    const { delta } = choice
    return isObject(delta) ? started + this.#delta(delta) : started
  }

  end(): string {
    if (this.#ended) return ''
    const begun = this.#start('')
    this.#ended = true
    const closed = this.#sign() + this.#blocks.finish()
    const { stopSequences } = this.#request
    const delta = stopOf(this.#stopped, { called: this.#blocks.called, refused: this.#refused, stopSequences })
    const usage = usageOf(this.#usage, this.#serviceTier)
    const last = event({ type: 'message_delta', delta, usage }) + event({ type: 'message_stop' })
    return begun + closed + last
  }

  fail(error: ApiError): string {
    if (this.#ended) return ''
    this.#ended = true
    return event(errorBody(error))
  }

  #start(model: string): string {
    if (this.#started) return ''
    this.#started = true
    const message = emptyMessage(this.#ids.messageId, model || this.#request.model)
    const usage = usageOf(this.#usage, this.#serviceTier)
    return event({ type: 'message_start', message: { ...message, usage } })
  }

  #delta(delta: Fields): string {
    const thought = this.#thought(delta)
    const refusal = stringOf(delta['refusal'])
    if (refusal !== '') this.#refused = true
    const text = textOf(delta) + refusal
    const calls = callsOf(delta)
    if (text === '' && calls.length === 0) return thought
    return thought + this.#sign() + this.#blocks.text(text) + calls.map((call) => this.#call(call)).join('')
  }

  #thought(delta: Fields): string {
    const { display } = this.#request
    if (display === 'hidden') return ''
    addDetails(this.#details, delta['reasoning_details'])
    return display === 'shown' ? this.#blocks.thinking(thoughtOf(delta)) : ''
  }

  /** A thought is signed when something else begins: only then is all known that belongs to it. */
  #sign(): string {
    if (this.#details.length === 0) return ''
    return this.#blocks.sign(sealThoughts(this.#details.splice(0)))
  }

  #call(call: Fields): string {
    const { name, arguments: json } = functionOf(call)
    const id = stringOf(call['id'])
    const key = this.#keyOf(call['index'], id)
    let events = ''
    if (!this.#blocks.hasCall(key)) {
      if (typeof name !== 'string' || name === '') throw unreadable('a tool call has no name')
      events = this.#blocks.beginCall(key, id || this.#ids.toolUseId(), name)
    }
    return events + this.#blocks.callArguments(key, stringOf(json))
  }

  /** Some servers leave the index out, others give all calls the same: then the id tells them apart. */
  #keyOf(index: unknown, id: string): CallKey {
    const at =
      typeof index === 'number' ? index : id === '' ? this.#lastCall : (this.#indexOf(id) ?? this.#lastCall + 1)
    const known = this.#callIds.get(at)
    this.#lastCall = Math.max(this.#lastCall, at)
    if (id !== '' && known !== id) this.#callIds.set(at, id)
    const current = this.#callIds.get(at) ?? ''
    return current === '' ? at : `${at} ${current}`
  }

  #indexOf(id: string): number | undefined {
    for (const [index, known] of this.#callIds) if (known === id) return index
    return undefined
  }
}

/**
 * One streamed chat answer as the events of a message: message_start, the content blocks, message_delta
 * with the stop reason and the usage, message_stop. The last two are sent only when the chat answer
 * ended well; nothing follows an error event.
 * Shape: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { ApiError } from '#errors/api-error.ts'
import { ChunkReader, type ChatDelta, type ChatUsage, type ToolCallDelta } from '../../chat/chat-answer.ts'
import { appendReasoningDetail, type ReasoningDetail } from '../../chat/reasoning-details.ts'
import type { StreamTranslator } from '../../dialect.ts'
import { typedEvent } from '../../typed-event.ts'
import { errorBody } from '../error-response.ts'
import type { MessagesRequest } from '../request/messages-request.ts'
import { thinkingSignature } from '../request/thinking.ts'
import { ContentBlockStream, type ToolCallKey } from './content-block-stream.ts'
import { emptyMessage, toolNameOf, type MessageIds } from './message.ts'
import { messageUsage } from './message-usage.ts'
import { stopFieldsOf } from './stop-reason.ts'

/** The events of one streamed message. */
export class MessageStream implements StreamTranslator {
  readonly #request: MessagesRequest
  readonly #ids: MessageIds
  readonly #chunks = new ChunkReader()
  readonly #blocks = new ContentBlockStream()
  /** The ids of the tool calls, by the chat answer's index. */
  readonly #callIds = new Map<number, string>()
  #lastCallIndex = -1
  /** The details of the open thinking block, which become its signature. */
  readonly #details: ReasoningDetail[] = []
  #usage: ChatUsage | null = null
  #serviceTier: string | null = null
  #end: Pick<ChatDelta, 'finishReason' | 'matchedStop'> = { finishReason: null, matchedStop: null }
  #hasRefusal = false
  #started = false
  #ended = false

  constructor(request: MessagesRequest, ids: MessageIds) {
    this.#request = request
    this.#ids = ids
  }

  /** Throws `upstream_invalid_response` or `upstream_stream_error` for what is not a chat chunk. */
  push(chunk: unknown): string {
    if (this.#ended) return ''
    const { model, serviceTier, usage, delta } = this.#chunks.read(chunk)
    this.#usage = usage ?? this.#usage
    this.#serviceTier = serviceTier ?? this.#serviceTier
    const started = this.#start(model)
    if (delta === null) return started
    if (delta.finishReason !== null) this.#end = delta
    return started + this.#add(delta)
  }

  end(): string {
    if (this.#ended) return ''
    const started = this.#start(null)
    this.#ended = true
    const content = this.#sign() + this.#blocks.finish()
    const end = { ...this.#end, hasToolUse: this.#blocks.hasToolUse, hasRefusal: this.#hasRefusal }
    const delta = stopFieldsOf(end, this.#request.stopSequences)
    const usage = messageUsage(this.#usage, this.#serviceTier)
    const last = typedEvent({ type: 'message_delta', delta, usage }) + typedEvent({ type: 'message_stop' })
    return started + content + last
  }

  fail(error: ApiError): string {
    if (this.#ended) return ''
    this.#ended = true
    return typedEvent({ ...errorBody(error) })
  }

  #start(model: string | null): string {
    if (this.#started) return ''
    this.#started = true
    const message = emptyMessage(this.#ids.messageId, model || this.#request.model)
    const usage = messageUsage(this.#usage, this.#serviceTier)
    return typedEvent({ type: 'message_start', message: { ...message, usage } })
  }

  #add(delta: ChatDelta): string {
    const thinking = this.#addThinking(delta)
    if (delta.refusal !== '') this.#hasRefusal = true
    const text = delta.text + delta.refusal
    if (text === '' && delta.toolCalls.length === 0) return thinking
    const signed = this.#sign() + this.#blocks.addText(text)
    return thinking + signed + delta.toolCalls.map((call) => this.#addToolCall(call)).join('')
  }

  #addThinking({ reasoning, reasoningDetails }: ChatDelta): string {
    const { display } = this.#request
    if (display === 'disabled') return ''
    for (const detail of reasoningDetails) appendReasoningDetail(this.#details, detail)
    return display === 'summarized' ? this.#blocks.addThinking(reasoning) : ''
  }

  /** Signs the thinking when something else begins: only then are its details complete. */
  #sign(): string {
    if (this.#details.length === 0) return ''
    return this.#blocks.addSignature(thinkingSignature(this.#details.splice(0)))
  }

  #addToolCall(call: ToolCallDelta): string {
    const key = this.#keyOf(call)
    const started = this.#blocks.hasToolCall(key)
      ? ''
      : this.#blocks.startToolUse(key, call.id || this.#ids.newToolUseId(), toolNameOf(call))
    return started + this.#blocks.addInputJson(key, call.arguments)
  }

  /** Some upstreams leave the index out, others give all calls the same: then the id tells them apart. */
  #keyOf({ index, id }: ToolCallDelta): ToolCallKey {
    const position = index ?? (id === '' ? this.#lastCallIndex : (this.#indexOf(id) ?? this.#lastCallIndex + 1))
    const known = this.#callIds.get(position)
    this.#lastCallIndex = Math.max(this.#lastCallIndex, position)
    if (id !== '' && known !== id) this.#callIds.set(position, id)
    const current = this.#callIds.get(position) ?? ''
    return current === '' ? position : `${position} ${current}`
  }

  #indexOf(id: string): number | undefined {
    for (const [index, known] of this.#callIds) if (known === id) return index
    return undefined
  }
}

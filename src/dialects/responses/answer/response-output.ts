/**
 * The output of one response while it grows: which item continues with the next delta of the upstream.
 * Reasoning and messages follow each other. Calls may grow side by side upstream; a call ends when its
 * arguments are complete and something else begins, or with the response.
 */
import { unreadableAnswer, type ChatDelta, type ToolCallDelta, type UrlCitation } from '../../chat/chat-answer.ts'
import type { ToolNames } from '../request/tool-names.ts'
import type { CallItem } from './call-item.ts'
import { CustomCallItem } from './custom-call-item.ts'
import { FunctionCallItem } from './function-call-item.ts'
import type { JsonObject } from '../../dialect.ts'
import { ItemOrder } from './item-order.ts'
import { MessageItem } from './message-item.ts'
import type { EmitEvent, ItemContext, OutputItem } from './output-item.ts'
import { ReasoningItem } from './reasoning-item.ts'

/** What the output needs of the response around it. */
export interface ResponseOutputOptions {
  readonly emit: EmitEvent
  readonly newId: () => string
  readonly reasoningAsSummary: boolean
  /** The client's tools by their names upstream. */
  readonly tools: ToolNames
}

/** The items of one response, in order. */
export class ResponseOutput {
  readonly #options: ResponseOutputOptions
  readonly #order: ItemOrder
  readonly #items: OutputItem[] = []
  readonly #calls = new Map<number, CallItem>()
  readonly #openCalls = new Set<CallItem>()
  /** Calls whose function has no name yet, by index: their item cannot be announced. */
  readonly #unnamed = new Map<number | null, ToolCallDelta>()
  /** The open message or reasoning; null once something else began. */
  #current: MessageItem | ReasoningItem | null = null
  /** The item that the last delta belongs to. */
  #latest: OutputItem | null = null
  #lastCall: CallItem | null = null

  constructor(options: ResponseOutputOptions) {
    this.#options = options
    this.#order = new ItemOrder(options.emit)
  }

  /** Adds the next delta; an empty one adds nothing. */
  add(delta: ChatDelta): void {
    if (delta.reasoning !== '') this.#reasoning().addText(delta.reasoning)
    for (const detail of delta.reasoningDetails) this.#reasoning().addDetail(detail)
    if (delta.text !== '') this.#message().addText(delta.text, delta.logprobs)
    for (const citation of delta.citations) this.#cite(citation)
    if (delta.refusal !== '') this.#message().addRefusal(delta.refusal)
    for (const call of delta.toolCalls) this.#addToolCall(call)
  }

  /**
   * Ends all items. Where the answer was cut off, the last item is incomplete. Throws
   * `upstream_invalid_response`, without an event, for a call that never got a name.
   */
  close(isCutOff: boolean): void {
    if (this.#unnamed.size > 0) throw unreadableAnswer('a tool call without a name')
    for (const item of this.#items) item.close(isCutOff && item === this.#latest ? 'incomplete' : 'completed')
    this.#current = null
  }

  /** The items as they are now. */
  snapshots(): readonly JsonObject[] {
    return this.#items.map((item) => item.snapshot())
  }

  /** The items of a response that failed: what was growing is incomplete. */
  failedSnapshots(): readonly JsonObject[] {
    return this.snapshots().map((item) => (item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item))
  }

  #message(): MessageItem {
    if (this.#current instanceof MessageItem) return this.#continue(this.#current)
    return this.#begin((context) => new MessageItem(context), 'msg')
  }

  #reasoning(): ReasoningItem {
    if (this.#current instanceof ReasoningItem) return this.#continue(this.#current)
    return this.#begin((context) => new ReasoningItem(context, this.#options.reasoningAsSummary), 'rs')
  }

  /** Citations may come after their text, and until something else has begun. */
  #cite(citation: UrlCitation): void {
    if (this.#current instanceof MessageItem) this.#current.addCitation(citation)
  }

  #continue<Item extends OutputItem>(item: Item): Item {
    this.#latest = item
    return item
  }

  #begin<Item extends MessageItem | ReasoningItem>(make: (context: ItemContext) => Item, prefix: string): Item {
    this.#endBefore()
    const item = make(this.#nextContext(prefix))
    this.#current = item
    this.#items.push(item)
    return this.#continue(item)
  }

  #addToolCall(call: ToolCallDelta): void {
    const known = this.#itemOf(call)
    if (known !== null) return this.#addToItem(known, call)
    const earlier = this.#unnamed.get(call.index)
    const whole = earlier === undefined ? call : joined(earlier, call)
    if (whole.name === '') return void this.#unnamed.set(call.index, whole)
    this.#unnamed.delete(call.index)
    this.#addToItem(this.#beginCall(whole), whole)
  }

  #addToItem(item: CallItem, call: ToolCallDelta): void {
    if (item.status !== 'in_progress') {
      if (call.arguments.trim() !== '') throw unreadableAnswer('a tool call went on after the end of its arguments')
      return
    }
    this.#lastCall = this.#continue(item)
    item.addExtra(call.extra)
    item.addArguments(call.arguments)
    if (item !== this.#items.at(-1)) this.#endIfWhole(item)
  }

  /** Something else begins: what is complete before it is done. */
  #endBefore(): void {
    this.#current?.close('completed')
    this.#current = null
    for (const call of this.#openCalls) this.#endIfWhole(call)
  }

  #endIfWhole(call: CallItem): void {
    if (!call.isWhole) return
    this.#openCalls.delete(call)
    call.close('completed')
  }

  /** The item that a delta belongs to, or null when it begins a new one. */
  #itemOf({ index, id, name }: ToolCallDelta): CallItem | null {
    const known = index === null ? this.#lastCall : (this.#calls.get(index) ?? null)
    if (known === null) return null
    // Some upstreams number all calls 0, or not at all: a name with another id is another call.
    const isOther = name !== '' && id !== known.callId && (index === null || id !== '')
    return isOther ? null : known
  }

  #beginCall({ index, id, name }: ToolCallDelta): CallItem {
    this.#endBefore()
    const tool = this.#options.tools.get(name) ?? { kind: 'function', name, namespace: null }
    const callId = id || `call_${this.#options.newId()}`
    const call =
      tool.kind === 'custom'
        ? new CustomCallItem(this.#nextContext('ctc'), callId, tool)
        : new FunctionCallItem(this.#nextContext('fc'), callId, tool)
    this.#items.push(call)
    this.#openCalls.add(call)
    if (index !== null) this.#calls.set(index, call)
    return call
  }

  #nextContext(prefix: string): ItemContext {
    const outputIndex = this.#items.length
    const emit: EmitEvent = (type, fields) => this.#order.emit(outputIndex, type, fields)
    return { id: `${prefix}_${this.#options.newId()}`, outputIndex, emit }
  }
}

function joined(earlier: ToolCallDelta, next: ToolCallDelta): ToolCallDelta {
  return {
    index: next.index,
    id: earlier.id || next.id,
    name: next.name,
    arguments: earlier.arguments + next.arguments,
    extra: { ...earlier.extra, ...next.extra },
  }
}

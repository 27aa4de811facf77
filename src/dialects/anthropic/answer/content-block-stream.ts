/**
 * The content blocks of one streamed message, as events. A message has one open block at a time, and
 * the next starts when it stops; a chat answer may send several tool calls in turns. What belongs to
 * the open block goes out at once. A tool call whose arguments are not complete stays open, and what
 * comes in between waits for its turn; the order within a block never changes.
 * Grammar: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { unreadableAnswer } from '../../chat/chat-answer.ts'
import type { JsonObject } from '../../dialect.ts'
import { typedEvent } from '../../typed-event.ts'
import { JsonEnd } from '../../chat/json-end.ts'
import { textBlock, thinkingBlock, toolUseBlock } from './message.ts'

/** What tells the tool calls of one answer apart. */
export type ToolCallKey = string | number

type Delta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

interface Block {
  readonly kind: 'text' | 'thinking' | 'tool_use'
  /** The block as `content_block_start` has it. */
  readonly start: JsonObject
  /** Finds where a tool call's arguments end; null for other blocks. */
  readonly end: JsonEnd | null
  /** What came before the block's turn. */
  readonly queued: Delta[]
  /** A signed block takes nothing more. */
  signed: boolean
  stopped: boolean
}

/** Returns the text of the events that each step causes. */
export class ContentBlockStream {
  /** Index of the open block, or of the next one. */
  #index = 0
  /** The open block, and those that wait behind it. */
  readonly #blocks: Block[] = []
  readonly #calls = new Map<ToolCallKey, Block>()

  /** Whether a tool was called. */
  get hasToolUse(): boolean {
    return this.#calls.size > 0
  }

  addText(text: string): string {
    if (text === '') return ''
    const [block, started] = this.#last('text', textBlock(''))
    return started + this.#add(block, { type: 'text_delta', text })
  }

  addThinking(thinking: string): string {
    if (thinking === '') return ''
    const [block, started] = this.#last('thinking', thinkingBlock('', ''))
    return started + this.#add(block, { type: 'thinking_delta', thinking })
  }

  /** Signs the last thinking block, or a new one without text; later thinking is another block. */
  addSignature(signature: string): string {
    const [block, started] = this.#last('thinking', thinkingBlock('', ''))
    const delta = this.#add(block, { type: 'signature_delta', signature })
    block.signed = true
    return started + delta
  }

  hasToolCall(key: ToolCallKey): boolean {
    return this.#calls.has(key)
  }

  startToolUse(key: ToolCallKey, id: string, name: string): string {
    const block = newBlock('tool_use', toolUseBlock(id, name, {}))
    this.#calls.set(key, block)
    return this.#push(block)
  }

  /** Adds a fragment of a call's arguments. Throws `upstream_invalid_response` for one after their end. */
  addInputJson(key: ToolCallKey, json: string): string {
    const block = this.#calls.get(key)
    if (block === undefined || json === '') return ''
    if (block.stopped) {
      if (json.trim() === '') return ''
      throw unreadableAnswer('a tool call went on after the end of its arguments')
    }
    block.end?.read(json)
    return this.#add(block, { type: 'input_json_delta', partial_json: json }) + this.#stopComplete()
  }

  /** Sends what waits, and stops all blocks. */
  finish(): string {
    let events = ''
    while (this.#blocks.length > 0) events += this.#stopFirst()
    return events
  }

  /** The last block if it is of this kind, else a new one, with the events that start it. */
  #last(kind: Block['kind'], start: JsonObject): readonly [Block, string] {
    const last = this.#blocks.at(-1)
    if (last?.kind === kind && !last.signed) return [last, '']
    const block = newBlock(kind, start)
    return [block, this.#push(block)]
  }

  #push(block: Block): string {
    this.#blocks.push(block)
    return this.#blocks.length === 1 ? this.#start(block) : this.#stopComplete()
  }

  #add(block: Block, delta: Delta): string {
    if (block === this.#blocks[0]) return this.#delta(delta)
    block.queued.push(delta)
    return ''
  }

  /** Stops what is complete as long as something waits behind it. */
  #stopComplete(): string {
    let events = ''
    while (this.#blocks.length > 1 && (this.#blocks[0]?.end?.reached ?? true)) events += this.#stopFirst()
    return events
  }

  #stopFirst(): string {
    const block = this.#blocks.shift()
    if (block === undefined) return ''
    block.stopped = true
    const stop = typedEvent({ type: 'content_block_stop', index: this.#index })
    this.#index += 1
    const [next] = this.#blocks
    return next === undefined ? stop : stop + this.#start(next)
  }

  #start(block: Block): string {
    const start = typedEvent({ type: 'content_block_start', index: this.#index, content_block: block.start })
    const deltas = block.queued.splice(0).map((delta) => this.#delta(delta))
    return start + deltas.join('')
  }

  #delta(delta: Delta): string {
    return typedEvent({ type: 'content_block_delta', index: this.#index, delta })
  }
}

function newBlock(kind: Block['kind'], start: JsonObject): Block {
  return { kind, start, end: kind === 'tool_use' ? new JsonEnd() : null, queued: [], signed: false, stopped: false }
}

/**
 * The content blocks of one streamed message, as events. A message has one open block at a time and
 * the next begins when it is closed; a chat answer may speak of several tool calls in turns. What
 * belongs to the open block goes out at once. A call whose arguments are not complete stays open, and
 * what comes in between waits for its turn; order within a block is never changed.
 * Grammar: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { unreadable } from '../chat-answer.ts'
import { JsonEnd } from './json-end.ts'
import { textBlock, thinkingBlock, toolUseBlock } from './message.ts'

/** An index of the chat answer's tool calls, or what stands for one. */
export type CallKey = string | number

type Delta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

interface Block {
  readonly kind: 'text' | 'thinking' | 'tool_use'
  /** As `content_block_start` has it. */
  readonly start: object
  /** Of a tool call: where its arguments end. */
  readonly end: JsonEnd | null
  /** Said before the block's turn has come. */
  readonly held: Delta[]
  /** Nothing more can belong to it. */
  sealed: boolean
  closed: boolean
}

export class BlockSequence {
  /** Index of the open block, or of the next one. */
  #index = 0
  /** The open block, and those that wait behind it. */
  readonly #blocks: Block[] = []
  readonly #calls = new Map<CallKey, Block>()

  /** Some tool has been called. */
  get called(): boolean {
    return this.#calls.size > 0
  }

  text(text: string): string {
    if (text === '') return ''
    const [block, begun] = this.#last('text', textBlock(''))
    return begun + this.#add(block, { type: 'text_delta', text })
  }

  thinking(thinking: string): string {
    if (thinking === '') return ''
    const [block, begun] = this.#last('thinking', thinkingBlock('', ''))
    return begun + this.#add(block, { type: 'thinking_delta', thinking })
  }

  /** Signs the thought that is being said, or one without text; what is thought afterwards is another block. */
  sign(signature: string): string {
    const [block, begun] = this.#last('thinking', thinkingBlock('', ''))
    const signed = this.#add(block, { type: 'signature_delta', signature })
    block.sealed = true
    return begun + signed
  }

  hasCall(key: CallKey): boolean {
    return this.#calls.has(key)
  }

  beginCall(key: CallKey, id: string, name: string): string {
    const block = newBlock('tool_use', toolUseBlock(id, name, {}))
    this.#calls.set(key, block)
    return this.#begin(block)
  }

  /** A piece of a call's arguments. Throws upstream_invalid_response for one behind their end. */
  callArguments(key: CallKey, json: string): string {
    const block = this.#calls.get(key)
    if (block === undefined || json === '') return ''
    if (block.closed) {
      if (json.trim() === '') return ''
      throw unreadable('a tool call went on after the end of its arguments')
    }
    block.end?.read(json)
    return this.#add(block, { type: 'input_json_delta', partial_json: json }) + this.#advance()
  }

  /** Says what waits, and closes everything. */
  finish(): string {
    let events = ''
    while (this.#blocks.length > 0) events += this.#closeFirst()
    return events
  }

  /** The last block if it is of this kind, else a new one, with the events that begin it. */
  #last(kind: Block['kind'], start: object): readonly [Block, string] {
    const last = this.#blocks.at(-1)
    if (last?.kind === kind && !last.sealed) return [last, '']
    const block = newBlock(kind, start)
    return [block, this.#begin(block)]
  }

  #begin(block: Block): string {
    this.#blocks.push(block)
    return this.#blocks.length === 1 ? this.#start(block) : this.#advance()
  }

  #add(block: Block, delta: Delta): string {
    if (block === this.#blocks[0]) return this.#delta(delta)
    block.held.push(delta)
    return ''
  }

  /** Closes what is complete as long as something waits behind it. */
  #advance(): string {
    let events = ''
    while (this.#blocks.length > 1 && (this.#blocks[0]?.end?.reached ?? true)) events += this.#closeFirst()
    return events
  }

  #closeFirst(): string {
    const block = this.#blocks.shift()
    if (block === undefined) return ''
    block.closed = true
    const stop = event({ type: 'content_block_stop', index: this.#index })
    this.#index += 1
    const [next] = this.#blocks
    return next === undefined ? stop : stop + this.#start(next)
  }

  #start(block: Block): string {
    const start = event({ type: 'content_block_start', index: this.#index, content_block: block.start })
    const held = block.held.splice(0).map((delta) => this.#delta(delta))
    return start + held.join('')
  }

  #delta(delta: Delta): string {
    return event({ type: 'content_block_delta', index: this.#index, delta })
  }
}

/** One server-sent event; its name is the type, as in every event of this dialect. */
export function event(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

function newBlock(kind: Block['kind'], start: object): Block {
  return { kind, start, end: kind === 'tool_use' ? new JsonEnd() : null, held: [], sealed: false, closed: false }
}

/**
 * The output of one answer while it grows: which item goes on with what the upstream says next.
 * Thoughts and messages follow each other; calls may grow side by side and end with the answer.
 */
import { ApiError } from '#errors/api-error.ts'
import { CallItem } from './function-call-item.ts'
import type { CallPiece, Said } from '../chat-answer.ts'
import type { Json } from '../fields.ts'
import { MessageItem } from './message-item.ts'
import type { ItemPlace, OutputItem, Tell } from './output-item.ts'
import { ReasoningItem } from './reasoning-item.ts'

export interface OutputOptions {
  readonly tell: Tell
  readonly newId: () => string
  readonly thoughtsAsSummary: boolean
}

export class Output {
  readonly #options: OutputOptions
  readonly #items: OutputItem[] = []
  readonly #calls = new Map<number, CallItem>()
  /** Beginnings of calls whose function has no name yet, by index: no item can be told of them. */
  readonly #held = new Map<number | null, CallPiece>()
  /** The message or the thoughts that go on; null when something else has begun. */
  #current: MessageItem | ReasoningItem | null = null
  /** The item that the upstream spoke of last. */
  #latest: OutputItem | null = null
  #lastCall: CallItem | null = null

  constructor(options: OutputOptions) {
    this.#options = options
  }

  /** Takes what comes next; empty strings say nothing. */
  add(said: Said): void {
    if (said.thoughts !== '') this.#reasoning().addThoughts(said.thoughts)
    for (const detail of said.thoughtDetails) this.#reasoning().addDetail(detail)
    if (said.text !== '') this.#message().addText(said.text, said.logprobs)
    if (said.refusal !== '') this.#message().addRefusal(said.refusal)
    for (const piece of said.calls) this.#addCall(piece)
  }

  /**
   * Ends all items. Where the answer was cut, the item that was growing is incomplete. Throws
   * `upstream_invalid_response`, with nothing told, for a call that never got a name.
   */
  close(cut: boolean): void {
    if (this.#held.size > 0)
      throw new ApiError('upstream_invalid_response', { internal: 'a tool call without the name of its function' })
    for (const item of this.#items) item.close(cut && item === this.#latest ? 'incomplete' : 'completed')
    this.#current = null
  }

  /** The items as they stand. */
  values(): readonly Json[] {
    return this.#items.map((item) => item.value())
  }

  /** The items as they stand when nothing more will come: what was growing is incomplete. */
  brokenValues(): readonly Json[] {
    return this.values().map((item) => (item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item))
  }

  #message(): MessageItem {
    if (this.#current instanceof MessageItem) return this.#continue(this.#current)
    return this.#begin((place) => new MessageItem(place), 'msg')
  }

  #reasoning(): ReasoningItem {
    if (this.#current instanceof ReasoningItem) return this.#continue(this.#current)
    return this.#begin((place) => new ReasoningItem(place, this.#options.thoughtsAsSummary), 'rs')
  }

  #continue<Item extends OutputItem>(item: Item): Item {
    this.#latest = item
    return item
  }

  #begin<Item extends MessageItem | ReasoningItem>(make: (place: ItemPlace) => Item, prefix: string): Item {
    this.#current?.close('completed')
    const item = make(this.#nextPlace(prefix))
    this.#current = item
    this.#items.push(item)
    return this.#continue(item)
  }

  #addCall(piece: CallPiece): void {
    const known = this.#callOf(piece)
    if (known !== null) return this.#addToCall(known, piece)
    const held = this.#held.get(piece.index)
    const whole = held === undefined ? piece : joined(held, piece)
    if (whole.name === '') return void this.#held.set(piece.index, whole)
    this.#held.delete(piece.index)
    this.#addToCall(this.#beginCall(whole), whole)
  }

  #addToCall(call: CallItem, piece: CallPiece): void {
    this.#lastCall = this.#continue(call)
    call.addOthers(piece.others)
    call.addArguments(piece.arguments)
  }

  /** The call that a piece belongs to, or null when it begins a new one. */
  #callOf({ index, id, name }: CallPiece): CallItem | null {
    const known = index === null ? this.#lastCall : (this.#calls.get(index) ?? null)
    if (known === null) return null
    // Some servers number all calls 0, or not at all: a name with another id is another call.
    const isOther = name !== '' && id !== known.head.callId && (index === null || id !== '')
    return isOther ? null : known
  }

  #beginCall({ index, id, name }: CallPiece): CallItem {
    this.#current?.close('completed')
    this.#current = null
    const call = new CallItem(this.#nextPlace('fc'), { callId: id || `call_${this.#options.newId()}`, name })
    this.#items.push(call)
    if (index !== null) this.#calls.set(index, call)
    return call
  }

  #nextPlace(prefix: string): ItemPlace {
    const { tell, newId } = this.#options
    return { id: `${prefix}_${newId()}`, outputIndex: this.#items.length, tell }
  }
}

function joined(held: CallPiece, next: CallPiece): CallPiece {
  return {
    index: next.index,
    id: held.id || next.id,
    name: next.name,
    arguments: held.arguments + next.arguments,
    others: { ...held.others, ...next.others },
  }
}

/**
 * The order of a response's events. The API announces an item when the one before it is done, and clients rely on that;
 * a chat answer may send several tool calls in turns. What belongs to the open item goes out at once, and what belongs to
 * a later one waits until it is that item's turn.
 */
import type { JsonObject } from '../../dialect.ts'
import type { EmitEvent } from './output-item.ts'

/** Orders the events of one response by the items that they are about. */
export class ItemOrder {
  readonly #emit: EmitEvent
  /** The output index of the item whose events go out. */
  #open = 0
  readonly #waiting = new Map<number, (readonly [type: string, fields: JsonObject])[]>()

  constructor(emit: EmitEvent) {
    this.#emit = emit
  }

  /** Takes an event about the item at this index. */
  emit(outputIndex: number, type: string, fields: JsonObject): void {
    if (outputIndex === this.#open) {
      this.#emit(type, fields)
      if (type === 'response.output_item.done') this.#openNext()
      return
    }
    const waiting = this.#waiting.get(outputIndex) ?? []
    waiting.push([type, fields])
    this.#waiting.set(outputIndex, waiting)
  }

  #openNext(): void {
    this.#open += 1
    const next = this.#open
    const waiting = this.#waiting.get(next) ?? []
    this.#waiting.delete(next)
    for (const [type, fields] of waiting) this.emit(next, type, fields)
  }
}

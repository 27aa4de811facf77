/**
 * One output item of a response while it grows. It emits each step as an event, and shows at any time
 * what it holds. Events come in pairs that enclose what they announce: added … done.
 * Shapes: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { JsonObject } from '../../dialect.ts'

/** Takes the type of an event and its other fields. */
export type EmitEvent = (type: string, fields: JsonObject) => void

/** The status of an output item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** What an item needs of the response around it. */
export interface ItemContext {
  readonly id: string
  /** Its index in `output`. */
  readonly outputIndex: number
  readonly emit: EmitEvent
}

/** What the items of every type share: id, status, the events of their begin and end. */
export abstract class OutputItem {
  status: ItemStatus = 'in_progress'
  protected readonly context: ItemContext

  constructor(context: ItemContext) {
    this.context = context
  }

  /** The item as it is now. */
  abstract snapshot(): JsonObject

  /** Ends the open part. */
  protected abstract closePart(): void

  /** Ends the item: nothing may be added afterwards. Ending it again does nothing. */
  close(status: 'completed' | 'incomplete'): void {
    if (this.status !== 'in_progress') return
    this.closePart()
    this.status = status
    this.context.emit('response.output_item.done', { output_index: this.context.outputIndex, item: this.snapshot() })
  }

  /** The item calls this once, as soon as it knows what it is. */
  protected open(): void {
    this.context.emit('response.output_item.added', { output_index: this.context.outputIndex, item: this.snapshot() })
  }

  /** Emits an event about a part of this item. */
  protected emitPart(type: string, fields: JsonObject): void {
    this.context.emit(type, { item_id: this.context.id, output_index: this.context.outputIndex, ...fields })
  }
}

/**
 * One item of an answer while it grows. It tells each step as an event, and at any time what it
 * holds. Events come in pairs that enclose what they announce: added … done.
 * Shapes: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { Json } from '../fields.ts'

/** Takes an event's type and its fields. */
export type Tell = (type: string, fields: Json) => void

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemPlace {
  readonly id: string
  /** Its place in `output`. */
  readonly outputIndex: number
  readonly tell: Tell
}

export abstract class OutputItem {
  status: ItemStatus = 'in_progress'
  protected readonly place: ItemPlace

  constructor(place: ItemPlace) {
    this.place = place
  }

  /** The item as it stands. */
  abstract value(): Json

  /** Ends what is open inside. */
  protected abstract closeInside(): void

  /** Ends the item: nothing may be added to it afterwards. Ending it again does nothing. */
  close(status: 'completed' | 'incomplete'): void {
    if (this.status !== 'in_progress') return
    this.closeInside()
    this.status = status
    this.place.tell('response.output_item.done', { output_index: this.place.outputIndex, item: this.value() })
  }

  /** To be called once by the item itself, as soon as it knows what it is. */
  protected open(): void {
    this.place.tell('response.output_item.added', { output_index: this.place.outputIndex, item: this.value() })
  }

  /** An event about something inside this item. */
  protected tellInside(type: string, fields: Json): void {
    this.place.tell(type, { item_id: this.place.id, output_index: this.place.outputIndex, ...fields })
  }
}

/** A call of one of the client's functions. */
import type { Json } from '../fields.ts'
import { OutputItem, type ItemPlace } from './output-item.ts'

export interface CallHead {
  readonly callId: string
  readonly name: string
}

export class CallItem extends OutputItem {
  readonly head: CallHead
  #arguments = ''
  #others: Json = {}

  constructor(place: ItemPlace, head: CallHead) {
    super(place)
    this.head = head
    this.open()
  }

  addArguments(delta: string): void {
    if (delta === '') return
    this.#arguments += delta
    this.tellInside('response.function_call_arguments.delta', { delta })
  }

  /** What the upstream adds of its own, and wants back with the call. */
  addOthers(others: Json): void {
    this.#others = { ...this.#others, ...others }
  }

  override value(): Json {
    return {
      ...this.#others,
      id: this.place.id,
      type: 'function_call',
      status: this.status,
      arguments: this.#arguments,
      call_id: this.head.callId,
      name: this.head.name,
    }
  }

  protected override closeInside(): void {
    this.tellInside('response.function_call_arguments.done', { arguments: this.#arguments })
  }
}

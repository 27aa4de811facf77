/** A call of a function of the client. */
import type { JsonObject } from '../../dialect.ts'
import { OutputItem, type ItemContext } from './output-item.ts'

/** The call that an item is for. */
export interface FunctionCall {
  readonly callId: string
  readonly name: string
}

/** An output item of type `function_call`. */
export class FunctionCallItem extends OutputItem {
  readonly call: FunctionCall
  #arguments = ''
  #extra: JsonObject = {}

  constructor(context: ItemContext, call: FunctionCall) {
    super(context)
    this.call = call
    this.open()
  }

  addArguments(delta: string): void {
    if (delta === '') return
    this.#arguments += delta
    this.emitPart('response.function_call_arguments.delta', { delta })
  }

  /** Adds fields of the vendor, which the upstream wants back with the call. */
  addExtra(extra: JsonObject): void {
    this.#extra = { ...this.#extra, ...extra }
  }

  override snapshot(): JsonObject {
    return {
      ...this.#extra,
      id: this.context.id,
      type: 'function_call',
      status: this.status,
      arguments: this.#arguments,
      call_id: this.call.callId,
      name: this.call.name,
    }
  }

  protected override closePart(): void {
    this.emitPart('response.function_call_arguments.done', { arguments: this.#arguments })
  }
}

/** A call of a function of the client. */
import type { JsonObject } from '../../dialect.ts'
import type { ToolIdentity } from '../request/tool-names.ts'
import { OutputItem, type ItemContext } from './output-item.ts'

/** An output item of type `function_call`. */
export class FunctionCallItem extends OutputItem {
  readonly callId: string
  readonly #tool: ToolIdentity
  #arguments = ''
  #extra: JsonObject = {}

  constructor(context: ItemContext, callId: string, tool: ToolIdentity) {
    super(context)
    this.callId = callId
    this.#tool = tool
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
      call_id: this.callId,
      name: this.#tool.name,
      ...(this.#tool.namespace !== null && { namespace: this.#tool.namespace }),
    }
  }

  protected override closePart(): void {
    this.emitPart('response.function_call_arguments.done', { arguments: this.#arguments })
  }
}

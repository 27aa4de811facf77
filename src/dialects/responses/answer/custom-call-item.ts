/** A call of a custom tool of the client, whose input is a text. */
import type { JsonObject } from '../../dialect.ts'
import { customInput, type ToolIdentity } from '../request/tool-names.ts'
import { OutputItem, type ItemContext } from './output-item.ts'

/** An output item of type `custom_tool_call`. The input is known when the call is complete: it comes as one delta. */
export class CustomCallItem extends OutputItem {
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
    this.#arguments += delta
  }

  addExtra(extra: JsonObject): void {
    this.#extra = { ...this.#extra, ...extra }
  }

  override snapshot(): JsonObject {
    return {
      ...this.#extra,
      id: this.context.id,
      type: 'custom_tool_call',
      status: this.status,
      call_id: this.callId,
      name: this.#tool.name,
      ...(this.#tool.namespace !== null && { namespace: this.#tool.namespace }),
      input: this.#arguments === '' ? '' : customInput(this.#arguments),
    }
  }

  protected override closePart(): void {
    const input = customInput(this.#arguments)
    if (input !== '') this.emitPart('response.custom_tool_call_input.delta', { delta: input })
    this.emitPart('response.custom_tool_call_input.done', { input })
  }
}

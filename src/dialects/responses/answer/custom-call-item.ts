/** A call of a custom tool of the client, whose input is a text. */
import type { JsonObject } from '../../dialect.ts'
import { customInput } from '../request/tool-names.ts'
import { CallItem } from './call-item.ts'

/** An output item of type `custom_tool_call`. The input is known when the call is complete: it comes as one delta. */
export class CustomCallItem extends CallItem {
  protected override content(): JsonObject {
    return { type: 'custom_tool_call', input: this.arguments === '' ? '' : customInput(this.arguments) }
  }

  protected override grew(): void {}

  protected override closePart(): void {
    const input = customInput(this.arguments)
    if (input !== '') this.emitPart('response.custom_tool_call_input.delta', { delta: input })
    this.emitPart('response.custom_tool_call_input.done', { input })
  }
}

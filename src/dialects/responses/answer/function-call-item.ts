/** A call of a function of the client. */
import type { JsonObject } from '../../dialect.ts'
import { CallItem } from './call-item.ts'

/** An output item of type `function_call`. */
export class FunctionCallItem extends CallItem {
  protected override content(): JsonObject {
    return { type: 'function_call', arguments: this.arguments }
  }

  protected override grew(delta: string): void {
    this.emitPart('response.function_call_arguments.delta', { delta })
  }

  protected override closePart(): void {
    this.emitPart('response.function_call_arguments.done', { arguments: this.arguments })
  }
}

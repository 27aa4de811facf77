/** What calls of functions and of custom tools share: whose call it is, and its arguments while they arrive. */
import { JsonEnd } from '../../chat/json-end.ts'
import type { JsonObject } from '../../dialect.ts'
import type { ToolIdentity } from '../request/tool-names.ts'
import { OutputItem, type ItemContext } from './output-item.ts'

/** An output item that is a call of a tool of the client. */
export abstract class CallItem extends OutputItem {
  readonly callId: string
  protected readonly tool: ToolIdentity
  protected arguments = ''
  readonly #end = new JsonEnd()
  #extra: JsonObject = {}

  constructor(context: ItemContext, callId: string, tool: ToolIdentity) {
    super(context)
    this.callId = callId
    this.tool = tool
    this.open()
  }

  /** Whether the arguments are a complete object: what follows is another item. */
  get isWhole(): boolean {
    return this.#end.reached
  }

  addArguments(delta: string): void {
    if (delta === '') return
    this.arguments += delta
    this.#end.read(delta)
    this.grew(delta)
  }

  /** Adds fields of the vendor, which the upstream wants back with the call. */
  addExtra(extra: JsonObject): void {
    this.#extra = { ...this.#extra, ...extra }
  }

  override snapshot(): JsonObject {
    const { namespace, name } = this.tool
    const call = { call_id: this.callId, name, ...(namespace !== null && { namespace }) }
    return { ...this.#extra, id: this.context.id, status: this.status, ...this.content(), ...call }
  }

  /** The type of the item, and what the tool is called with. */
  protected abstract content(): JsonObject

  /** Emits what the fragment adds, if it can be told yet. */
  protected abstract grew(delta: string): void
}

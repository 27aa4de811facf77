/** Decides whether a chat is answered with a tool call, and makes its arguments from the tool's schema. */
import type { Directives } from './directives.ts'
import type { ChatRequest } from './request.ts'
import { DemoProblem } from './problem.ts'
import { schemaInstance } from './schema-instance.ts'

export interface ToolCall {
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/**
 * The call that `tool_choice` or the directive `/tool` asks for, else null. The directive is spent
 * once a tool has answered, so that an agent loop comes to an end.
 */
export function toolCallFor(request: ChatRequest, directives: Directives): ToolCall | null {
  const choice = demandOf(request)
  const ordered = directives.tool && request.messages.at(-1)?.role !== 'tool'
  if (choice === 'none' || (choice === 'auto' && !ordered)) return null
  const functions = (request.tools ?? []).flatMap((tool, index) => (tool.function ? [{ ...tool.function, index }] : []))
  const tool = typeof choice === 'string' ? functions[0] : functions.find(({ name }) => name === choice.named)
  if (tool === undefined) {
    if (choice === 'auto') return null
    throw new DemoProblem('"tool_choice" asks for a function that "tools" does not offer.', 'tool_choice')
  }
  const instance = schemaInstance(tool.parameters ?? true)
  if (instance !== undefined) return { name: tool.name, arguments: JSON.stringify(instance) }
  const param = `tools.${tool.index}.function.parameters`
  throw new DemoProblem(
    'The practice provider finds no arguments that satisfy this JSON schema.',
    param,
    'invalid_json_schema',
  )
}

/** `tool_choice` in four forms. Kinds of choice other than a plain demand (allowed tools, custom tools) leave it open. */
function demandOf({ tool_choice: choice }: ChatRequest): 'auto' | 'none' | 'required' | { readonly named: string } {
  if (choice === 'none' || choice === 'required') return choice
  if (typeof choice !== 'object' || choice === null) return 'auto'
  return choice.type === 'function' && choice.function ? { named: choice.function.name } : 'auto'
}

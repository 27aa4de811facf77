/**
 * `tools` and `tool_choice`. Only functions of the client are translated: the gateway does not run the
 * tools that the API itself would run.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
 */
import type { JsonObject } from '../../dialect.ts'
import {
  defined,
  invalidField,
  pathOf,
  readBoolean,
  readEnum,
  readObject,
  readObjects,
  readString,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { unsupportedField, extraFields, refuseUnsupportedFields } from './unsupported-field.ts'

/** The tools of a request, translated. */
export interface ToolFields {
  /** The fields for the chat completion; none without an allowed tool. */
  readonly chat: JsonObject
  /** The fields as the response repeats them. */
  readonly echo: { readonly tools: readonly JsonObject[]; readonly tool_choice: unknown }
}

interface Tool {
  readonly name: string
  readonly chat: JsonObject
  readonly echo: JsonObject
}

const unsupported = ['async', 'defer_loading', 'output_schema']
const toolFields = new Set([...unsupported, 'type', 'name', 'description', 'parameters', 'strict', 'allowed_callers'])

/** The tools of a request, and how the model chooses among them. */
export function readTools(body: RequestObject): ToolFields {
  const tools = readObjects(body, 'tools').map(readTool)
  const requested = body.fields['tool_choice'] ?? undefined
  const echo = { tools: tools.map((tool) => tool.echo), tool_choice: requested ?? 'auto' }
  const { allowed, chatChoice } = readChoice(body, tools)
  if (allowed.length === 0) return { chat: {}, echo }
  return {
    chat: defined({
      tools: allowed.map((tool) => tool.chat),
      tool_choice: requested === undefined ? undefined : chatChoice,
      // Several upstreams refuse this field without tools, where it has no effect.
      parallel_tool_calls: readBoolean(body, 'parallel_tool_calls'),
    }),
    echo,
  }
}

function readTool(tool: RequestObject): Tool {
  const type = requireString(tool, 'type')
  if (type !== 'function')
    throw unsupportedField(
      pathOf(tool, 'type'),
      `The tool "${type}" is not available here. Use tools of type "function".`,
    )
  refuseUnsupportedFields(tool, unsupported)
  const callers = tool.fields['allowed_callers'] ?? ['direct']
  if (JSON.stringify(callers) !== '["direct"]') throw unsupportedField(pathOf(tool, 'allowed_callers'))
  const name = requireString(tool, 'name')
  const description = readString(tool, 'description')
  const parameters = readObject(tool, 'parameters')?.fields
  const strict = readBoolean(tool, 'strict')
  return {
    name,
    chat: {
      type: 'function',
      function: defined({ name, description, parameters, strict }),
      ...extraFields(tool, toolFields),
    },
    echo: {
      type: 'function',
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? false,
    },
  }
}

function readChoice(body: RequestObject, tools: readonly Tool[]): { allowed: readonly Tool[]; chatChoice: unknown } {
  const choice = typeof body.fields['tool_choice'] === 'string' ? undefined : readObject(body, 'tool_choice')
  if (choice === undefined) {
    const mode = readEnum(body, 'tool_choice', ['none', 'auto', 'required']) ?? 'auto'
    if (mode === 'required' && tools.length === 0) throw invalidField('tool_choice', 'requires a tool.')
    return { allowed: tools, chatChoice: mode }
  }
  const type = requireString(choice, 'type')
  if (type === 'function') {
    const { name } = findTool(choice, tools)
    return { allowed: tools, chatChoice: { type: 'function', function: { name } } }
  }
  if (type === 'allowed_tools') {
    // Sending only these tools is the same, and every upstream understands it.
    const listed = readObjects(choice, 'tools').map((tool) => findTool(tool, tools))
    if (listed.length === 0) throw invalidField(pathOf(choice, 'tools'), 'must be an array with at least one tool.')
    const mode = readEnum(choice, 'mode', ['auto', 'required']) ?? 'auto'
    return { allowed: tools.filter((tool) => listed.includes(tool)), chatChoice: mode }
  }
  throw unsupportedField(pathOf(choice, 'type'), `The tool "${type}" is not available here.`)
}

function findTool(choice: RequestObject, tools: readonly Tool[]): Tool {
  if (requireString(choice, 'type') !== 'function')
    throw unsupportedField(pathOf(choice, 'type'), 'Only tools of type "function" are available here.')
  const name = requireString(choice, 'name')
  const tool = tools.find((known) => known.name === name)
  if (tool !== undefined) return tool
  throw invalidField(pathOf(choice, 'name'), 'names none of the tools of this request.')
}

/**
 * `tools` and `tool_choice`. Only functions of the client are translated: tools that the API itself
 * would run have nobody here to run them.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
 */
import {
  defined,
  invalid,
  needString,
  notTranslatable,
  otherFields,
  pathOf,
  readBoolean,
  readObject,
  readObjects,
  readString,
  readWord,
  refuseFields,
  type Json,
  type Place,
} from '../fields.ts'

export interface ToolFields {
  /** The fields for the chat completion; none when the model is offered no tool. */
  readonly chat: Json
  /** The fields as the answer repeats them. */
  readonly echo: { readonly tools: readonly Json[]; readonly tool_choice: unknown }
}

interface Tool {
  readonly name: string
  readonly chat: Json
  readonly echo: Json
}

const untranslatable = ['async', 'defer_loading', 'output_schema']
const toolFields = new Set([
  ...untranslatable,
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'allowed_callers',
])

/** The tools that the model is offered, and how it is to choose among them. */
export function readTools(body: Place): ToolFields {
  const tools = (readObjects(body, 'tools') ?? []).map(readTool)
  const asked = body.object['tool_choice'] ?? undefined
  const echo = { tools: tools.map((tool) => tool.echo), tool_choice: asked ?? 'auto' }
  const { offered, chatChoice } = readChoice(body, tools)
  if (offered.length === 0) return { chat: {}, echo }
  return {
    chat: defined({
      tools: offered.map((tool) => tool.chat),
      tool_choice: asked === undefined ? undefined : chatChoice,
      // Without tools several upstreams refuse this field, and it would mean nothing.
      parallel_tool_calls: readBoolean(body, 'parallel_tool_calls'),
    }),
    echo,
  }
}

function readTool(place: Place): Tool {
  const type = needString(place, 'type')
  if (type !== 'function')
    throw notTranslatable(
      pathOf(place, 'type'),
      `The tool "${type}" is not available here. Use tools of type "function".`,
    )
  refuseFields(place, untranslatable)
  const callers = place.object['allowed_callers'] ?? ['direct']
  if (JSON.stringify(callers) !== '["direct"]') throw notTranslatable(pathOf(place, 'allowed_callers'))
  const name = needString(place, 'name')
  const description = readString(place, 'description')
  const parameters = readObject(place, 'parameters')?.object
  const strict = readBoolean(place, 'strict')
  return {
    name,
    chat: {
      type: 'function',
      function: defined({ name, description, parameters, strict }),
      ...otherFields(place, toolFields),
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

function readChoice(body: Place, tools: readonly Tool[]): { offered: readonly Tool[]; chatChoice: unknown } {
  const choice = typeof body.object['tool_choice'] === 'string' ? undefined : readObject(body, 'tool_choice')
  if (choice === undefined) {
    const mode = readWord(body, 'tool_choice', ['none', 'auto', 'required']) ?? 'auto'
    if (mode === 'required' && tools.length === 0) throw invalid('tool_choice', '"tool_choice" requires a tool.')
    return { offered: tools, chatChoice: mode }
  }
  const type = needString(choice, 'type')
  if (type === 'function') {
    const { name } = toolNamed(choice, tools)
    return { offered: tools, chatChoice: { type: 'function', function: { name } } }
  }
  if (type === 'allowed_tools') {
    // The same as offering these tools only, which every upstream understands.
    const allowed = (readObjects(choice, 'tools') ?? []).map((tool) => toolNamed(tool, tools))
    if (allowed.length === 0)
      throw invalid(pathOf(choice, 'tools'), `"${pathOf(choice, 'tools')}" must be an array with at least one tool.`)
    const mode = readWord(choice, 'mode', ['auto', 'required']) ?? 'auto'
    return { offered: tools.filter((tool) => allowed.includes(tool)), chatChoice: mode }
  }
  throw notTranslatable(pathOf(choice, 'type'), `The tool "${type}" is not available here.`)
}

function toolNamed(place: Place, tools: readonly Tool[]): Tool {
  if (needString(place, 'type') !== 'function')
    throw notTranslatable(pathOf(place, 'type'), 'Only tools of type "function" are available here.')
  const name = needString(place, 'name')
  const tool = tools.find((known) => known.name === name)
  if (tool !== undefined) return tool
  throw invalid(pathOf(place, 'name'), `"${pathOf(place, 'name')}" names none of the tools of this request.`)
}

/** The tools of a request, and its choice among them, as fields of a chat completion. */
import type { ApiError } from '#errors/api-error.ts'
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
  readStrings,
  requireObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { refuseUnknownFields, unsupportedField } from './unsupported-field.ts'
import { clientTool, runsAtAnthropic } from './vendor-tools.ts'

// `defer_loading` and `eager_input_streaming` change when something is sent, not what: they have no effect here.
const toolFields = [
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'strict',
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
  'cache_control',
]

// How much of a file an editor shows is its client's affair.
const knownToolFields = [...toolFields.filter((name) => name !== 'input_schema'), 'max_characters']

/** The tools of a request, translated. */
export interface ToolFields {
  /** The fields `tools`, `tool_choice` and `parallel_tool_calls` of the chat body. */
  readonly chat: JsonObject
  /** The types of tools that were left out. */
  readonly dropped: readonly string[]
}

/** Reads `tools` and `tool_choice`. */
export function readTools(request: RequestObject): ToolFields {
  const sent = readObjects(request, 'tools')
  const own = sent.filter((tool) => !runsAtAnthropic(typeOf(tool)))
  const choice = readObject(request, 'tool_choice')
  const left = sent.filter((tool) => !own.includes(tool))
  // A model that is told to search and has nothing to search with makes its findings up.
  const chosen = left.find((tool) => choice?.fields['name'] === tool.fields['name'])
  const refused = chosen ?? (own.length === 0 ? left[0] : undefined)
  if (refused !== undefined) throw foreignTool(refused)
  return { chat: chatFields(own.map(chatTool), choice), dropped: [...new Set(left.map(typeOf))] }
}

function typeOf(tool: RequestObject): string {
  return readString(tool, 'type') ?? 'custom'
}

function foreignTool(tool: RequestObject): ApiError {
  return unsupportedField(
    pathOf(tool, 'type'),
    `a tool of type "${typeOf(tool)}" exists at Anthropic only. Describe it as a tool of your own with "input_schema".`,
  )
}

function chatFields(tools: readonly JsonObject[], choice: RequestObject | undefined): JsonObject {
  if (tools.length === 0) {
    // Without tools, only a choice that demands one is an error.
    if (choice === undefined || ['auto', 'none'].includes(requireString(choice, 'type'))) return {}
    throw invalidField('tool_choice', 'asks for a tool, but "tools" is empty.')
  }
  if (choice === undefined) return { tools }
  refuseUnknownFields(choice, ['type', 'name', 'disable_parallel_tool_use'])
  const isSequential = readBoolean(choice, 'disable_parallel_tool_use') === true
  return { tools, tool_choice: chatChoice(choice), ...(isSequential && { parallel_tool_calls: false }) }
}

function chatTool(tool: RequestObject): JsonObject {
  const type = typeOf(tool)
  const known = type === 'custom' ? null : clientTool(type)
  if (type !== 'custom' && known === null) throw foreignTool(tool)
  refuseUnknownFields(tool, known === null ? toolFields : knownToolFields)
  const callers = readStrings(tool, 'allowed_callers')
  if (callers.length > 0 && !callers.includes('direct')) {
    throw unsupportedField(pathOf(tool, 'allowed_callers'), 'tools are called by the model itself ("direct").')
  }
  const schema = known === null ? requireObject(tool, 'input_schema').fields : known.schema
  const examples = readObjects(tool, 'input_examples').map(({ fields }) => fields)
  return {
    type: 'function',
    function: defined({
      name: requireString(tool, 'name'),
      description: known?.description ?? readString(tool, 'description'),
      // JSON Schema has a keyword for them (draft 2020-12, section 9.5).
      parameters: examples.length === 0 ? schema : { ...schema, examples },
      strict: readBoolean(tool, 'strict'),
    }),
  }
}

function chatChoice(choice: RequestObject): unknown {
  const type = readEnum(choice, 'type', ['auto', 'any', 'tool', 'none'])
  if (type === undefined) throw invalidField(pathOf(choice, 'type'), 'is required.')
  if (type === 'any') return 'required'
  if (type !== 'tool') return type
  return { type: 'function', function: { name: requireString(choice, 'name') } }
}

/** The tools of a request, and its choice among them, as fields of a chat completion. */
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

/** The fields `tools`, `tool_choice` and `parallel_tool_calls` of the chat body. */
export function chatToolFields(request: RequestObject): JsonObject {
  const tools = readObjects(request, 'tools').map(chatTool)
  const choice = readObject(request, 'tool_choice')
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
  const type = readString(tool, 'type') ?? 'custom'
  if (type !== 'custom') {
    throw unsupportedField(
      pathOf(tool, 'type'),
      `a tool of type "${type}" exists at Anthropic only. Describe it as a tool of your own with "input_schema".`,
    )
  }
  refuseUnknownFields(tool, toolFields)
  const callers = readStrings(tool, 'allowed_callers')
  if (callers.length > 0 && !callers.includes('direct')) {
    throw unsupportedField(pathOf(tool, 'allowed_callers'), 'tools are called by the model itself ("direct").')
  }
  const { fields: schema } = requireObject(tool, 'input_schema')
  const examples = readObjects(tool, 'input_examples').map(({ fields }) => fields)
  return {
    type: 'function',
    function: defined({
      name: requireString(tool, 'name'),
      description: readString(tool, 'description'),
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

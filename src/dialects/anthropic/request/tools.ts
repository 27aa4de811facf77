/** Tools and how the model is to use them, in the words of chat completions. */
import {
  defined,
  malformed,
  optionalFlag,
  optionalPlace,
  optionalText,
  optionalWord,
  pathOf,
  places,
  refuseUnknown,
  requiredPlace,
  text,
  texts,
  untranslatable,
  type Place,
} from '../fields.ts'

// `defer_loading` and `eager_input_streaming` say when something is sent, not what: they have no effect here.
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
export function toolFieldsOf(request: Place): Readonly<Record<string, unknown>> {
  const tools = places(request, 'tools').map(chatTool)
  const choice = optionalPlace(request, 'tool_choice')
  if (tools.length === 0) {
    // Without tools there is nothing to choose, so that only a demand is an error.
    if (choice === undefined || ['auto', 'none'].includes(text(choice, 'type'))) return {}
    throw malformed('tool_choice', 'asks for a tool, but "tools" is empty.')
  }
  if (choice === undefined) return { tools }
  refuseUnknown(choice, ['type', 'name', 'disable_parallel_tool_use'])
  const oneAtATime = optionalFlag(choice, 'disable_parallel_tool_use') === true
  return { tools, tool_choice: chatChoice(choice), ...(oneAtATime && { parallel_tool_calls: false }) }
}

function chatTool(tool: Place): object {
  const type = optionalText(tool, 'type') ?? 'custom'
  if (type !== 'custom') {
    throw untranslatable(
      pathOf(tool, 'type'),
      `a tool of type "${type}" exists at Anthropic only. Describe it as a tool of your own with "input_schema".`,
    )
  }
  refuseUnknown(tool, toolFields)
  const callers = texts(tool, 'allowed_callers')
  if (callers.length > 0 && !callers.includes('direct')) {
    throw untranslatable(pathOf(tool, 'allowed_callers'), 'tools are called by the model itself ("direct").')
  }
  const { fields: schema } = requiredPlace(tool, 'input_schema')
  const examples = places(tool, 'input_examples').map(({ fields }) => fields)
  return {
    type: 'function',
    function: defined({
      name: text(tool, 'name'),
      description: optionalText(tool, 'description'),
      // JSON Schema's own word for the same thing (draft 2020-12, 9.5).
      parameters: examples.length === 0 ? schema : { ...schema, examples },
      strict: optionalFlag(tool, 'strict'),
    }),
  }
}

function chatChoice(choice: Place): unknown {
  const type = optionalWord(choice, 'type', ['auto', 'any', 'tool', 'none'])
  if (type === undefined) throw malformed(pathOf(choice, 'type'), 'is required.')
  if (type === 'any') return 'required'
  if (type !== 'tool') return type
  return { type: 'function', function: { name: text(choice, 'name') } }
}

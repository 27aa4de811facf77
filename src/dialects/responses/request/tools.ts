/**
 * `tools` and `tool_choice`. The client's own tools are functions of the chat completion, custom tools and those of
 * namespaces too (tool-names.ts). The gateway does not run the tools that the API itself would run: they are left out
 * where the model may answer without them, and the answer's head names them.
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
import { chatNameOf, type ToolIdentity, type ToolNames } from './tool-names.ts'
import { unsupportedField, extraFields, refuseUnsupportedFields } from './unsupported-field.ts'

/** The tools of a request, translated. */
export interface ToolFields {
  /** The fields for the chat completion; none without an allowed tool. */
  readonly chat: JsonObject
  /** The fields as the response repeats them. */
  readonly echo: { readonly tools: readonly JsonObject[]; readonly tool_choice: unknown }
  readonly names: ToolNames
  /** The types of tools that were left out. */
  readonly dropped: readonly string[]
}

interface Tool extends ToolIdentity {
  readonly chatName: string
  readonly chat: JsonObject
}

const unsupported = ['async', 'output_schema']
// Deferred tools are found by a search that the API runs; here every tool is offered at once.
const toolFields = new Set([
  ...unsupported,
  'defer_loading',
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'allowed_callers',
])

/** The tools of a request, and how the model chooses among them. */
export function readTools(body: RequestObject): ToolFields {
  const sent = readObjects(body, 'tools')
  const own = sent.filter((tool) => ownTypes.has(requireString(tool, 'type')))
  const tools = own.flatMap((tool) => readTool(tool, null))
  refuseSameNames(body, tools)
  const dropped = [...new Set(sent.filter((tool) => !own.includes(tool)).map((tool) => requireString(tool, 'type')))]
  const requested = body.fields['tool_choice'] ?? undefined
  const echo = { tools: own.map(echoOf), tool_choice: requested ?? 'auto' }
  const { allowed, chatChoice } = readChoice(body, tools)
  const names = new Map(tools.map(({ chatName, kind, name, namespace }) => [chatName, { kind, name, namespace }]))
  if (allowed.length === 0) return { chat: {}, echo, names, dropped }
  return {
    chat: defined({
      tools: allowed.map((tool) => tool.chat),
      tool_choice: requested === undefined ? undefined : chatChoice,
      // Several upstreams refuse this field without tools, where it has no effect.
      parallel_tool_calls: readBoolean(body, 'parallel_tool_calls'),
    }),
    echo,
    names,
    dropped,
  }
}

const ownTypes: ReadonlySet<string> = new Set(['function', 'custom', 'namespace'])

function readTool(tool: RequestObject, namespace: string | null): readonly Tool[] {
  switch (requireString(tool, 'type')) {
    case 'function':
      return [functionTool(tool, namespace)]
    case 'custom':
      return [customTool(tool, namespace)]
    case 'namespace': {
      if (namespace !== null)
        throw unsupportedField(pathOf(tool, 'type'), 'A namespace holds functions and custom tools.')
      const name = requireString(tool, 'name')
      return readObjects(tool, 'tools').flatMap((inner) => readTool(inner, name))
    }
    default:
      throw unsupportedField(pathOf(tool, 'type'), 'A namespace holds functions and custom tools.')
  }
}

function functionTool(tool: RequestObject, namespace: string | null): Tool {
  refuseUnsupportedFields(tool, unsupported)
  const callers = tool.fields['allowed_callers'] ?? ['direct']
  if (JSON.stringify(callers) !== '["direct"]') throw unsupportedField(pathOf(tool, 'allowed_callers'))
  const name = requireString(tool, 'name')
  const chatName = chatNameOf({ name, namespace })
  const called = defined({
    name: chatName,
    description: readString(tool, 'description'),
    parameters: readObject(tool, 'parameters')?.fields,
    strict: readBoolean(tool, 'strict'),
  })
  return {
    kind: 'function',
    name,
    namespace,
    chatName,
    chat: { type: 'function', function: called, ...extraFields(tool, toolFields) },
  }
}

/** A tool whose input is any text: a function with that text. A grammar of it is told to the model, not enforced. */
function customTool(tool: RequestObject, namespace: string | null): Tool {
  const name = requireString(tool, 'name')
  const chatName = chatNameOf({ name, namespace })
  const format = readObject(tool, 'format')
  const grammar = format === undefined ? undefined : readString(format, 'definition')
  const syntax = (format && readString(format, 'syntax')) ?? 'grammar'
  const hint = grammar === undefined ? [] : [`The input must match this ${syntax} definition:\n${grammar}`]
  const description = [readString(tool, 'description') ?? '', ...hint].filter((text) => text !== '').join('\n\n')
  const input = { type: 'string', description: 'The whole input of the tool.' }
  const parameters = { type: 'object', properties: { input }, required: ['input'], additionalProperties: false }
  return {
    kind: 'custom',
    name,
    namespace,
    chatName,
    chat: { type: 'function', function: { name: chatName, ...(description !== '' && { description }), parameters } },
  }
}

/** Two tools with one name in the chat completion could not be told from each other in its answer. */
function refuseSameNames(body: RequestObject, tools: readonly Tool[]): void {
  const seen = new Map<string, Tool>()
  for (const tool of tools) {
    const other = seen.get(tool.chatName)
    if (other !== undefined && (other.namespace !== tool.namespace || other.kind !== tool.kind))
      throw invalidField(pathOf(body, 'tools'), `has two tools that would both be named "${tool.chatName}".`)
    seen.set(tool.chatName, tool)
  }
}

function echoOf(tool: RequestObject): JsonObject {
  const { fields } = tool
  if (fields['type'] !== 'function') return fields
  return {
    type: 'function',
    name: fields['name'],
    description: fields['description'] ?? null,
    parameters: fields['parameters'] ?? null,
    strict: fields['strict'] ?? false,
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
  if (type === 'function' || type === 'custom') {
    const { chatName } = findTool(choice, tools)
    return { allowed: tools, chatChoice: { type: 'function', function: { name: chatName } } }
  }
  if (type === 'allowed_tools') {
    // Sending only these tools is the same, and every upstream understands it.
    const own = readObjects(choice, 'tools').filter((tool) => ownTypes.has(requireString(tool, 'type')))
    const listed = own.map((tool) => findTool(tool, tools))
    if (listed.length === 0) throw invalidField(pathOf(choice, 'tools'), 'must be an array with at least one tool.')
    const mode = readEnum(choice, 'mode', ['auto', 'required']) ?? 'auto'
    return { allowed: tools.filter((tool) => listed.includes(tool)), chatChoice: mode }
  }
  throw unsupportedField(pathOf(choice, 'type'), `The tool "${type}" is not available here.`)
}

function findTool(choice: RequestObject, tools: readonly Tool[]): Tool {
  const kind = requireString(choice, 'type')
  const name = requireString(choice, 'name')
  const namespace = readString(choice, 'namespace')
  const tool = tools.find(
    (known) => known.kind === kind && known.name === name && (namespace === undefined || known.namespace === namespace),
  )
  if (tool !== undefined) return tool
  throw invalidField(pathOf(choice, 'name'), 'names none of the tools of this request.')
}

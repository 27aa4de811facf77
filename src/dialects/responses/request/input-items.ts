/**
 * The items of `input` as chat messages. One turn of the model (reasoning, text, function calls) is
 * several items here and one message there, so neighbouring items of the assistant are joined as far
 * as a chat message can hold them.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import { ApiError } from '#errors/api-error.ts'
import { readAssistantContent, readContent, type AssistantText } from './content-parts.ts'
import type { JsonObject } from '../../dialect.ts'
import {
  invalidField,
  pathOf,
  readObject,
  readObjects,
  readString,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { unsupportedField, extraFields, refuseUnsupportedFields } from './unsupported-field.ts'
import type { ReasoningDetail } from '../../chat/reasoning-details.ts'
import { chatNameOf, customArguments } from './tool-names.ts'
import { decodeEncryptedContent } from './encrypted-content.ts'

/** The assistant's turn since the last message of another role. */
interface AssistantTurn {
  text: string | null
  refusal: string
  reasoning: string
  details: ReasoningDetail[]
  toolCalls: JsonObject[]
  extra: JsonObject
}

// Ids and states of items, which a chat message does not have.
const itemFields = ['type', 'id', 'status', 'created_by', 'caller']
const messageFields = new Set([...itemFields, 'role', 'content', 'phase'])
const functionCallFields = new Set([
  ...itemFields,
  'call_id',
  'name',
  'arguments',
  'parsed_arguments',
  'namespace',
  'async',
])
const customCallFields = new Set([...itemFields, 'call_id', 'name', 'input', 'namespace'])
const outputFields = new Set([...itemFields, 'call_id', 'name', 'output', 'namespace'])

/**
 * What the API itself did for an earlier answer, of which only that answer speaks: another model, or a component that
 * takes over, goes on without it. Items whose results are in the conversation only by themselves are refused.
 */
const serverItems: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'mcp_list_tools',
  'tool_search_call',
  'tool_search_output',
])

/** The conversation as chat messages: `instructions` first, then `input`, a string or a list of items. */
export function chatMessages(body: RequestObject): readonly JsonObject[] {
  const instructions = readString(body, 'instructions')
  const conversation = new Conversation()
  if (instructions !== undefined) conversation.add({ role: 'system', content: instructions })
  const { input } = body.fields
  if (typeof input === 'string') return [...conversation.messages(), { role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw invalidField('input', 'must be a string or an array with at least one item.')
  for (const item of readObjects(body, 'input')) addItem(conversation, item)
  return conversation.messages()
}

function addItem(conversation: Conversation, item: RequestObject): void {
  const type = readString(item, 'type') ?? 'message'
  if (serverItems.has(type)) return
  refuseProgramCaller(item)
  switch (type) {
    case 'message':
      return addMessage(conversation, item)
    case 'reasoning':
      return addReasoning(conversation, item)
    case 'custom_tool_call':
      return addCustomCall(conversation, item)
    case 'custom_tool_call_output':
      return addFunctionCallOutput(conversation, item)
    case 'function_call':
      return addFunctionCall(conversation, item)
    case 'function_call_output':
      return addFunctionCallOutput(conversation, item)
    case 'item_reference':
      throw new ApiError('item_not_found', { param: pathOf(item, 'id') })
    default:
      throw unsupportedField(pathOf(item, 'type'), `An item of type "${type}" has no place in a chat completion.`)
  }
}

function addMessage(conversation: Conversation, item: RequestObject): void {
  const role = requireString(item, 'role')
  const extra = extraFields(item, messageFields)
  switch (role) {
    case 'assistant':
      return conversation.addAssistantText({ ...readAssistantContent(item), extra })
    case 'user':
    case 'system':
      return conversation.add({ role, content: readContent(item, 'content'), ...extra })
    case 'developer':
      // Every upstream knows `system`; those that know `developer` treat both alike.
      return conversation.add({ role: 'system', content: readContent(item, 'content'), ...extra })
    default:
      throw invalidField(pathOf(item, 'role'), 'must be user, assistant, system or developer.')
  }
}

/** Reasoning goes back to its upstream. An item that another server encrypted is left out. */
function addReasoning(conversation: Conversation, item: RequestObject): void {
  const texts = [...readObjects(item, 'summary'), ...readObjects(item, 'content')]
  const reasoning = texts.map((part) => requireString(part, 'text')).join('')
  const encrypted = readString(item, 'encrypted_content')
  const details = encrypted === undefined ? [] : decodeEncryptedContent(encrypted)
  if (details !== null) conversation.addReasoning(reasoning, details)
}

function addFunctionCall(conversation: Conversation, item: RequestObject): void {
  refuseUnsupportedFields(item, ['async'])
  conversation.addToolCall({
    id: requireString(item, 'call_id'),
    type: 'function',
    function: { name: chatName(item), arguments: requireString(item, 'arguments') },
    ...extraFields(item, functionCallFields),
  })
}

function addCustomCall(conversation: Conversation, item: RequestObject): void {
  conversation.addToolCall({
    id: requireString(item, 'call_id'),
    type: 'function',
    function: { name: chatName(item), arguments: customArguments(requireString(item, 'input')) },
    ...extraFields(item, customCallFields),
  })
}

function chatName(item: RequestObject): string {
  return chatNameOf({ name: requireString(item, 'name'), namespace: readString(item, 'namespace') ?? null })
}

function addFunctionCallOutput(conversation: Conversation, item: RequestObject): void {
  const callId = requireString(item, 'call_id')
  if (!conversation.hasToolCall(callId))
    throw invalidField(pathOf(item, 'call_id'), 'answers no function_call of this conversation. Send the call too.')
  const extra = extraFields(item, outputFields)
  conversation.add({ role: 'tool', tool_call_id: callId, content: readContent(item, 'output'), ...extra })
}

/** Only the model itself calls tools here, not a program that the API runs. */
function refuseProgramCaller(item: RequestObject): void {
  const caller = readObject(item, 'caller')
  if (caller !== undefined && readString(caller, 'type') !== 'direct') throw unsupportedField(caller.path)
}

/** Collects chat messages, and joins the items of each assistant turn. */
class Conversation {
  readonly #messages: JsonObject[] = []
  readonly #callIds = new Set<string>()
  #turn: AssistantTurn | null = null

  /** Adds a message of another role than the assistant's. */
  add(message: JsonObject): void {
    this.#endTurn()
    this.#messages.push(message)
  }

  addAssistantText({ text, refusal, extra }: AssistantText & { readonly extra: JsonObject }): void {
    // Tool results must follow their calls at once, so text after a call joins the message of the call.
    if (this.#turn !== null && this.#turn.text !== null && this.#turn.toolCalls.length === 0) this.#endTurn()
    const turn = this.#openTurn()
    turn.text = (turn.text ?? '') + text
    turn.refusal += refusal
    turn.extra = { ...turn.extra, ...extra }
  }

  addReasoning(reasoning: string, details: readonly ReasoningDetail[]): void {
    if (this.#turn !== null && this.#turn.text !== null && this.#turn.toolCalls.length === 0) this.#endTurn()
    const turn = this.#openTurn()
    turn.reasoning += reasoning
    turn.details.push(...details)
  }

  addToolCall(call: JsonObject): void {
    this.#callIds.add(String(call['id']))
    this.#openTurn().toolCalls.push(call)
  }

  hasToolCall(id: string): boolean {
    return this.#callIds.has(id)
  }

  messages(): readonly JsonObject[] {
    this.#endTurn()
    return this.#messages
  }

  #openTurn(): AssistantTurn {
    this.#turn ??= { text: null, refusal: '', reasoning: '', details: [], toolCalls: [], extra: {} }
    return this.#turn
  }

  #endTurn(): void {
    const turn = this.#turn
    this.#turn = null
    // Reasoning alone is not a message.
    if (turn === null || (turn.text === null && turn.toolCalls.length === 0)) return
    this.#messages.push({
      role: 'assistant',
      content: turn.text === '' && (turn.refusal !== '' || turn.toolCalls.length > 0) ? null : turn.text,
      ...(turn.refusal === '' ? {} : { refusal: turn.refusal }),
      ...(turn.reasoning === '' ? {} : { reasoning_content: turn.reasoning }),
      ...(turn.details.length === 0 ? {} : { reasoning_details: turn.details }),
      ...(turn.toolCalls.length === 0 ? {} : { tool_calls: turn.toolCalls }),
      ...turn.extra,
    })
  }
}

/**
 * The items of `input` as chat messages. What the model said in one turn (thoughts, text, calls) are
 * several items here and one message there, so neighbouring items of the assistant are put together
 * as far as a chat message can hold them.
 * Shapes: https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import { readAssistantContent, readContent } from './content-parts.ts'
import {
  invalid,
  needString,
  notTranslatable,
  otherFields,
  pathOf,
  readObject,
  readObjects,
  readString,
  refuseFields,
  type Json,
  type Place,
} from '../fields.ts'
import { openThoughts } from '../sealed-thoughts.ts'

/** What the assistant has said since somebody else last spoke. */
interface Turn {
  text: string | null
  refusal: string
  thoughts: string
  details: Json[]
  calls: Json[]
  others: Json
}

// Names and states that the API gives to its items; nothing in a chat message answers to them.
const bookkeeping = ['type', 'id', 'status', 'created_by', 'caller']
const messageFields = new Set([...bookkeeping, 'role', 'content', 'phase'])
const callFields = new Set([...bookkeeping, 'call_id', 'name', 'arguments', 'parsed_arguments', 'namespace', 'async'])
const resultFields = new Set([...bookkeeping, 'call_id', 'name', 'output', 'namespace'])

/** The conversation as chat messages: `instructions` first, then `input`, a string or a list of items. */
export function chatMessages(body: Place): readonly Json[] {
  const instructions = readString(body, 'instructions')
  const conversation = new Conversation()
  if (instructions !== undefined) conversation.add({ role: 'system', content: instructions })
  const { input } = body.object
  if (typeof input === 'string') return [...conversation.messages(), { role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw invalid('input', '"input" must be a string or an array with at least one item.')
  for (const item of readObjects(body, 'input') ?? []) addItem(conversation, item)
  return conversation.messages()
}

function addItem(conversation: Conversation, item: Place): void {
  const type = readString(item, 'type') ?? 'message'
  refuseProgram(item)
  switch (type) {
    case 'message':
      return addMessage(conversation, item)
    case 'reasoning':
      return addThoughts(conversation, item)
    case 'function_call':
      return addCall(conversation, item)
    case 'function_call_output':
      return addResult(conversation, item)
    case 'item_reference':
      throw notTranslatable(pathOf(item, 'type'), 'Nothing is stored here, so send the item itself.')
    default:
      throw notTranslatable(pathOf(item, 'type'), `An item of type "${type}" has no place in a chat completion.`)
  }
}

function addMessage(conversation: Conversation, item: Place): void {
  const role = needString(item, 'role')
  const others = otherFields(item, messageFields)
  switch (role) {
    case 'assistant':
      return conversation.say({ ...readAssistantContent(item), others })
    case 'user':
    case 'system':
      return conversation.add({ role, content: readContent(item, 'content'), ...others })
    case 'developer':
      // Every upstream knows `system`; those that know `developer` read one as the other.
      return conversation.add({ role: 'system', content: readContent(item, 'content'), ...others })
    default:
      throw invalid(pathOf(item, 'role'), `"${pathOf(item, 'role')}" must be user, assistant, system or developer.`)
  }
}

/** Thoughts go back to the upstream that had them; those that only their author can read say nothing here. */
function addThoughts(conversation: Conversation, item: Place): void {
  const texts = [...(readObjects(item, 'summary') ?? []), ...(readObjects(item, 'content') ?? [])]
  const thoughts = texts.map((part) => needString(part, 'text')).join('')
  const sealed = readString(item, 'encrypted_content')
  const details = sealed === undefined ? [] : openThoughts(sealed)
  if (details !== null) conversation.think(thoughts, details)
}

function addCall(conversation: Conversation, item: Place): void {
  refuseFields(item, ['namespace', 'async'])
  conversation.call({
    id: needString(item, 'call_id'),
    type: 'function',
    function: { name: needString(item, 'name'), arguments: needString(item, 'arguments') },
    ...otherFields(item, callFields),
  })
}

function addResult(conversation: Conversation, item: Place): void {
  refuseFields(item, ['namespace'])
  const callId = needString(item, 'call_id')
  if (!conversation.hasCall(callId))
    throw invalid(
      pathOf(item, 'call_id'),
      `"${pathOf(item, 'call_id')}" answers no function_call of this input. Nothing is stored here, so send the call too.`,
    )
  const others = otherFields(item, resultFields)
  conversation.add({ role: 'tool', tool_call_id: callId, content: readContent(item, 'output'), ...others })
}

/** Calls come from the model itself; those of a program that the API runs have no place here. */
function refuseProgram(item: Place): void {
  const caller = readObject(item, 'caller')
  if (caller !== undefined && readString(caller, 'type') !== 'direct') throw notTranslatable(caller.path)
}

class Conversation {
  readonly #messages: Json[] = []
  readonly #callIds = new Set<string>()
  #turn: Turn | null = null

  /** A message of somebody else than the assistant. */
  add(message: Json): void {
    this.#endTurn()
    this.#messages.push(message)
  }

  say({ text, refusal, others }: { readonly text: string; readonly refusal: string; readonly others: Json }): void {
    // Results must follow their calls at once, so text behind a call joins the message of the call.
    if (this.#turn !== null && this.#turn.text !== null && this.#turn.calls.length === 0) this.#endTurn()
    const turn = this.#openTurn()
    turn.text = (turn.text ?? '') + text
    turn.refusal += refusal
    turn.others = { ...turn.others, ...others }
  }

  think(thoughts: string, details: readonly Json[]): void {
    if (this.#turn !== null && this.#turn.text !== null && this.#turn.calls.length === 0) this.#endTurn()
    const turn = this.#openTurn()
    turn.thoughts += thoughts
    turn.details.push(...details)
  }

  call(call: Json): void {
    this.#callIds.add(String(call['id']))
    this.#openTurn().calls.push(call)
  }

  hasCall(id: string): boolean {
    return this.#callIds.has(id)
  }

  messages(): readonly Json[] {
    this.#endTurn()
    return this.#messages
  }

  #openTurn(): Turn {
    this.#turn ??= { text: null, refusal: '', thoughts: '', details: [], calls: [], others: {} }
    return this.#turn
  }

  #endTurn(): void {
    const turn = this.#turn
    this.#turn = null
    // Thoughts that led to nothing are no message.
    if (turn === null || (turn.text === null && turn.calls.length === 0)) return
    this.#messages.push({
      role: 'assistant',
      content: turn.text === '' && (turn.refusal !== '' || turn.calls.length > 0) ? null : turn.text,
      ...(turn.refusal === '' ? {} : { refusal: turn.refusal }),
      ...(turn.thoughts === '' ? {} : { reasoning_content: turn.thoughts }),
      ...(turn.details.length === 0 ? {} : { reasoning_details: turn.details }),
      ...(turn.calls.length === 0 ? {} : { tool_calls: turn.calls }),
      ...turn.others,
    })
  }
}

/**
 * The system prompt and the turns of a request as chat messages. A turn of the user that answers tool
 * calls becomes one message for each result, and one for what else it says.
 */
import { blockParts, chatContent, contentParts, textPart, textParts, type ContentPart } from './content-blocks.ts'
import {
  defined,
  malformed,
  optionalFlag,
  optionalPlace,
  pathOf,
  places,
  refuseUnknown,
  requiredPlace,
  text,
  untranslatable,
  type Place,
} from '../fields.ts'
import { unsealThoughts, type ReasoningDetail } from './thinking.ts'

export type ChatMessage = Readonly<Record<string, unknown>>

/** All messages in order. Throws for the first block that has no counterpart. */
export function chatMessages(request: Place): readonly ChatMessage[] {
  const turns = places(request, 'messages')
  if (turns.length === 0) throw malformed('messages', 'must be an array with at least one message.')
  return [...systemMessages(request, 'system'), ...turns.flatMap(turnMessages)]
}

function systemMessages(place: Place, name: string): readonly ChatMessage[] {
  const parts = textParts(place, name)
  return parts.length === 0 ? [] : [{ role: 'system', content: chatContent(parts) }]
}

function turnMessages(turn: Place): readonly ChatMessage[] {
  refuseUnknown(turn, ['role', 'content'])
  const role = text(turn, 'role')
  const { content } = turn.fields
  if (content === undefined || content === null) throw malformed(pathOf(turn, 'content'), 'is required.')
  if (role === 'user') return userMessages(turn)
  if (role === 'assistant') return [assistantMessage(turn)]
  if (role === 'system') return systemMessages(turn, 'content')
  throw malformed(pathOf(turn, 'role'), 'must be "user", "assistant" or "system".')
}

function userMessages(turn: Place): readonly ChatMessage[] {
  const { content } = turn.fields
  if (typeof content === 'string') return [{ role: 'user', content }]
  const blocks = places(turn, 'content')
  if (blocks.length === 0) throw malformed(pathOf(turn, 'content'), 'must have at least one block.')
  const results: ChatMessage[] = []
  const attached: ContentPart[] = []
  const said: ContentPart[] = []
  for (const block of blocks) {
    if (block.fields['type'] !== 'tool_result') {
      said.push(...blockParts(block))
      continue
    }
    const result = toolResult(block)
    results.push(result.message)
    attached.push(...result.attached)
  }
  const parts = [...attached, ...said]
  return parts.length === 0 ? results : [...results, { role: 'user', content: chatContent(parts) }]
}

/** A chat result is text alone: its pictures and files go into the user's message that follows. */
function toolResult(block: Place): { readonly message: ChatMessage; readonly attached: readonly ContentPart[] } {
  refuseUnknown(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])
  const id = text(block, 'tool_use_id')
  const parts = contentParts(block, 'content')
  const files = parts.filter((part) => part.type !== 'text')
  const lines = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (files.length > 0) lines.push(`[Attached to the next message: ${files.length}]`)
  const said = lines.join('\n')
  const content = optionalFlag(block, 'is_error') === true ? `Error: ${said}` : said
  const attached = files.length === 0 ? [] : [textPart(`Attached to the result of tool call ${id}:`), ...files]
  return { message: { role: 'tool', tool_call_id: id, content }, attached }
}

function assistantMessage(turn: Place): ChatMessage {
  const { content } = turn.fields
  if (typeof content === 'string') return { role: 'assistant', content }
  const said: ContentPart[] = []
  const calls: object[] = []
  const thoughts: ReasoningDetail[] = []
  for (const block of places(turn, 'content')) {
    const { type } = block.fields
    if (type === 'tool_use') calls.push(toolCall(block))
    else if (type === 'thinking') thoughts.push(...unsealThoughts(block))
    // Encrypted thoughts are of a service that no upstream of ours is.
    else if (type !== 'redacted_thinking') said.push(...blockParts(block))
  }
  const nothing = calls.length > 0 ? null : ''
  return defined({
    role: 'assistant',
    content: said.length === 0 ? nothing : chatContent(said),
    tool_calls: calls.length === 0 ? undefined : calls,
    reasoning_details: thoughts.length === 0 ? undefined : thoughts,
  })
}

function toolCall(block: Place): object {
  refuseUnknown(block, ['type', 'id', 'name', 'input', 'cache_control', 'caller'])
  const caller = optionalPlace(block, 'caller')
  if (caller !== undefined && caller.fields['type'] !== 'direct') {
    throw untranslatable(pathOf(caller, 'type'), 'only calls of the model itself ("direct") are known.')
  }
  const { fields: input } = requiredPlace(block, 'input')
  return {
    id: text(block, 'id'),
    type: 'function',
    function: { name: text(block, 'name'), arguments: JSON.stringify(input) },
  }
}

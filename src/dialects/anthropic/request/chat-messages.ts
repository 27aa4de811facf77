/**
 * The system prompt and the messages of a request as chat messages. A user message with tool results
 * becomes one chat message for each result, and one for its other content.
 */
import { blockParts, chatContent, contentParts, textPart, textParts, type ContentPart } from './content-blocks.ts'
import type { ReasoningDetail } from '../../chat/reasoning-details.ts'
import type { JsonObject } from '../../dialect.ts'
import {
  defined,
  invalidField,
  pathOf,
  readBoolean,
  readObject,
  readObjects,
  requireObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { refuseUnknownFields, unsupportedField } from './unsupported-field.ts'
import { signedDetails } from './thinking.ts'

/** A message of the chat body. */
export type ChatMessage = JsonObject

/** All messages in order. Throws for the first block that has no counterpart. */
export function chatMessages(request: RequestObject): readonly ChatMessage[] {
  const messages = readObjects(request, 'messages')
  if (messages.length === 0) throw invalidField('messages', 'must be an array with at least one message.')
  return [...systemMessages(request, 'system'), ...messages.flatMap(chatMessagesOf)]
}

function systemMessages(object: RequestObject, name: string): readonly ChatMessage[] {
  const parts = textParts(object, name)
  return parts.length === 0 ? [] : [{ role: 'system', content: chatContent(parts) }]
}

function chatMessagesOf(message: RequestObject): readonly ChatMessage[] {
  refuseUnknownFields(message, ['role', 'content'])
  const role = requireString(message, 'role')
  const { content } = message.fields
  if (content === undefined || content === null) throw invalidField(pathOf(message, 'content'), 'is required.')
  if (role === 'user') return userMessages(message)
  if (role === 'assistant') return [assistantMessage(message)]
  if (role === 'system') return systemMessages(message, 'content')
  throw invalidField(pathOf(message, 'role'), 'must be "user", "assistant" or "system".')
}

function userMessages(message: RequestObject): readonly ChatMessage[] {
  const { content: text } = message.fields
  if (typeof text === 'string') return [{ role: 'user', content: text }]
  const blocks = readObjects(message, 'content')
  if (blocks.length === 0) throw invalidField(pathOf(message, 'content'), 'must have at least one block.')
  const results: ChatMessage[] = []
  const attachments: ContentPart[] = []
  const content: ContentPart[] = []
  for (const block of blocks) {
    if (block.fields['type'] !== 'tool_result') {
      content.push(...blockParts(block))
      continue
    }
    const result = toolResult(block)
    results.push(result.message)
    attachments.push(...result.attachments)
  }
  const parts = [...attachments, ...content]
  return parts.length === 0 ? results : [...results, { role: 'user', content: chatContent(parts) }]
}

/** A tool message holds only text: images and files go into the user message that follows. */
function toolResult(block: RequestObject): {
  readonly message: ChatMessage
  readonly attachments: readonly ContentPart[]
} {
  refuseUnknownFields(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])
  const id = requireString(block, 'tool_use_id')
  const parts = contentParts(block, 'content')
  const files = parts.filter((part) => part.type !== 'text')
  const lines = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (files.length > 0) lines.push(`[Attached to the next message: ${files.length}]`)
  const text = lines.join('\n')
  const content = readBoolean(block, 'is_error') === true ? `Error: ${text}` : text
  const attachments = files.length === 0 ? [] : [textPart(`Attached to the result of tool call ${id}:`), ...files]
  return { message: { role: 'tool', tool_call_id: id, content }, attachments }
}

function assistantMessage(message: RequestObject): ChatMessage {
  const { content } = message.fields
  if (typeof content === 'string') return { role: 'assistant', content }
  const parts: ContentPart[] = []
  const calls: JsonObject[] = []
  const details: ReasoningDetail[] = []
  for (const block of readObjects(message, 'content')) {
    const { type } = block.fields
    if (type === 'tool_use') calls.push(toolCall(block))
    else if (type === 'thinking') details.push(...signedDetails(block))
    // Only Anthropic can decrypt redacted thinking.
    else if (type !== 'redacted_thinking') parts.push(...blockParts(block))
  }
  const noContent = calls.length > 0 ? null : ''
  return defined({
    role: 'assistant',
    content: parts.length === 0 ? noContent : chatContent(parts),
    tool_calls: calls.length === 0 ? undefined : calls,
    reasoning_details: details.length === 0 ? undefined : details,
  })
}

function toolCall(block: RequestObject): JsonObject {
  refuseUnknownFields(block, ['type', 'id', 'name', 'input', 'cache_control', 'caller'])
  const caller = readObject(block, 'caller')
  if (caller !== undefined && caller.fields['type'] !== 'direct') {
    throw unsupportedField(pathOf(caller, 'type'), 'only calls of the model itself ("direct") are known.')
  }
  const { fields: input } = requireObject(block, 'input')
  return {
    id: requireString(block, 'id'),
    type: 'function',
    function: { name: requireString(block, 'name'), arguments: JSON.stringify(input) },
  }
}

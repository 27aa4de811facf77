/**
 * A whole chat answer as a message: thinking, then text, then tool use.
 * Shape: https://platform.claude.com/docs/en/api/messages
 */
import { isObject } from '#lib/json-value.ts'
import { readWholeAnswer, unreadableAnswer, type ChatDelta, type ToolCallDelta } from '../../chat/chat-answer.ts'
import { appendReasoningDetail, type ReasoningDetail } from '../../chat/reasoning-details.ts'
import type { JsonObject } from '../../dialect.ts'
import type { MessagesRequest } from '../request/messages-request.ts'
import { thinkingSignature, type ThinkingDisplay } from '../request/thinking.ts'
import { messageUsage } from './message-usage.ts'
import { stopFieldsOf } from './stop-reason.ts'

/** The ids of one message: its own, and fresh ones for tool calls that came without. */
export interface MessageIds {
  readonly messageId: string
  newToolUseId(): string
}

/** The message. Throws `upstream_invalid_response` for what is not a chat completion. */
export function messageOf(answer: unknown, request: MessagesRequest, ids: MessageIds): JsonObject {
  const { model, serviceTier, usage, delta } = readWholeAnswer(answer)
  const text = delta.text + delta.refusal
  const toolUses = toolUseBlocks(delta, ids)
  const end = { ...delta, hasToolUse: toolUses.length > 0, hasRefusal: delta.refusal !== '' }
  return {
    ...emptyMessage(ids.messageId, model || request.model),
    content: [...thinkingBlocks(delta, request.display), ...(text === '' ? [] : [textBlock(text)]), ...toolUses],
    ...stopFieldsOf(end, request.stopSequences),
    usage: messageUsage(usage, serviceTier),
  }
}

/** A message without content. */
export function emptyMessage(id: string, model: string): JsonObject {
  const stop = { stop_reason: null, stop_sequence: null, stop_details: null }
  return { id, type: 'message', role: 'assistant', model, content: [], container: null, ...stop }
}

/** A content block of type `text`. */
export function textBlock(text: string): JsonObject {
  return { type: 'text', text }
}

/** A content block of type `thinking`; an empty signature for one whose upstream wants nothing back. */
export function thinkingBlock(thinking: string, signature: string): JsonObject {
  return { type: 'thinking', thinking, signature }
}

/** A content block of type `tool_use`, called by the model itself. */
export function toolUseBlock(id: string, name: string, input: JsonObject): JsonObject {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

/** All thinking as one block; none when there is nothing to show and nothing that must come back. */
function thinkingBlocks(delta: ChatDelta, display: ThinkingDisplay): readonly JsonObject[] {
  if (display === 'disabled') return []
  const details: ReasoningDetail[] = []
  for (const detail of delta.reasoningDetails) appendReasoningDetail(details, detail)
  const thinking = display === 'summarized' ? delta.reasoning : ''
  if (thinking === '' && details.length === 0) return []
  return [thinkingBlock(thinking, details.length === 0 ? '' : thinkingSignature(details))]
}

function toolUseBlocks({ toolCalls, finishReason }: ChatDelta, ids: MessageIds): readonly JsonObject[] {
  return toolCalls.flatMap((call, index) => {
    const name = toolNameOf(call)
    const input = inputOf(call.arguments)
    if (input !== null) return [toolUseBlock(call.id || ids.newToolUseId(), name, input)]
    // A call that the limit cut off cannot be made. The stop reason says why it is missing.
    const isCutOff = finishReason === 'length' || finishReason === 'content_filter'
    if (isCutOff && index === toolCalls.length - 1) return []
    throw unreadableAnswer('the arguments of a tool call are not a JSON object')
  })
}

/** The name of the called tool. Throws `upstream_invalid_response` when the call has none. */
export function toolNameOf({ name }: ToolCallDelta): string {
  if (name !== '') return name
  throw unreadableAnswer('a tool call without a name')
}

function inputOf(json: string): JsonObject | null {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

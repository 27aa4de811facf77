/**
 * A whole chat answer as a message: thoughts, then text, then tool calls.
 * Shape: https://platform.claude.com/docs/en/api/messages
 */
import { isObject } from '#lib/json-value.ts'
import {
  callsOf,
  firstChoice,
  functionOf,
  stopOf,
  stringOf,
  textOf,
  thoughtOf,
  unreadable,
  usageOf,
} from '../chat-answer.ts'
import type { UnderstoodRequest } from '../request/messages-request.ts'
import { addDetails, sealThoughts, type ReasoningDetail, type ThoughtDisplay } from '../request/thinking.ts'

type Fields = Readonly<Record<string, unknown>>

/** Makes ids of messages, and of tool calls that came without one. */
export interface Ids {
  readonly messageId: string
  toolUseId(): string
}

/** The message. Throws ApiError upstream_invalid_response for what is no chat completion. */
export function messageOf(answer: unknown, request: UnderstoodRequest, ids: Ids): object {
  if (!isObject(answer)) throw unreadable('the answer is not an object')
  const choice = firstChoice(answer)
  const message = choice?.['message']
  if (choice === undefined || !isObject(message)) throw unreadable('the answer has no choice with a message')
  const refusal = stringOf(message['refusal'])
  const text = textOf(message) + refusal
  const calls = toolUses(message, choice, ids)
  const facts = { called: calls.length > 0, refused: refusal !== '', stopSequences: request.stopSequences }
  return {
    ...emptyMessage(ids.messageId, stringOf(answer['model']) || request.model),
    content: [...thoughts(message, request.display), ...(text === '' ? [] : [textBlock(text)]), ...calls],
    ...stopOf(choice, facts),
    usage: usageOf(answer['usage'], answer['service_tier']),
  }
}

/** A message that says nothing yet. */
export function emptyMessage(id: string, model: string): Fields {
  const stop = { stop_reason: null, stop_sequence: null, stop_details: null }
  return { id, type: 'message', role: 'assistant', model, content: [], container: null, ...stop }
}

export function textBlock(text: string): object {
  return { type: 'text', text, citations: null }
}

export function thinkingBlock(thinking: string, signature: string): object {
  return { type: 'thinking', thinking, signature }
}

export function toolUseBlock(id: string, name: string, input: Fields): object {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

/** All that the model thought as one block; none when there is nothing to show and nothing to come back. */
function thoughts(message: Fields, display: ThoughtDisplay): readonly object[] {
  if (display === 'hidden') return []
  const details: ReasoningDetail[] = []
  addDetails(details, message['reasoning_details'])
  const thought = display === 'shown' ? thoughtOf(message) : ''
  if (thought === '' && details.length === 0) return []
  return [thinkingBlock(thought, details.length === 0 ? '' : sealThoughts(details))]
}

function toolUses(message: Fields, choice: Fields, ids: Ids): readonly object[] {
  const calls = callsOf(message)
  return calls.flatMap((call, index) => {
    const { name, arguments: text } = functionOf(call)
    if (typeof name !== 'string' || name === '') throw unreadable('a tool call has no name')
    const input = inputOf(stringOf(text))
    if (input !== null) return [toolUseBlock(stringOf(call['id']) || ids.toolUseId(), name, input)]
    // What the limit cut through is no call that anybody could make; the stop reason says why it is missing.
    const cut = choice['finish_reason'] === 'length' || choice['finish_reason'] === 'content_filter'
    if (cut && index === calls.length - 1) return []
    throw unreadable('the arguments of a tool call are not a JSON object')
  })
}

function inputOf(text: string): Fields | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

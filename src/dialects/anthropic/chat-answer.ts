/**
 * What a chat answer says, whole or in pieces, in the terms of a message: the reason why it stopped, its
 * counts, its text. The only place that knows how servers of the chat dialect differ in their answers.
 */
import { isObject } from '#lib/json-value.ts'
import { ApiError } from '#errors/api-error.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Stop {
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly stop_details: object | null
}

/** What decides about the reason beyond the chat answer's own word. */
export interface StopFacts {
  readonly called: boolean
  readonly refused: boolean
  readonly stopSequences: readonly string[]
}

const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
])

/** The first choice of an answer or chunk; undefined when it has none. */
export function firstChoice(answer: Fields): Fields | undefined {
  const { choices } = answer
  if (!Array.isArray(choices)) return undefined
  const found: unknown = choices.find((choice: unknown) => isObject(choice) && (choice['index'] ?? 0) === 0)
  return isObject(found) ? found : undefined
}

/** Why the answer ended. Servers that call a tool call `stop` are understood. */
export function stopOf(choice: Fields, { called, refused, stopSequences }: StopFacts): Stop {
  const plain = stopReasons.get(choice['finish_reason']) ?? 'end_turn'
  if (plain === 'refusal' || (refused && plain === 'end_turn')) {
    const details = { type: 'refusal', category: null, explanation: null }
    return { stop_reason: 'refusal', stop_sequence: null, stop_details: details }
  }
  if (called && plain === 'end_turn') return { stop_reason: 'tool_use', stop_sequence: null, stop_details: null }
  const matched = plain === 'end_turn' ? matchedStop(choice, stopSequences) : null
  return { stop_reason: matched === null ? plain : 'stop_sequence', stop_sequence: matched, stop_details: null }
}

/** The counts in a message's terms, where tokens from a cache are not part of the input. */
export function usageOf(value: unknown, serviceTier: unknown): Readonly<Record<string, unknown>> {
  const usage = isObject(value) ? value : {}
  const input = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const output = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  const cacheRead = count(input['cached_tokens'])
  const cacheWrite = count(input['cache_write_tokens'])
  const thinking = count(output['reasoning_tokens'])
  return {
    input_tokens: Math.max(0, (count(usage['prompt_tokens']) ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output_tokens: count(usage['completion_tokens']) ?? 0,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens_details: thinking === null ? null : { thinking_tokens: thinking },
    server_tool_use: null,
    service_tier: serviceTier === 'default' ? 'standard' : serviceTier === 'priority' ? 'priority' : null,
  }
}

/** The text of a message or delta: its content, or the text parts of it. */
export function textOf(message: Fields): string {
  const { content } = message
  if (!Array.isArray(content)) return stringOf(content)
  return content
    .map((part: unknown) => (isObject(part) && part['type'] === 'text' ? stringOf(part['text']) : ''))
    .join('')
}

/** The thought of a message or delta, by either of the names in use. */
export function thoughtOf(message: Fields): string {
  return stringOf(message['reasoning_content']) || stringOf(message['reasoning'])
}

/** The tool calls of a message or delta. */
export function callsOf(message: Fields): readonly Fields[] {
  const { tool_calls: calls } = message
  return Array.isArray(calls) ? calls.filter(isObject) : []
}

/** The function of a tool call; an empty object when it has none. */
export function functionOf(call: Fields): Fields {
  return isObject(call['function']) ? call['function'] : {}
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An answer that cannot be put into words. The reason goes to the log. */
export function unreadable(internal: string): ApiError {
  return new ApiError('upstream_invalid_response', { internal })
}

/** The stop sequence that ended the text: vLLM and SGLang name it, others do not. */
function matchedStop(choice: Fields, stopSequences: readonly string[]): string | null {
  const named = choice['stop_reason'] ?? choice['matched_stop']
  return typeof named === 'string' && stopSequences.includes(named) ? named : null
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

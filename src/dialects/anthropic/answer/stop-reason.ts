/**
 * Why a message ended.
 * Source: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */

/** The fields of a message that say why it ended. */
export interface StopFields {
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly stop_details: object | null
}

/** What the reason depends on. */
export interface AnswerEnd {
  readonly finishReason: string | null
  /** The stop sequence that the upstream names. */
  readonly matchedStop: string | null
  readonly hasToolUse: boolean
  readonly hasRefusal: boolean
}

const stopReasons: ReadonlyMap<string | null, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
])

/** The reason in a message's fields. Some upstreams end a tool call with `stop`. */
export function stopFieldsOf(end: AnswerEnd, stopSequences: readonly string[]): StopFields {
  const reason = stopReasons.get(end.finishReason) ?? 'end_turn'
  if (reason === 'refusal' || (end.hasRefusal && reason === 'end_turn')) {
    const details = { type: 'refusal', category: null, explanation: null }
    return { stop_reason: 'refusal', stop_sequence: null, stop_details: details }
  }
  if (reason !== 'end_turn') return { stop_reason: reason, stop_sequence: null, stop_details: null }
  if (end.hasToolUse) return { stop_reason: 'tool_use', stop_sequence: null, stop_details: null }
  const sequence = end.matchedStop !== null && stopSequences.includes(end.matchedStop) ? end.matchedStop : null
  return { stop_reason: sequence === null ? reason : 'stop_sequence', stop_sequence: sequence, stop_details: null }
}

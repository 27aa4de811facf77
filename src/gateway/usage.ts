/** Token counts as upstreams report them, and nothing guessed. */

export interface TokenUsage {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

/**
 * The counts of an OpenAI `usage` object (chat: prompt/completion, Responses: input/output), or
 * null when the value holds none. An explicit zero is a count; a missing field is unknown.
 */
export function readUsage(value: unknown): TokenUsage | null {
  if (typeof value !== 'object' || value === null) return null
  const usage = value as Readonly<Record<string, unknown>>
  const promptTokens = count(usage['prompt_tokens']) ?? count(usage['input_tokens'])
  const completionTokens = count(usage['completion_tokens']) ?? count(usage['output_tokens'])
  return promptTokens === null && completionTokens === null ? null : { promptTokens, completionTokens }
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

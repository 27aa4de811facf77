/** Token counts as upstreams report them; none is guessed. */

export interface TokenUsage {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

/**
 * The counts of an OpenAI `usage` object (chat: prompt/completion, Responses: input/output) or of
 * Anthropic's, or null when the value holds none. An explicit zero is a count; a missing field is
 * unknown. Tokens from a cache or written to one are input, too: OpenAI includes them in the input, Anthropic
 * reports them beside it.
 */
export function readUsage(value: unknown): TokenUsage | null {
  if (typeof value !== 'object' || value === null) return null
  const usage = value as Readonly<Record<string, unknown>>
  const promptTokens = count(usage['prompt_tokens']) ?? withCached(usage)
  const completionTokens = count(usage['completion_tokens']) ?? count(usage['output_tokens'])
  return promptTokens === null && completionTokens === null ? null : { promptTokens, completionTokens }
}

/**
 * The same for endpoints that generate no tokens (embeddings, rerank, moderations), where the total is
 * the input. Some rerankers (Cohere, Jina) count in a `meta` object instead.
 */
export function readInputUsage(value: unknown, meta: unknown): TokenUsage | null {
  const counted = readUsage(value)
  const promptTokens =
    counted?.promptTokens ??
    count(at(value, 'total_tokens')) ??
    count(at(at(meta, 'tokens'), 'input_tokens')) ??
    count(at(at(meta, 'billed_units'), 'input_tokens'))
  const completionTokens = counted?.completionTokens ?? null
  return promptTokens === null && completionTokens === null ? null : { promptTokens, completionTokens }
}

function withCached(usage: Readonly<Record<string, unknown>>): number | null {
  const input = count(usage['input_tokens'])
  if (input === null) return null
  return input + (count(usage['cache_read_input_tokens']) ?? 0) + (count(usage['cache_creation_input_tokens']) ?? 0)
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

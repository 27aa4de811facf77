/** Token counts as upstreams report them; none is guessed. */
import { isObject } from '#lib/json-value.ts'

export interface TokenUsage {
  /** All input, tokens from a cache and into one included. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Absent when no kind was reported apart. */
  readonly kinds?: TokenKinds | undefined
}

/** Tokens with prices of their own: parts of the counts above. Null when not reported. */
export interface TokenKinds {
  /** Input that came from a cache. */
  readonly cachedTokens: number | null
  /** Input that was written to a cache. */
  readonly cacheWriteTokens: number | null
  /** Output that is reasoning. */
  readonly reasoningTokens: number | null
  /** Absent when there are none. */
  readonly units?: MediaUnits | undefined
}

/** What few answers report: tokens of audio and images, and the length of audio. Absent = none. */
export interface MediaUnits {
  readonly audioInput?: number
  readonly imageInput?: number
  readonly audioOutput?: number
  readonly imageOutput?: number
  /** Milliseconds. */
  readonly audioMs?: number
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
  const kinds = kindsOf(usage)
  if (promptTokens === null && completionTokens === null && kinds?.units?.audioMs === undefined) return null
  return { promptTokens, completionTokens, ...(kinds !== null && { kinds }) }
}

/** Both together: what a session has used after one more of its answers. */
export function sumUsage(before: TokenUsage | null, more: TokenUsage): TokenUsage {
  if (before === null) return more
  return {
    promptTokens: sum(before.promptTokens, more.promptTokens),
    completionTokens: sum(before.completionTokens, more.completionTokens),
    kinds: sumKinds(before.kinds, more.kinds),
  }
}

function sumKinds(before: TokenKinds | undefined, more: TokenKinds | undefined): TokenKinds | undefined {
  if (before === undefined || more === undefined) return more ?? before
  return {
    cachedTokens: sum(before.cachedTokens, more.cachedTokens),
    cacheWriteTokens: sum(before.cacheWriteTokens, more.cacheWriteTokens),
    reasoningTokens: sum(before.reasoningTokens, more.reasoningTokens),
    units: sumUnits(before.units, more.units),
  }
}

function sumUnits(before: MediaUnits | undefined, more: MediaUnits | undefined): MediaUnits | undefined {
  if (before === undefined || more === undefined) return more ?? before
  const names = [...new Set([...Object.keys(before), ...Object.keys(more)])] as (keyof MediaUnits)[]
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)]))
}

/** What is not reported is not counted. */
function sum(before: number | null, more: number | null): number | null {
  return before === null || more === null ? (before ?? more) : before + more
}

/** The latest of each kind; those that are not reported again stay. */
export function latestKinds(before: TokenKinds | undefined, now: TokenKinds | undefined): TokenKinds | undefined {
  if (before === undefined || now === undefined) return now ?? before
  return {
    cachedTokens: now.cachedTokens ?? before.cachedTokens,
    cacheWriteTokens: now.cacheWriteTokens ?? before.cacheWriteTokens,
    reasoningTokens: now.reasoningTokens ?? before.reasoningTokens,
    ...((now.units ?? before.units) !== undefined && { units: now.units ?? before.units }),
  }
}

/** OpenAI nests them in `*_tokens_details` (Realtime: `*_token_details`), Anthropic has them beside the counts. */
function kindsOf(usage: Readonly<Record<string, unknown>>): TokenKinds | null {
  const input = usage['prompt_tokens_details'] ?? usage['input_tokens_details'] ?? usage['input_token_details']
  const output = usage['completion_tokens_details'] ?? usage['output_tokens_details'] ?? usage['output_token_details']
  const cachedTokens = count(at(input, 'cached_tokens')) ?? count(usage['cache_read_input_tokens'])
  const cacheWriteTokens = count(at(input, 'cache_write_tokens')) ?? count(usage['cache_creation_input_tokens'])
  const reasoningTokens = count(at(output, 'reasoning_tokens')) ?? count(at(output, 'thinking_tokens'))
  const units = mediaUnits(input, output, usage['seconds'])
  if (cachedTokens === null && cacheWriteTokens === null && reasoningTokens === null && units === null) return null
  return { cachedTokens, cacheWriteTokens, reasoningTokens, ...(units !== null && { units }) }
}

/** Zeros are left out: most answers of a vendor name these kinds and have none of them. */
function mediaUnits(input: unknown, output: unknown, seconds: unknown): MediaUnits | null {
  if (!isObject(input) && !isObject(output) && seconds === undefined) return null
  const units = {
    audioInput: count(at(input, 'audio_tokens')),
    imageInput: count(at(input, 'image_tokens')),
    audioOutput: count(at(output, 'audio_tokens')),
    imageOutput: count(at(output, 'image_tokens')),
    audioMs: typeof seconds === 'number' && seconds > 0 && seconds < secondsMax ? Math.ceil(seconds * 1000) : null,
  }
  const some = Object.entries(units).filter(([, value]) => value !== null && value > 0)
  return some.length === 0 ? null : (Object.fromEntries(some) as MediaUnits)
}

const secondsMax = 1_000_000_000

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
  return promptTokens === null && completionTokens === null ? null : { ...counted, promptTokens, completionTokens }
}

function withCached(usage: Readonly<Record<string, unknown>>): number | null {
  const input = count(usage['input_tokens'])
  if (input === null) return null
  return input + (count(usage['cache_read_input_tokens']) ?? 0) + (count(usage['cache_creation_input_tokens']) ?? 0)
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** No request has so many tokens. A larger number is a provider's mistake, which must not use up rates and budgets, nor break sums. */
const countMax = 1_000_000_000

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= countMax ? value : null
}

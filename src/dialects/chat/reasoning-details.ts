/**
 * The `reasoning_details` of a chat message: what an upstream wants back with the next request, such as
 * signatures. The gateway stores nothing, so they travel through the client as one opaque string. The
 * string is encoded, not encrypted: it holds nothing that a client of chat completions would not see.
 */
import { isObject } from '#lib/json-value.ts'
import type { JsonObject } from '../dialect.ts'

/** An entry of `reasoning_details`, in the vendor's shape. */
export type ReasoningDetail = JsonObject

/** Adds a detail. A stream may send one in fragments, which share their `index`. */
export function appendReasoningDetail(details: ReasoningDetail[], next: ReasoningDetail): void {
  const last = details.at(-1)
  const isFragment =
    typeof next['index'] === 'number' && last?.['index'] === next['index'] && last['type'] === next['type']
  if (last !== undefined && isFragment) details[details.length - 1] = joined(last, next)
  else details.push(next)
}

/** The details as one string that begins with the dialect's prefix. */
export function encodeReasoning(prefix: string, details: readonly ReasoningDetail[]): string {
  return prefix + Buffer.from(JSON.stringify(details)).toString('base64url')
}

/** The details again: `foreign` for a string without the prefix, `damaged` for one that was changed on its way. */
export function decodeReasoning(prefix: string, encoded: string): readonly ReasoningDetail[] | 'foreign' | 'damaged' {
  if (!encoded.startsWith(prefix)) return 'foreign'
  try {
    const details: unknown = JSON.parse(Buffer.from(encoded.slice(prefix.length), 'base64url').toString('utf8'))
    return Array.isArray(details) && details.every(isObject) ? details : 'damaged'
  } catch {
    return 'damaged'
  }
}

function joined(last: ReasoningDetail, next: ReasoningDetail): ReasoningDetail {
  const both: Record<string, unknown> = { ...last }
  for (const [name, value] of Object.entries(next)) {
    const before = both[name]
    const grows = name === 'text' || name === 'summary' || name === 'data'
    if (grows && typeof before === 'string' && typeof value === 'string') both[name] = before + value
    else if (value !== null) both[name] = value
  }
  return both
}

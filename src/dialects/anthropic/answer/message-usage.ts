/** The token counts of a message. */
import type { ChatUsage } from '../../chat/chat-answer.ts'
import type { JsonObject } from '../../dialect.ts'

const serviceTiers: ReadonlyMap<string | null, string> = new Map([
  ['default', 'standard'],
  ['priority', 'priority'],
])

/** The `usage` object. Its input does not include cached tokens, which a chat completion counts in. */
export function messageUsage(usage: ChatUsage | null, serviceTier: string | null): JsonObject {
  const cacheRead = usage?.cachedTokens ?? null
  const cacheWrite = usage?.cacheWriteTokens ?? null
  const thinking = usage?.reasoningTokens ?? null
  return {
    input_tokens: Math.max(0, (usage?.promptTokens ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output_tokens: usage?.completionTokens ?? 0,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens_details: thinking === null ? null : { thinking_tokens: thinking },
    server_tool_use: null,
    service_tier: serviceTiers.get(serviceTier) ?? null,
  }
}

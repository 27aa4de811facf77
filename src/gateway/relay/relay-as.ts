/** Relays an answer that is one document in the form of another API. */
import { ApiError } from '#errors/api-error.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { readInputUsage } from '../usage/token-usage.ts'
import { relayWhole } from './relay-whole.ts'
import type { Relay } from './relay.ts'

/** The answer that `made` makes of the provider's. Answers 502 when it makes none, for an answer of another kind. */
export function relayAs(
  reply: Reply,
  relay: Relay,
  { of, made }: { readonly of: string; readonly made: (value: unknown) => object | null },
): Response | Promise<Response> {
  return relayWhole(reply, relay, readInputUsage, (body) => Buffer.from(JSON.stringify(madeOf(body, { of, made }))))
}

/** What `made` makes of a provider's answer. Answers 502 when it makes nothing. */
export function madeOf<T extends object>(
  body: Buffer,
  { of, made }: { readonly of: string; readonly made: (value: unknown) => T | null },
): T {
  const answer = made(parsed(body))
  if (answer !== null) return answer
  throw new ApiError('upstream_invalid_response', { message: `The provider's answer is not that of ${of}.` })
}

function parsed(body: Buffer): unknown {
  try {
    return parseBounded(body, passedJsonLimits)
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
}

/**
 * A sign-in that has been begun and not ended: what only this browser and this server know. It
 * travels in a sealed cookie, so that it costs the server nothing and ends on any replica.
 */
import { z } from '#lib/schema.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/seal.ts'
import { readSealed, sealedValue } from '../sealed-cookie.ts'

const pendingSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  /** The code verifier of PKCE, RFC 7636. */
  verifier: z.string(),
  /** The same at both ends of the flow, as the issuer compares them. */
  redirectUri: z.string(),
  /** Path of this server to go to afterwards. */
  returnTo: z.string(),
  expiresAt: z.number(),
  /** Nobody signs in: an administrator is told what would happen. */
  isTest: z.literal(true).optional(),
})

export type PendingSignIn = z.output<typeof pendingSchema>

/** Time that a user has for signing in at the issuer. */
export const pendingSeconds = 600

const kind = { name: 'sluice_oidc', purpose: 'OpenID Connect sign-in', schema: pendingSchema } as const

/** The `set-cookie` header that hands it to the browser. */
export function pendingCookie(sealer: Sealer, pending: PendingSignIn): string {
  return cookie(sealedValue(kind, sealer, pending), pendingSeconds, pending.redirectUri)
}

/** The header that takes the cookie back. */
export function noPendingCookie({ redirectUri }: PendingSignIn): string {
  return cookie('', 0, redirectUri)
}

/** The sign-in that this browser has begun here; null when there is none, or its time is over. */
export function readPending(sealer: Sealer, clock: Clock, { request }: RequestContext): PendingSignIn | null {
  const pending = readSealed(kind, sealer, request)
  return pending !== null && pending.expiresAt > clock.now() ? pending : null
}

/** Lax: the browser has to send it when the issuer leads back here, and only then. */
function cookie(value: string, maxAgeSeconds: number, redirectUri: string): string {
  const { protocol, pathname } = new URL(redirectUri)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${kind.name}=${value}; HttpOnly; SameSite=Lax; Path=${pathname}; Max-Age=${maxAgeSeconds}${secure}`
}

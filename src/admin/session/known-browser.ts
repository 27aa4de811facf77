/**
 * Browsers that have signed in before. Each keeps a sealed cookie with an id of its own and the
 * accounts that it has signed in to; the server keeps nothing. The cookie signs nobody in: it only
 * separates the failed sign-ins of its browser from those of everybody else.
 */
import { z } from '#lib/schema.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix } from '../endpoint.ts'
import { readSealed, sealedValue } from '../sealed-cookie.ts'
import type { SignInAttempt } from '../sign-in-guard.ts'

const kind = {
  name: 'sluice_browser',
  purpose: 'known browser',
  schema: z.strictObject({ id: z.string(), userIds: z.array(z.string()), expiresAt: z.number() }),
} as const

const daysKept = 365
const accountsMax = 10

type Deps = Pick<Admin, 'sealer' | 'clock' | 'settings'>

/** The attempt of this request to sign in to the account with this address. */
export function attemptOf(
  { state, ...deps }: Deps & Pick<Admin, 'state'>,
  context: RequestContext,
  email: string,
): SignInAttempt {
  const userId = state.directory.accountByEmail(email)?.user.id
  const known = knownBrowser(deps, context)
  const isKnown = known !== null && userId !== undefined && known.userIds.includes(userId)
  return { email, address: context.remoteAddress, browser: isKnown ? known.id : null }
}

/** The `set-cookie` header by which the browser is known to have signed in to this account. */
export function knownBrowserCookie(deps: Deps, context: RequestContext, userId: string): string {
  const { id, userIds } = knownBrowser(deps, context) ?? { id: crypto.randomUUID(), userIds: [] }
  const seconds = daysKept * 24 * 60 * 60
  const value = sealedValue(kind, deps.sealer, {
    id,
    userIds: [userId, ...userIds.filter((other) => other !== userId)].slice(0, accountsMax),
    expiresAt: deps.clock.now() + seconds * 1000,
  })
  const secure = deps.settings.get('server.public_url')?.startsWith('https:') ? '; Secure' : ''
  // Lax: the browser has to send it when an issuer leads back here.
  return `${kind.name}=${value}; HttpOnly; SameSite=Lax; Path=${adminPrefix}; Max-Age=${seconds}${secure}`
}

function knownBrowser({ sealer, clock }: Deps, { request }: RequestContext): z.output<typeof kind.schema> | null {
  const known = readSealed(kind, sealer, request)
  return known !== null && known.expiresAt > clock.now() ? known : null
}

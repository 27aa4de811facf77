/**
 * The access check of every route that is not public: who calls, by key, by session or on the
 * control socket, and whether that class of caller may use this class of route.
 */
import type { Clock } from '#lib/clock.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Access } from '#http/route.ts'
import { authenticateKey, mayUseArea } from '#identity/authenticate.ts'
import type { ClientSecrets } from '#identity/client-secret.ts'
import type { Directory } from '#identity/directory.ts'
import { everyoneGroupId, type Caller, type KeyArea } from '#identity/records.ts'
import type { LastUsed } from '#replica/last-used.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'

type GuardedAccess = Exclude<Access, 'public'>

export interface AuthorizeDeps {
  readonly directory: Directory
  readonly clientSecrets: ClientSecrets
  readonly feed: ChangeFeed
  /** The caller of the request's session cookie, or a thrown ApiError; null without a cookie. */
  readonly session: (context: RequestContext) => Promise<Caller> | null
  readonly lastUsed: LastUsed
  /** E-mail address of the account for a generation request without a key, or a thrown ApiError; null = it is refused. */
  readonly anonymousUser: (request: Request) => string | null
  readonly clock: Clock
  /** Counts requests that end here, before they have an account to be recorded for. */
  readonly refused: (error: ApiError, context: RequestContext) => void
}

/** The operator: the caller on the control socket, which only the server's own user can open. */
export const operator: Caller = {
  account: {
    user: {
      id: 'operator',
      email: 'operator@localhost',
      name: 'Operator',
      role: 'admin',
      disabled: false,
      kind: 'person',
      hasPassword: false,
      declared: false,
      createdAt: 0,
    },
    groupIds: new Set([everyoneGroupId]),
  },
  key: null,
}

/** The areas of a key of which one is enough; the first is named in a refusal. */
const areasOf = {
  inference: ['inference'],
  realtime: ['inference'],
  generation: ['inference'],
  documents: ['documents'],
  user: ['admin'],
  admin: ['admin'],
  scim: ['scim', 'admin'],
} as const

export function createAuthorize(deps: AuthorizeDeps) {
  return (access: GuardedAccess, context: RequestContext): Caller | Promise<Caller> => {
    try {
      const caller = authorize(deps, access, context)
      return caller instanceof Promise ? counting(caller, deps, context) : caller
    } catch (thrown) {
      return refuse(thrown, deps, context)
    }
  }
}

function counting(finding: Promise<Caller>, deps: AuthorizeDeps, context: RequestContext): Promise<Caller> {
  return finding.catch((thrown: unknown) => refuse(thrown, deps, context))
}

function refuse(thrown: unknown, { refused }: AuthorizeDeps, context: RequestContext): never {
  if (thrown instanceof ApiError) refused(thrown, context)
  throw thrown
}

/** Answers 400, 401 and 403 by throwing, and 503 while this process cannot know of deleted keys. */
function authorize(deps: AuthorizeDeps, access: GuardedAccess, context: RequestContext): Caller | Promise<Caller> {
  if (context.trusted) return operator
  const { standing } = deps.feed
  if (standing !== 'current' && !(standing === 'grace' && isAiRequest(access))) throw new ApiError('store_unavailable')
  const found = authenticateKey(context.request.headers, deps, deps.clock.now())
  if (found.kind === 'in_doubt') throw new ApiError('store_unavailable')
  if (found.kind === 'conflicting') throw new ApiError('conflicting_api_keys')
  if (found.kind === 'invalid') throw new ApiError('invalid_api_key')
  if (found.kind === 'caller') {
    deps.lastUsed.touch(found.caller.key.id, deps.clock.now())
    return permit(found.caller, access)
  }
  // The console: a signed-in user may do there what the user's keys may.
  const session = deps.session(context)
  if (session !== null) return permitLater(session, access)
  if (access === 'generation') return anonymousCaller(deps, context.request)
  throw new ApiError('missing_api_key')
}

async function permitLater(session: Promise<Caller>, access: GuardedAccess): Promise<Caller> {
  return permit(await session, access)
}

/** Those that are answered from memory and by providers. */
function isAiRequest(access: GuardedAccess): boolean {
  return access === 'inference' || access === 'realtime' || access === 'generation'
}

/** Clients of the generation interface send no credentials: an administrator may let them be one account. */
function anonymousCaller({ anonymousUser, directory }: AuthorizeDeps, request: Request): Caller {
  const email = anonymousUser(request)
  const account = email === null ? undefined : directory.accountByEmail(email)
  if (email !== null && directory.isAccountInDoubt(account)) throw new ApiError('store_unavailable')
  if (account === undefined || account.user.disabled) throw new ApiError('missing_api_key')
  return { account, key: null }
}

function permit(caller: Caller, access: GuardedAccess): Caller {
  if (caller.grant !== undefined && access !== 'realtime') {
    throw new ApiError('invalid_api_key', {
      message: 'A client secret only opens realtime sessions. Use an API key here.',
    })
  }
  if (!mayUseAny(caller, areasOf[access])) {
    throw new ApiError('scope_denied', {
      message: `This API key may not be used for "${areasOf[access][0]}". Use a key whose scopes include it.`,
    })
  }
  if ((access === 'admin' || access === 'scim') && caller.account.user.role !== 'admin')
    throw new ApiError('admin_required')
  return caller
}

function mayUseAny(caller: Caller, areas: readonly KeyArea[]): boolean {
  for (const area of areas) if (mayUseArea(caller, area)) return true
  return false
}

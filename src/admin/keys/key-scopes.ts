/**
 * What a new or changed key may do. A key made through another key never gets more than that key
 * has: neither models nor areas nor time.
 */
import { ApiError } from '#errors/api-error.ts'
import type { ApiKey, Caller, KeyScopes, Priority } from '#identity/records.ts'
import type { Admin } from '../admin.ts'

/** What was asked for, cut down to what the maker has where everything was asked for. Answers 403 for more. */
export function boundedScopes(wanted: KeyScopes, { key }: Caller): KeyScopes {
  if (key === null) return wanted
  return {
    modelIds: bounded(wanted.modelIds, key.scopes.modelIds, 'models'),
    areas: bounded(wanted.areas, key.scopes.areas, 'areas'),
  }
}

/** The end that was asked for, or the maker's where none was. Answers 403 for a later one, 422 for one that has passed. */
export function boundedExpiry(wanted: number | null, { key }: Caller, now: number): number | null {
  if (wanted !== null && wanted <= now) {
    throw new ApiError('validation_failed', {
      param: 'expires_at',
      message: '"expires_at": expected a time that is still to come.',
    })
  }
  const end = key?.expiresAt ?? null
  if (end === null) return wanted
  if (wanted === null) return end
  if (wanted > end) throw exceeds('expires_at', 'it would outlive the key of this request')
  return wanted
}

/** Answers 403 when the key may do more than that of the request, or longer: who is given its secret would get that. */
export function requireWithin({ scopes, expiresAt, priority }: ApiKey, maker: Caller, now: number): void {
  const { modelIds, areas } = boundedScopes(scopes, maker)
  if (modelIds !== scopes.modelIds || areas !== scopes.areas) throw exceeds('id', 'this one has more')
  if (boundedExpiry(expiresAt, maker, now) !== expiresAt)
    throw exceeds('id', 'this one outlives the key of this request')
  if (maker.key !== null && priority === 'interactive') boundedPriority(priority, maker, maker.key.priority)
}

/** The class that was asked for. Answers 403 when it is above the key's and `normal`, and no administrator asks. */
export function boundedPriority(wanted: Priority, maker: Caller, before: Priority): Priority {
  if (wanted !== 'interactive' || before === 'interactive' || maker.account.user.role === 'admin') return wanted
  const message = 'Only an administrator can give an API key the priority "interactive".'
  throw new ApiError('scope_denied', { param: 'priority', message })
}

function bounded<T>(wanted: readonly T[] | null, held: readonly T[] | null, what: string): readonly T[] | null {
  if (held === null) return wanted
  if (wanted === null) return held
  if (wanted.every((item) => held.includes(item))) return wanted
  throw exceeds(`scopes.${what}`, `it would have ${what} that the key of this request has not`)
}

function exceeds(param: string, reason: string): ApiError {
  return new ApiError('scope_denied', { param, message: `A key can give no more than it has, and ${reason}.` })
}

/**
 * Ids of the models with these names or aliases, in the same order. Answers 422 for a name that
 * no model has. For a user's own keys only models count that the user can call: a scope reveals no other.
 */
export async function scopedModelIds(
  admin: Admin,
  names: readonly string[],
  maker: Caller,
  owner: 'self' | 'anyone',
): Promise<readonly string[]> {
  const idOf = owner === 'self' ? ownModelIds(admin, maker) : await allModelIds(admin)
  const ids = names.map((name, index) => {
    const id = idOf(name)
    if (id !== null) return id
    const message = owner === 'self' ? 'you can use no model of this name' : 'no model has this name'
    throw new ApiError('validation_failed', {
      param: `scopes.models.${index}`,
      message: `"scopes.models.${index}": ${message}.`,
    })
  })
  return [...new Set(ids)]
}

type IdOf = (name: string) => string | null

function ownModelIds({ state }: Admin, maker: Caller): IdOf {
  return (name) => {
    const resolution = state.catalog.resolve(name, maker)
    if (resolution.kind === 'in_doubt') throw new ApiError('store_unavailable')
    return resolution.kind === 'found' ? resolution.model.record.id : null
  }
}

async function allModelIds({ store }: Admin): Promise<IdOf> {
  const ids = new Map<string, string>()
  for (const model of await store.models.all())
    for (const name of [model.name, ...model.aliases]) ids.set(name, model.id)
  return (name) => ids.get(name) ?? null
}

/** Whether the key is one that the caller may see: any for an administrator's view, else the caller's own. */
export function belongsTo(key: ApiKey | null, ownerId: string | null): key is ApiKey {
  return key !== null && (ownerId === null || key.userId === ownerId)
}

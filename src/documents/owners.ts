/**
 * Who owns a document and who may see it: owners as they are written in requests and answers, and the
 * principals that the store keeps of them.
 */
import type { Directory } from '#identity/directory.ts'
import { everyoneGroupId, type Caller, type Group } from '#identity/records.ts'
import type { Principal, Viewer } from '#store/documents/document-store.ts'

export interface OwnersDeps {
  readonly directory: Directory
  readonly groups: {
    byName(name: string): Promise<Group | null>
    all(): Promise<readonly Group[]>
  }
}

export type ResolvedOwners =
  | { readonly kind: 'owners'; readonly principals: readonly Principal[] }
  /** No user or group is called that. */
  | { readonly kind: 'unknown'; readonly owner: string }

const everyone: Principal = `group:${everyoneGroupId}`

/** What this caller sees: own imports, what one of the caller's groups or the caller owns, and everything for administrators. */
export function viewerOf({ account }: Caller): Viewer {
  const { user, groupIds } = account
  return {
    userId: user.id,
    principals: [`user:${user.id}`, ...[...groupIds].map((id) => `group:${id}`)],
    all: user.role === 'admin',
  }
}

/** Principals of the owners in a request, sorted, each once. None were given: the caller alone. */
export async function resolveOwners(
  deps: OwnersDeps,
  owners: string | readonly string[] | null,
  caller: Caller,
): Promise<ResolvedOwners> {
  if (owners === null) return { kind: 'owners', principals: [`user:${caller.account.user.id}`] }
  const principals = new Set<Principal>()
  for (const owner of [owners].flat()) {
    const principal = await principalOf(deps, owner)
    if (principal === null) return { kind: 'unknown', owner }
    principals.add(principal)
  }
  return { kind: 'owners', principals: [...principals].sort() }
}

export type ImportOwners =
  | ResolvedOwners
  /** The importer may not name this one, or it does not exist: both look the same. */
  | { readonly kind: 'forbidden'; readonly owner: string }

/**
 * The owners of an import. Users may name themselves and their own groups. Others, and everyone, take the permission
 * `documents.share`, since a document turns up in the searches and chats of its owners.
 */
export async function importOwners(
  deps: OwnersDeps,
  owners: string | readonly string[] | null,
  caller: Caller,
): Promise<ImportOwners> {
  const { account } = caller
  if (owners === null || deps.directory.permits(account, 'documents.share')) return resolveOwners(deps, owners, caller)
  const own = new Set<Principal | null>(viewerOf(caller).principals)
  own.delete(everyone)
  for (const owner of [owners].flat()) if (!own.has(await principalOf(deps, owner))) return { kind: 'forbidden', owner }
  return resolveOwners(deps, owners, caller)
}

async function principalOf({ directory, groups }: OwnersDeps, owner: string): Promise<Principal | null> {
  if (owner === 'everyone') return everyone
  if (owner.startsWith('group:')) {
    const group = await groups.byName(owner.slice('group:'.length))
    return group === null ? null : `group:${group.id}`
  }
  const account = directory.account(owner.toLowerCase()) ?? directory.accountByEmail(owner.toLowerCase())
  return account === undefined ? null : `user:${account.user.id}`
}

/** How principals are written in an answer: as they can be sent again. Groups and users that are gone keep their id. */
export async function ownersOnWire(
  { directory, groups }: OwnersDeps,
  principals: Iterable<Principal>,
): Promise<(principal: Principal) => string> {
  const needsGroups = [...principals].some((each) => each.startsWith('group:') && each !== everyone)
  const names = new Map(needsGroups ? (await groups.all()).map(({ id, name }) => [id, name] as const) : [])
  return (principal) => {
    if (principal === everyone) return 'everyone'
    const id = principal.slice(principal.indexOf(':') + 1)
    if (principal.startsWith('group:')) return `group:${names.get(id) ?? id}`
    return directory.account(id)?.user.email ?? id
  }
}

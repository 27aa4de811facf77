/**
 * The users and keys of this process's memory: what authentication reads on every request, so that
 * no request waits for a database.
 *
 * The maps hold immutable records and change one entry at a time, so a request that has looked
 * something up keeps a consistent record while an administrator changes the next one.
 */
import { everyoneGroupId, type Account, type ApiKey, type Group, type Permission, type User } from './records.ts'

export interface DirectoryContents {
  readonly users: Iterable<User>
  readonly keys: Iterable<ApiKey>
  /** Pairs of user id and group id, without the group everyone. */
  readonly memberships: Iterable<{ readonly userId: string; readonly groupId: string }>
  readonly groups: Iterable<Pick<Group, 'id' | 'name' | 'permissions'>>
}

/** What is known to have changed in the store and is not in memory. */
export interface DirectoryDoubts {
  readonly everything: boolean
  readonly userIds: ReadonlySet<string>
  readonly keyIds: ReadonlySet<string>
}

export class Directory {
  #accounts = new Map<string, Account>()
  #idsByEmail = new Map<string, string>()
  #keysByDigest = new Map<string, ApiKey>()
  #digestsByKeyId = new Map<string, string>()
  #groupNames = new Map<string, string>()
  /** Groups that have a permission. */
  #permissions = new Map<string, readonly Permission[]>()
  #doubts: DirectoryDoubts = { everything: false, userIds: new Set(), keyIds: new Set() }

  /** Replaces everything at once. */
  load(contents: DirectoryContents): void {
    const groups = new Map<string, Set<string>>()
    for (const { userId, groupId } of contents.memberships) {
      let ids = groups.get(userId)
      if (ids === undefined) groups.set(userId, (ids = new Set([everyoneGroupId])))
      ids.add(groupId)
    }
    this.#accounts = new Map()
    this.#idsByEmail = new Map()
    for (const user of contents.users) {
      this.#accounts.set(user.id, { user, groupIds: groups.get(user.id) ?? new Set([everyoneGroupId]) })
      this.#idsByEmail.set(user.email, user.id)
    }
    this.#keysByDigest = new Map()
    this.#digestsByKeyId = new Map()
    for (const key of contents.keys) this.putKey(key)
    this.#permissions = new Map()
    this.#groupNames = new Map()
    for (const { id, name, permissions } of contents.groups) {
      this.#groupNames.set(id, name)
      if (permissions.length > 0) this.#permissions.set(id, permissions)
    }
  }

  account(userId: string): Account | undefined {
    return this.#accounts.get(userId)
  }

  /** The account with this address, which is in lower case. */
  accountByEmail(email: string): Account | undefined {
    const id = this.#idsByEmail.get(email)
    return id === undefined ? undefined : this.#accounts.get(id)
  }

  groupName(id: string): string | undefined {
    return this.#groupNames.get(id)
  }

  /** Whether one of the account's groups has the permission, or the user is an administrator. */
  permits({ user, groupIds }: Account, permission: Permission): boolean {
    if (user.role === 'admin') return true
    for (const [groupId, granted] of this.#permissions)
      if (granted.includes(permission) && groupIds.has(groupId)) return true
    return false
  }

  /** The key with this digest, or whose secret before the last rotation had it. */
  keyByDigest(digest: string): ApiKey | undefined {
    return this.#keysByDigest.get(digest)
  }

  key(keyId: string): ApiKey | undefined {
    return this.#keysByDigest.get(this.#digestsByKeyId.get(keyId) ?? '')
  }

  /** Replaces what is in doubt. */
  doubt(doubts: DirectoryDoubts): void {
    this.#doubts = doubts
  }

  /** Whether what was found by a digest may be old. Nothing found is old while a key is in doubt that may be new. */
  isKeyInDoubt(key: ApiKey | undefined): boolean {
    const { everything, keyIds } = this.#doubts
    if (everything || keyIds.size === 0) return everything
    return key === undefined ? keyIds.values().some((id) => !this.#digestsByKeyId.has(id)) : keyIds.has(key.id)
  }

  /** Whether what was found by an id or an address may be old. Nothing found is old while any user is in doubt. */
  isAccountInDoubt(account: Account | undefined): boolean {
    const { everything, userIds } = this.#doubts
    return everything || (account === undefined ? userIds.size > 0 : userIds.has(account.user.id))
  }

  putAccount(user: User, groupIds: Iterable<string>): void {
    this.#forgetEmail(user.id)
    this.#accounts.set(user.id, { user, groupIds: new Set([everyoneGroupId, ...groupIds]) })
    this.#idsByEmail.set(user.email, user.id)
  }

  /** Removes users with all their keys. */
  removeAccounts(userIds: ReadonlySet<string>): void {
    for (const id of userIds) {
      this.#forgetEmail(id)
      this.#accounts.delete(id)
    }
    for (const key of this.#keysByDigest.values()) if (userIds.has(key.userId)) this.removeKey(key.id)
  }

  putKey(key: ApiKey): void {
    this.removeKey(key.id)
    this.#keysByDigest.set(key.digest, key)
    if (key.previous !== null) this.#keysByDigest.set(key.previous.digest, key)
    this.#digestsByKeyId.set(key.id, key.digest)
  }

  removeKey(keyId: string): void {
    const digest = this.#digestsByKeyId.get(keyId)
    if (digest === undefined) return
    const previous = this.#keysByDigest.get(digest)?.previous ?? null
    if (previous !== null) this.#keysByDigest.delete(previous.digest)
    this.#digestsByKeyId.delete(keyId)
    this.#keysByDigest.delete(digest)
  }

  #forgetEmail(userId: string): void {
    const email = this.#accounts.get(userId)?.user.email
    // Another user may have taken the address in the meantime.
    if (email !== undefined && this.#idsByEmail.get(email) === userId) this.#idsByEmail.delete(email)
  }
}

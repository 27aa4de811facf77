/**
 * What this process holds in memory of the store: users and keys, the catalog, the live settings.
 * The request path reads nothing else.
 *
 * After a change is written to the store, `apply` reads the changed entities again. Changes are
 * applied one after another, so an older read never replaces a newer one. What could not be read is
 * read again with the next call; until then memory is known to be old, and `current` says so.
 */
import { Catalog } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { Directory } from '#identity/directory.ts'
import type { Logger } from '#observe/log.ts'
import type { LiveReads } from '#store/store.ts'
import type { Change } from './change.ts'
import { distinct } from './change-log.ts'

export class LiveState {
  readonly directory = new Directory()
  readonly settings: LiveSettings
  readonly #store: LiveReads
  readonly #logger: Logger
  #catalog = new Catalog({ providers: [], models: [], inflightOverrides: [] })
  #applying: Promise<void> = Promise.resolve()
  /** Changes that are in the store and not in memory, because reading them failed. */
  #unread: readonly Change[] = []

  constructor(store: LiveReads, settings: LiveSettings, logger: Logger) {
    this.#store = store
    this.settings = settings
    this.#logger = logger
  }

  /** The snapshot of this moment. */
  get catalog(): Catalog {
    return this.#catalog
  }

  /** Whether no change is known that memory does not hold. */
  get current(): boolean {
    return this.#unread.length === 0
  }

  /** Reads everything. */
  load(): Promise<void> {
    return this.apply([{ kind: 'directory' }, { kind: 'catalog' }, { kind: 'settings' }])
  }

  /**
   * Brings memory up to date; resolves when the next request sees the changes. Rejects when one of
   * them, or one left from before, cannot be read; the others are applied.
   */
  apply(changes: readonly Change[]): Promise<void> {
    const applied = this.#applying.then(() => this.#applyAll(distinct([...this.#unread, ...changes])))
    // The queue goes on after a failed read; the caller of this one hears of it.
    this.#applying = applied.catch(() => {})
    return applied
  }

  async #applyAll(changes: readonly Change[]): Promise<void> {
    const unread: Change[] = []
    const failures: unknown[] = []
    for (const change of changes) {
      try {
        await this.#applyOne(change)
      } catch (failure) {
        unread.push(change)
        failures.push(failure)
      }
    }
    this.#unread = unread
    if (failures.length > 0) throw failures[0]
  }

  async #applyOne(change: Change): Promise<void> {
    switch (change.kind) {
      case 'user':
        return this.#readUser(change.id)
      case 'key':
        return this.#readKey(change.id)
      case 'directory':
        return this.#readDirectory()
      case 'catalog':
        return this.#readCatalog()
      case 'settings':
        return this.#readSettings()
    }
  }

  async #readUser(id: string): Promise<void> {
    const [found] = await this.#store.users.some([id])
    if (found === undefined) this.directory.removeAccount(id)
    else this.directory.putAccount(found.user, found.groupIds)
  }

  async #readKey(id: string): Promise<void> {
    const [key] = await this.#store.keys.some([id])
    if (key === undefined) this.directory.removeKey(id)
    else this.directory.putKey(key)
  }

  async #readDirectory(): Promise<void> {
    const { users, keys, groups } = this.#store
    const [all, memberships, allKeys, allGroups] = await Promise.all([
      users.all(),
      users.memberships(),
      keys.all(),
      groups.all(),
    ])
    this.directory.load({ users: all, memberships, keys: allKeys, groups: allGroups })
  }

  async #readCatalog(): Promise<void> {
    const { providers, models, inflightOverrides } = this.#store
    const [allProviders, allModels, overrides] = await Promise.all([
      providers.all(),
      models.all(),
      inflightOverrides.all(),
    ])
    this.#catalog = new Catalog({ providers: allProviders, models: allModels, inflightOverrides: overrides })
  }

  async #readSettings(): Promise<void> {
    for (const problem of this.settings.applyStored(await this.#store.settings.all())) {
      this.#logger.warn('a stored setting is ignored', { setting: problem.name, expected: problem.expected })
    }
  }
}

/**
 * What this process holds in memory of the store: users and keys, the catalog, the live settings.
 * The request path reads nothing else.
 *
 * After a change is written to the store, `apply` reads the changed entities again. What cannot be
 * read soon is in doubt: the directory and the catalog refuse what it names, everything else is
 * served, and it is read again until that succeeds (memory-part.ts).
 */
import { Catalog, type CatalogContents, type CatalogDoubts } from '#catalog/catalog.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import type { FoundServers } from '#catalog/servers.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { Directory } from '#identity/directory.ts'
import type { Logger } from '#observe/log.ts'
import { StoreUnavailable } from '#store/errors.ts'
import type { LiveReads } from '#store/store.ts'
import type { Change, ChangeKind } from './change.ts'
import { everything } from './change-log.ts'
import { MemoryPart } from './memory-part.ts'

/** Part of the time in which other processes may count this one as gone; the rest is for the heartbeat. */
const patience = 0.4

type Known = Exclude<Change, { readonly kind: 'unknown' }>
type PartName = 'accounts' | 'catalog' | 'settings'

const partOf: Readonly<Record<Exclude<ChangeKind, 'unknown'>, PartName>> = {
  user: 'accounts',
  key: 'accounts',
  directory: 'accounts',
  model: 'catalog',
  provider: 'catalog',
  catalog: 'catalog',
  settings: 'settings',
}

export class LiveState {
  readonly directory = new Directory()
  readonly settings: LiveSettings
  readonly #store: LiveReads
  readonly #logger: Logger
  readonly #parts: Readonly<Record<PartName, MemoryPart>>
  readonly #doubts: Record<PartName, readonly Change[]> = { accounts: [], catalog: [], settings: [] }
  #contents: CatalogContents = { providers: [], models: [], inflightOverrides: [] }
  #servers: FoundServers = new Map()
  #catalog = new Catalog(this.#contents)

  constructor(store: LiveReads, settings: LiveSettings, logger: Logger) {
    this.#store = store
    this.settings = settings
    this.#logger = logger
    this.#parts = {
      accounts: this.#part('accounts', (changes) => this.#readAccounts(changes)),
      catalog: this.#part('catalog', () => this.#readCatalog()),
      settings: this.#part('settings', () => this.#readSettings()),
    }
  }

  /** The snapshot of this moment. */
  get catalog(): Catalog {
    return this.#catalog
  }

  /** All providers as the store has them. */
  get providers(): Iterable<ProviderRecord> {
    return this.#contents.providers
  }

  /** What name servers say about providers counts from the next request on. */
  putServers(servers: FoundServers): void {
    this.#servers = servers
    this.#buildCatalog()
  }

  /** False while the settings are in doubt, which concern every request. */
  get certain(): boolean {
    return this.#doubts.settings.length === 0
  }

  /** Changes whose entities are refused, because they could not be read. */
  get inDoubt(): number {
    return Object.values(this.#doubts).reduce((sum, changes) => sum + changes.length, 0)
  }

  /** Reads everything; rejects with StoreUnavailable when that fails, and memory is then not known to be up to date. */
  async load(): Promise<void> {
    const loaded = await Promise.all(this.#divided(everything).map(([part, changes]) => part.load(changes)))
    if (loaded.includes(false)) throw new StoreUnavailable('memory could not be loaded')
  }

  /** Resolves soon, when each change either is in memory or has what it names refused. */
  async apply(changes: readonly Change[]): Promise<void> {
    const known = changes.filter((change) => change.kind !== 'unknown')
    // What is not read now stays unread, and `readAgain` reads it.
    if (known.length < changes.length) void this.load().catch(() => undefined)
    await Promise.all(this.#divided(known).map(([part, own]) => part.apply(own)))
  }

  /** Reads once more what could not be read. */
  async readAgain(): Promise<void> {
    await Promise.all(Object.values(this.#parts).map((part) => part.readUnread()))
  }

  #divided(changes: readonly Known[]): (readonly [MemoryPart, readonly Change[]])[] {
    return [...Map.groupBy(changes, ({ kind }) => partOf[kind])].map(([name, own]) => [this.#parts[name], own] as const)
  }

  #part(name: PartName, read: (changes: readonly Change[]) => Promise<Outcome>): MemoryPart {
    return new MemoryPart({
      read: async (changes) => {
        const outcome = await read(changes).catch((failure: unknown): Outcome => ({ unread: changes, failure }))
        if (outcome !== complete) this.#logger.debug('a change cannot be read', { part: name, error: outcome.failure })
        return changes.filter((change) => !outcome.unread.includes(change))
      },
      onDoubt: (doubts) => this.#doubt(name, doubts),
      patienceMs: this.settings.get('cluster.replica_timeout_seconds') * 1000 * patience,
    })
  }

  #doubt(name: PartName, doubts: readonly Change[]): void {
    if (this.#doubts[name].length === 0) {
      this.#logger.warn('changes cannot be read; what they name is refused until they are', { part: name })
    } else if (doubts.length === 0) this.#logger.info('changes that could not be read are in memory', { part: name })
    this.#doubts[name] = doubts
    if (name === 'accounts') {
      this.directory.doubt({
        everything: doubts.some(({ kind }) => kind === 'directory'),
        userIds: idsOf(doubts, 'user'),
        keyIds: idsOf(doubts, 'key'),
      })
    } else if (name === 'catalog') this.#buildCatalog()
  }

  async #readAccounts(changes: readonly Change[]): Promise<Outcome> {
    if (changes.some(({ kind }) => kind === 'directory')) return this.#readDirectory()
    const users = changes.filter(({ kind }) => kind === 'user')
    const keys = changes.filter(({ kind }) => kind === 'key')
    const outcomes = await Promise.allSettled([
      this.#readUsers(idsOf(users, 'user')),
      this.#readKeys(idsOf(keys, 'key')),
    ])
    const unread = [users, keys].flatMap((own, index) => (outcomes[index]?.status === 'rejected' ? own : []))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    return failed === undefined ? complete : { unread, failure: failed.reason }
  }

  async #readUsers(ids: ReadonlySet<string>): Promise<void> {
    const found = await this.#store.users.some([...ids])
    for (const { user, groupIds } of found) this.directory.putAccount(user, groupIds)
    const gone = ids.difference(new Set(found.map(({ user }) => user.id)))
    if (gone.size > 0) this.directory.removeAccounts(gone)
  }

  async #readKeys(ids: ReadonlySet<string>): Promise<void> {
    const found = await this.#store.keys.some([...ids])
    for (const key of found) this.directory.putKey(key)
    for (const id of ids.difference(new Set(found.map((key) => key.id)))) this.directory.removeKey(id)
  }

  async #readDirectory(): Promise<Outcome> {
    const { users, keys, groups } = this.#store
    const [all, memberships, allKeys, allGroups] = await Promise.all([
      users.all(),
      users.memberships(),
      keys.all(),
      groups.all(),
    ])
    this.directory.load({ users: all, memberships, keys: allKeys, groups: allGroups })
    return complete
  }

  async #readCatalog(): Promise<Outcome> {
    const { providers, models, inflightOverrides, prices, budgets } = this.#store
    const [allProviders, allModels, overrides, allPrices, allBudgets] = await Promise.all([
      providers.all(),
      models.all(),
      inflightOverrides.all(),
      prices.current(),
      budgets.all(),
    ])
    this.#contents = {
      providers: allProviders,
      models: allModels,
      inflightOverrides: overrides,
      prices: allPrices,
      budgets: allBudgets,
    }
    this.#buildCatalog()
    return complete
  }

  #buildCatalog(): void {
    const doubts = this.#doubts.catalog
    const inDoubt: CatalogDoubts = {
      everything: doubts.some(({ kind }) => kind === 'catalog'),
      modelIds: idsOf(doubts, 'model'),
      providerIds: idsOf(doubts, 'provider'),
    }
    this.#catalog = new Catalog({ ...this.#contents, servers: this.#servers }, inDoubt)
  }

  async #readSettings(): Promise<Outcome> {
    for (const problem of this.settings.applyStored(await this.#store.settings.all())) {
      this.#logger.warn('a stored setting is ignored', { setting: problem.name, expected: problem.expected })
    }
    return complete
  }
}

/** What a read could not bring into memory, and why. */
interface Outcome {
  readonly unread: readonly Change[]
  readonly failure: unknown
}

const complete: Outcome = { unread: [], failure: null }

function idsOf(changes: readonly Change[], kind: 'user' | 'key' | 'model' | 'provider'): ReadonlySet<string> {
  return new Set(changes.flatMap((change) => (change.kind === kind ? [change.id] : [])))
}

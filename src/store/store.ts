/**
 * Everything that outlives the process, as one object. Opening it brings the schema up to date.
 *
 * Calls reject with StoreUnavailable when the database cannot be used, and with the refusals that
 * each of them names. The store makes no ids and reads no clock: both come with the call.
 */
import { auditStore, type AuditStore } from './audit.ts'
import type { BudgetPlace } from '#budgets/budget-place.ts'
import type { Sealer } from '#lib/seal.ts'
import { backup, backupPostgres, describeCopy, type DatabaseCopy } from './backup.ts'
import { databaseTime } from './database-time.ts'
import { batchStore, type BatchStore } from './batches/batches.ts'
import { fileStore, type FileStore } from './batches/files.ts'
import { uploadStore, type UploadStore } from './batches/uploads.ts'
import type { VectorStoreStore } from './batches/vector-store-records.ts'
import { vectorStoreStore } from './batches/vector-stores.ts'
import { documentStore } from './documents/thread/document-work.ts'
import type { DocumentStore } from './documents/document-store.ts'
import type { QdrantAddress } from './documents/vector-places.ts'
import { documentWork } from './documents/thread/document-threads.ts'
import { storedBytes, type StoredBytes } from './documents/stored-bytes.ts'
import { engineOf, openDatabase, type Database, type DatabaseOptions, type Engine } from './database.ts'
import { settlingDeadlocks, withAvailability } from './errors.ts'
import { exportStore, type ExportStore } from './exports/usage-exports.ts'
import { groupStore, type GroupStore } from './identity/groups.ts'
import { identityStore, type IdentityStore } from './identity/identities.ts'
import { invitationStore, type InvitationStore } from './identity/invitations.ts'
import { inflightOverrideStore, type InflightOverrideStore } from './catalog/inflight-overrides.ts'
import { conversationStore, type ConversationStore } from './kept/conversations.ts'
import { keptResponseStore, type KeptResponseStore } from './kept/kept-responses.ts'
import { contentLogStore, type ContentLogStore } from './content/content-logs.ts'
import { keyStore, type KeyStore } from './identity/keys.ts'
import { leaderLocks, type LeaderLocks } from './leader-locks.ts'
import { migrate, migrations, type MigrateOptions } from './migrate.ts'
import { knownSchema, type Contract } from './migrating/migration.ts'
import { limitStore, type LimitStore } from './limits/limit-store.ts'
import { modelStore, type ModelStore } from './catalog/models.ts'
import { budgetPlace } from './money/budget-place.ts'
import { budgetStore, type BudgetStore } from './money/budgets.ts'
import { priceStore, type PriceStore } from './money/prices.ts'
import { providerStore, type ProviderStore } from './catalog/providers.ts'
import { signInCountStore, type SignInCountStore } from './limits/sign-in-counts.ts'
import { replicaStore, type ReplicaStore } from './replicas.ts'
import { scimStore, type ScimStore } from './identity/scim.ts'
import { sourceStore, type SourceStore } from './sources/sources.ts'
import { sessionStore, type SessionStore } from './identity/sessions.ts'
import { settingStore, type SettingStore } from './settings.ts'
import { storedResponseStore, type StoredResponseStore } from './stored-responses.ts'
import { liveChannel, type LiveChannel } from './usage/live-channel.ts'
import { usageRows } from './usage/usage-rows.ts'
import { UsageThread, usageOn } from './usage/usage-thread.ts'
import { usageStore, type UsageStore, type UsageWork } from './usage/usage.ts'
import { userStore, type UserStore } from './identity/users.ts'
import { webhookStore, type WebhookStore } from './webhooks/webhooks.ts'

export interface Store {
  readonly users: UserStore
  readonly groups: GroupStore
  readonly keys: KeyStore
  readonly providers: ProviderStore
  readonly models: ModelStore
  readonly inflightOverrides: InflightOverrideStore
  readonly prices: PriceStore
  readonly budgets: BudgetStore
  /** Where processes take what requests may spend. */
  readonly budgetPlace: BudgetPlace
  readonly sessions: SessionStore
  readonly invitations: InvitationStore
  readonly identities: IdentityStore
  /** Users and groups as a provisioning service sees them. */
  readonly scim: ScimStore
  readonly usage: UsageStore
  readonly responses: StoredResponseStore
  readonly keptResponses: KeptResponseStore
  readonly conversations: ConversationStore
  /** Files that accounts have uploaded, and that batches have made. */
  readonly files: FileStore
  /** Files that come in parts. */
  readonly uploads: UploadStore
  readonly vectorStores: VectorStoreStore
  readonly batches: BatchStore
  readonly webhooks: WebhookStore
  readonly documents: DocumentStore
  /** Files of documents in the database; null on SQLite. */
  readonly documentBytes: StoredBytes | null
  readonly settings: SettingStore
  readonly audit: AuditStore
  readonly contentLogs: ContentLogStore
  readonly exports: ExportStore
  readonly sources: SourceStore
  /** What a process holds in memory, on connections that nothing else can use up. */
  readonly live: LiveReads
  /** Null on SQLite, which one process serves. */
  readonly replicas: ReplicaStore | null
  /** Null on SQLite. */
  readonly leaderLocks: LeaderLocks | null
  /** What processes keep together for limits; null on SQLite. */
  readonly limits: LimitStore | null
  /** On which processes tell each other which requests have ended; null on SQLite. */
  readonly liveChannel: LiveChannel | null
  /** Failed sign-ins of all processes; null on SQLite. */
  readonly signInCounts: SignInCountStore | null
  readonly engine: Engine
  /**
   * Runs the contract steps of the upgrade that waited for older processes to leave. Resolves with the names of those
   * that still wait.
   */
  finishUpgrade(): Promise<readonly string[]>
  /** The time that all processes on the database share; null on SQLite, where the process has its own. */
  readonly now: (() => Promise<number>) | null
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /**
   * Writes a copy to a file that does not exist yet: a database on SQLite, an archive of pg_dump on PostgreSQL. Resolves
   * to the files of documents that it holds or refers to, and the schema that it needs. Throws BackupRefused.
   */
  backup(file: string): Promise<DatabaseCopy>
  /** Closes the database. Calling it again does nothing; any other call afterwards rejects with StoreUnavailable. */
  close(): Promise<void>
}

/** The reads that bring a process's memory up to date. */
export interface LiveReads {
  readonly users: Pick<UserStore, 'all' | 'some' | 'memberships'>
  readonly groups: Pick<GroupStore, 'all'>
  readonly keys: Pick<KeyStore, 'all' | 'some'>
  readonly providers: Pick<ProviderStore, 'all'>
  readonly models: Pick<ModelStore, 'all'>
  readonly inflightOverrides: Pick<InflightOverrideStore, 'all'>
  readonly prices: Pick<PriceStore, 'current'>
  readonly budgets: Pick<BudgetStore, 'all'>
  readonly settings: Pick<SettingStore, 'all'>
}

export interface StoreOptions extends Pick<DatabaseOptions, 'url' | 'poolMax'>, Partial<MigrateOptions> {
  /** Most PostgreSQL connections for reports, besides those of `poolMax`; 4 when absent. */
  readonly reportPoolMax?: number
  /** A folder for what searches keep for the next process; none is kept when absent. */
  readonly searchDirectory?: string
  /** A Qdrant server that vectors may be moved to; none when absent. */
  readonly qdrant?: QdrantAddress | null
  /** Seals what providers authenticate with, and what callers had the gateway keep. */
  readonly sealer: Sealer
}

/**
 * Opens the database and migrates it. Rejects with StoreUnavailable, or with StoreTooNew when a newer version of
 * Sluice has closed it to this one; nothing stays open then.
 */
export async function openStore({ sealer, reportPoolMax, ...options }: StoreOptions): Promise<Store> {
  const { database, waiting } = await withAvailability({ open: () => openMigrated(options) }).open()
  const pools = openPools(database, options.url, reportPoolMax)
  const slow = slowWork(database, pools, options.url)
  const { searchDirectory = null, qdrant = null } = options
  const documents = documentStore(await documentWork(database, { url: options.url, searchDirectory, qdrant }))
  const availability = withAvailability({
    finishUpgrade: upgrading(options, waiting),
    ping: () => database.ping(),
    backup: (file: string) => slow.backup(file),
  })
  return {
    ...identityStores(database, pools),
    providers: settlingDeadlocks(providerStore(database, sealer)),
    models: settlingDeadlocks(modelStore(database)),
    inflightOverrides: settlingDeadlocks(inflightOverrideStore(database)),
    prices: settlingDeadlocks(priceStore(database)),
    budgets: settlingDeadlocks(budgetStore(database)),
    budgetPlace: withAvailability(budgetPlace(database)),
    usage: withAvailability(usageStore(slow.usage)),
    responses: withAvailability(storedResponseStore(database)),
    keptResponses: settlingDeadlocks(keptResponseStore(database, sealer)),
    conversations: settlingDeadlocks(conversationStore(database, sealer)),
    files: withAvailability(fileStore(database)),
    uploads: withAvailability(uploadStore(database)),
    vectorStores: settlingDeadlocks(vectorStoreStore(database)),
    batches: withAvailability(batchStore(database)),
    webhooks: withAvailability(webhookStore(database, sealer)),
    documents: withAvailability(documents),
    documentBytes: pools.bytes && withAvailability(storedBytes(pools.bytes)),
    settings: settlingDeadlocks(settingStore(database)),
    audit: withAvailability(auditStore(database)),
    contentLogs: withAvailability(contentLogStore(database, sealer)),
    exports: withAvailability(exportStore(database)),
    sources: withAvailability(sourceStore(database, sealer)),
    live: liveReads(pools.live, sealer),
    ...sharedStores(database, pools, options),
    engine: database.engine,
    finishUpgrade: availability.finishUpgrade,
    ping: availability.ping,
    backup: availability.backup,
    async close() {
      await Promise.all([slow.close(), documents.close()])
      await pools.close()
      await database.close()
    },
  }
}

/** What processes on one database have together; null on SQLite, which one process serves. */
function sharedStores(
  database: Database,
  pools: Pools,
  { url, migrations: all = migrations }: Pick<StoreOptions, 'url' | 'migrations'>,
) {
  if (database.engine === 'sqlite')
    return { replicas: null, leaderLocks: null, limits: null, liveChannel: null, signInCounts: null, now: null }
  return {
    replicas: withAvailability(replicaStore(pools.log, url, knownSchema(all))),
    leaderLocks: withAvailability(leaderLocks(url)),
    limits: limitStore(pools.limits, url),
    liveChannel: withAvailability(liveChannel(database, url)),
    signInCounts: withAvailability(signInCountStore(database)),
    now: withAvailability({ now: databaseTime(database) }).now,
  } satisfies Partial<Store>
}

function identityStores(database: Database, { reports }: Pick<Pools, 'reports'>) {
  return {
    // A search looks at every user, and one among keys at every key.
    users: settlingDeadlocks({ ...userStore(database), list: (query) => userStore(reports).list(query) }),
    keys: settlingDeadlocks({ ...keyStore(database), list: (query) => keyStore(reports).list(query) }),
    groups: settlingDeadlocks(groupStore(database)),
    sessions: settlingDeadlocks(sessionStore(database)),
    invitations: settlingDeadlocks(invitationStore(database)),
    identities: settlingDeadlocks(identityStore(database)),
    scim: settlingDeadlocks(scimStore(database)),
  } satisfies Partial<Store>
}

/**
 * PostgreSQL connections beside those of `pool_max`, so that none of these waits for another: reports may
 * take long, and a process that cannot read changes and log soon has to stop answering. SQLite has one
 * connection for all.
 */
interface Pools {
  readonly reports: Database
  /** For writing usage records, which come in any number. */
  readonly usage: Database
  /** For `LiveReads`. A table that stays locked holds up a read of it for `lockTimeoutMs`, and others not at all. */
  readonly live: Database
  /** For the log of changes and the processes that read it. */
  readonly log: Database
  /** For the files of documents, which take long; null on SQLite. */
  readonly bytes: Database | null
  /** For the members and the place of limits: lending must not wait for anything else. */
  readonly limits: Database
  close(): Promise<void>
}

const defaultReportPoolMax = 4
/** One for each part of memory: users and keys, the catalog, the settings. */
const livePoolMax = 3
const lockTimeoutMs = 1000
const usagePoolMax = 2
/** Two files at a time fill the way to the database. */
const bytesPoolMax = 2

function openPools(database: Database, url: string, reportPoolMax = defaultReportPoolMax): Pools {
  if (database.engine === 'sqlite')
    return {
      reports: database,
      usage: database,
      live: database,
      log: database,
      bytes: null,
      limits: database,
      close: async () => undefined,
    }
  const pools = {
    reports: openDatabase({ url, poolMax: reportPoolMax }),
    usage: openDatabase({ url, poolMax: usagePoolMax }),
    live: openDatabase({ url, poolMax: livePoolMax, lockTimeoutMs }),
    log: openDatabase({ url, poolMax: 1, lockTimeoutMs }),
    bytes: openDatabase({ url, poolMax: bytesPoolMax }),
    limits: openDatabase({ url, poolMax: 1, lockTimeoutMs }),
  }
  return {
    ...pools,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.close()))
    },
  }
}

function liveReads(database: Database, sealer: Sealer): LiveReads {
  return {
    users: withAvailability(userStore(database)),
    groups: withAvailability(groupStore(database)),
    keys: withAvailability(keyStore(database)),
    providers: withAvailability(providerStore(database, sealer)),
    models: withAvailability(modelStore(database)),
    inflightOverrides: withAvailability(inflightOverrideStore(database)),
    prices: withAvailability(priceStore(database)),
    budgets: withAvailability(budgetStore(database)),
    settings: withAvailability(settingStore(database)),
  }
}

interface SlowWork {
  readonly usage: UsageWork
  backup(file: string): Promise<DatabaseCopy>
  /** Waits for what was asked for. */
  close(): Promise<void>
}

/**
 * The work that takes long, where it holds nobody up. PostgreSQL does it in a process of its own and
 * SQLite on the calling thread, so that a file gets two other threads. A copy of a large one takes
 * minutes, while usage is still being recorded: hence two, of which the copying one ends afterwards.
 * A database in memory cannot be shared between threads; it is small and nobody's production.
 */
function slowWork(database: Database, pools: Pick<Pools, 'reports' | 'usage'>, url: string): SlowWork {
  const { file } = database
  if (file === null) {
    const { totals, series, list, proveCounters, breakdownOfHours } = usageRows(pools.reports)
    const { write } = usageRows(pools.usage)
    const usage = { ...usageRows(database), write, totals, series, list, proveCounters, breakdownOfHours }
    const copyTo = async (copy: string): Promise<DatabaseCopy> => {
      if (database.engine === 'postgres') return backupPostgres(url, copy)
      await backup(database, copy)
      return describeCopy(copy)
    }
    return { usage, backup: copyTo, close: async () => undefined }
  }
  const recording = new UsageThread({ file, whenIdle: 'keep' })
  const copying = new UsageThread({ file, whenIdle: 'end' })
  return {
    usage: usageOn(recording),
    async backup(copy) {
      await copying.run('backup', copy)
      return describeCopy(copy)
    },
    async close() {
      await Promise.all([recording.close(), copying.close()])
    },
  }
}

type OpenOptions = Omit<StoreOptions, 'sealer' | 'reportPoolMax'>

interface Migrated {
  readonly database: Database
  /** Steps that processes of an older version hold up. */
  readonly waiting: readonly Contract[]
}

async function openMigrated(options: OpenOptions): Promise<Migrated> {
  if (engineOf(options.url) === 'postgres') {
    const waiting = await migrateApart(options)
    return { database: openDatabase(options), waiting }
  }
  const database = openDatabase(options)
  try {
    return { database, waiting: await migrate(database, { migrations, ...options }) }
  } catch (thrown) {
    await database.close()
    throw thrown
  }
}

/** On a connection of its own, without time limits: a migration waits for others and can take long. */
async function migrateApart(options: OpenOptions): Promise<readonly Contract[]> {
  const migrating = openDatabase({ url: options.url, poolMax: 1, patient: true })
  try {
    return await migrate(migrating, { migrations, ...options })
  } finally {
    await migrating.close()
  }
}

/** A running process has better things to wait for than a lock: it comes back later. */
const laterAttemptsMax = 3

function upgrading(options: OpenOptions, atStart: readonly Contract[]): Store['finishUpgrade'] {
  let waiting = atStart
  return async () => {
    if (waiting.length > 0) waiting = await migrateApart({ ...options, attemptsMax: laterAttemptsMax })
    return waiting.map(({ name }) => name)
  }
}

/**
 * Everything that outlives the process, as one object. Opening it brings the schema up to date.
 *
 * Calls reject with StoreUnavailable when the database cannot be used, and with the refusals that
 * each of them names. The store makes no ids and reads no clock: both come with the call.
 */
import type { Sealer } from '#lib/seal.ts'
import { backup } from './backup.ts'
import { engineOf, openDatabase, type Database, type DatabaseOptions, type Engine } from './database.ts'
import { withAvailability } from './errors.ts'
import { groupStore, type GroupStore } from './groups.ts'
import { inflightOverrideStore, type InflightOverrideStore } from './inflight-overrides.ts'
import { keyStore, type KeyStore } from './keys.ts'
import { migrate } from './migrate.ts'
import { modelStore, type ModelStore } from './models.ts'
import { providerStore, type ProviderStore } from './providers.ts'
import { sessionStore, type SessionStore } from './sessions.ts'
import { settingStore, type SettingStore } from './settings.ts'
import { usageStore, type UsageStore } from './usage.ts'
import { userStore, type UserStore } from './users.ts'

export interface Store {
  readonly users: UserStore
  readonly groups: GroupStore
  readonly keys: KeyStore
  readonly providers: ProviderStore
  readonly models: ModelStore
  readonly inflightOverrides: InflightOverrideStore
  readonly sessions: SessionStore
  readonly usage: UsageStore
  readonly settings: SettingStore
  readonly engine: Engine
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /** Writes a copy to a file that does not exist yet; SQLite only. Throws BackupRefused. */
  backup(file: string): Promise<void>
  /** Closes the database. Calling it again does nothing; any other call afterwards rejects with StoreUnavailable. */
  close(): Promise<void>
}

export interface StoreOptions extends Pick<DatabaseOptions, 'url' | 'poolMax'> {
  /** Seals what providers authenticate with. */
  readonly sealer: Sealer
}

/**
 * Opens the database and migrates it. Rejects with StoreUnavailable, or with StoreTooNew when a
 * newer version of Sluice has used it; nothing stays open then.
 */
export async function openStore({ sealer, ...options }: StoreOptions): Promise<Store> {
  const database = await withAvailability({ open: () => openMigrated(options) }).open()
  const { ping, backup: copy } = withAvailability({
    ping: () => database.ping(),
    backup: (file: string) => backup(database, file),
  })
  return {
    users: withAvailability(userStore(database)),
    groups: withAvailability(groupStore(database)),
    keys: withAvailability(keyStore(database)),
    providers: withAvailability(providerStore(database, sealer)),
    models: withAvailability(modelStore(database)),
    inflightOverrides: withAvailability(inflightOverrideStore(database)),
    sessions: withAvailability(sessionStore(database)),
    usage: withAvailability(usageStore(database)),
    settings: withAvailability(settingStore(database)),
    engine: database.engine,
    ping,
    backup: copy,
    close: () => database.close(),
  }
}

async function openMigrated(options: DatabaseOptions): Promise<Database> {
  if (engineOf(options.url) === 'postgres') {
    // A connection of its own, without time limits: a migration waits for others and can take long.
    const migrating = openDatabase({ ...options, poolMax: 1, patient: true })
    try {
      await migrate(migrating)
    } finally {
      await migrating.close()
    }
    return openDatabase(options)
  }
  const database = openDatabase(options)
  try {
    await migrate(database)
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  return database
}

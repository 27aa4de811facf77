/** From settings to an open store: data directory, secret key, database, declared entities. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Declared } from '#config/declared/declared.ts'
import { maskUrlPassword } from '#config/problem.ts'
import type { Settings } from '#config/settings/records.ts'
import type { Clock } from '#lib/clock.ts'
import { SealError, sealer, type Sealer } from '#lib/seal.ts'
import type { Logger } from '#observe/log.ts'
import { providerKindNames } from '#providers/registry.ts'
import { StoreUnavailable } from '#store/errors.ts'
import type { Migration } from '#store/migrating/migration.ts'
import { StoreTooNew } from '#store/migrating/schema-state.ts'
import type { QdrantAddress } from '#store/documents/vector-places.ts'
import { openStore, type Store } from '#store/store.ts'
import { applyDeclared } from './apply-declared.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { firstStart, undoFirstStart, type FirstStart } from './first-start.ts'
import { makeSecretKey, readSecretKey, secretKeyFileIn } from './secret-key.ts'
import { StartProblem } from './start-problem.ts'
import { waitForDatabase } from './wait-for-database.ts'

export interface InstallationOptions {
  readonly settings: Settings
  readonly declared: Declared
  readonly clock: Clock
  readonly logger: Logger
  /** True for the server: a store without an administrator gets one, whose secrets the caller has to show or undo. */
  readonly setUp: boolean
  /** Clears what no key at hand opens; without it such a database is refused. */
  readonly forgetCredentials?: boolean
  /** The schema's changes; those of this version when left out. */
  readonly migrations?: readonly Migration[]
  /** Ends the server's wait for a database that cannot be reached, or whose schema another process changes. */
  readonly signal?: AbortSignal
}

export interface Installation {
  /** Open; the caller closes it. */
  readonly store: Store
  /** Absolute path. */
  readonly dataDirectory: string
  /** Seals with this installation's secret key. */
  readonly sealer: Sealer
  /** Null unless this call set the store up. */
  readonly firstStart: FirstStart | null
  /** Names of the providers whose credential, headers and options were cleared. */
  readonly forgotten: readonly string[]
}

const neverAborted = new AbortController().signal

/** Opens the store of these settings and applies what is declared. Throws StartProblem; nothing stays open then. */
export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { settings, declared, clock, logger, forgetCredentials = false } = options
  const dataDirectory = prepareDataDirectory(settings.data_dir, logger)
  const url = databaseUrl(settings, dataDirectory)
  return explained(url, async () => {
    const waitMs = options.setUp ? settings['database.start_wait_seconds'] * 1000 : 0
    const waiting = { waitMs, clock, logger, signal: options.signal ?? neverAborted }
    const { seals, store } = await waitForDatabase(async () => {
      const ownSealer = sealer(await openSecretKey(options, url, dataDirectory))
      const opened = await openStore({
        url,
        poolMax: settings['database.pool_max'],
        reportPoolMax: settings['database.report_pool_max'],
        searchDirectory: join(dataDirectory, 'search'),
        qdrant: qdrantOf(settings),
        sealer: ownSealer,
        onBlocked: (migration, error) =>
          logger.warn('a migration waits for a lock', { migration: migration.name, error }),
        ...(options.signal && { signal: options.signal }),
        ...(options.migrations && { migrations: options.migrations }),
      })
      return { seals: ownSealer, store: opened }
    }, waiting)
    const now = clock.now()
    const adminEmail = settings['auth.admin_email']
    let first: FirstStart | null = null
    try {
      const forgotten = forgetCredentials ? await store.providers.forgetUnreadable() : []
      if (options.setUp) first = await firstStart({ store, declared, adminEmail, now })
      await applyDeclared({ store, declared, kinds: providerKindNames, logger, now })
      return { store, dataDirectory, sealer: seals, firstStart: first, forgotten }
    } catch (thrown) {
      if (first !== null) await undoFirstStart(store, first)
      await store.close()
      throw thrown
    }
  })
}

function qdrantOf(settings: Settings): QdrantAddress | null {
  const url = settings['documents.qdrant_url']
  if (url === null) return null
  const apiKey = settings['documents.qdrant_api_key']
  return { url, apiKey: apiKey?.reveal() ?? null, collections: settings['documents.qdrant_collections'] }
}

/** The installation's key; a new one is made only for a database in which nothing is sealed. */
async function openSecretKey(
  { settings, logger, forgetCredentials = false }: InstallationOptions,
  url: string,
  dataDirectory: string,
): Promise<Uint8Array> {
  const read = (): Uint8Array | null => readSecretKey(settings['security.secret_key'], dataDirectory, logger)
  const key = read()
  if (key !== null) return key
  if (!forgetCredentials && (await holdsSealed(url))) {
    // Another process that starts at the same time may have made key and credentials in the meantime.
    const madeMeanwhile = read()
    if (madeMeanwhile !== null) return madeMeanwhile
    throw new StartProblem(
      `The database holds credentials that were sealed with a secret key, and ${secretKeyFileIn(dataDirectory)} is missing. ${waysOut}`,
    )
  }
  return makeSecretKey(dataDirectory, logger)
}

async function holdsSealed(url: string): Promise<boolean> {
  const store = await openStore({ url, sealer: sealer(randomBytes(32)) })
  try {
    return (await store.providers.list({ cursor: null, limit: 1 })).items.length > 0
  } catch (thrown) {
    if (thrown instanceof SealError) return true
    throw thrown
  } finally {
    await store.close()
  }
}

const waysOut =
  'Restore secret.key in the data directory, or set security.secret_key to that key. If it is lost, "sluice start --forget-credentials" clears what it sealed.'

/** `database.url`, or the file in the data directory. */
export function databaseUrl(settings: Settings, dataDirectory: string): string {
  return settings['database.url']?.reveal() ?? `sqlite:${join(dataDirectory, 'sluice.db')}`
}

/** Runs what opens the database, and makes of its failures a StartProblem that says what to do. */
export async function explained<T>(url: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (thrown) {
    if (thrown instanceof StoreTooNew) throw new StartProblem(thrown.message, thrown)
    if (thrown instanceof StoreUnavailable) {
      throw new StartProblem(
        `The database ${maskUrlPassword(url)} cannot be used (${causeText(thrown.cause)}). Check that it runs, and the setting database.url.`,
        thrown,
      )
    }
    if (thrown instanceof SealError) {
      throw new StartProblem(
        `The secret key is not the one that the credentials in the database were sealed with. ${waysOut}`,
        thrown,
      )
    }
    throw thrown
  }
}

/** What the engine says, in one line. Drivers put the reason into the message, or into a code, or into one of several causes. */
function causeText(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeText(cause.errors[0])
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return maskUrlPassword((cause.message === '' ? code : cause.message).split('\n', 1)[0] ?? code)
}

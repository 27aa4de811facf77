/** The schema of the configured database without the rest of an installation: what waits to be changed, and changing it. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '#config/settings/records.ts'
import type { Logger } from '#observe/log.ts'
import { openDatabase, type Database } from '#store/database.ts'
import { withAvailability } from '#store/errors.ts'
import { migrate, migrations as ours, plannedMigrations, type PendingMigration } from '#store/migrate.ts'
import type { Migration } from '#store/migrating/migration.ts'
import { databaseUrl, explained } from './open-installation.ts'
import { StartProblem } from './start-problem.ts'

export interface DatabaseMigration {
  readonly settings: Settings
  readonly logger: Logger
  /** Those of this version when left out. */
  readonly migrations?: readonly Migration[]
}

/** Runs the migrations that may run now. Resolves with those that wait. Throws StartProblem. */
export async function migrateDatabase(options: DatabaseMigration): Promise<readonly PendingMigration[]> {
  const { logger, migrations = ours } = options
  return onDatabase(options, async (database) => {
    await migrate(database, {
      migrations,
      onBlocked: ({ name }, error) => logger.warn('a migration waits for a lock', { migration: name, error }),
    })
    return plannedMigrations(database, migrations)
  })
}

/** What `migrateDatabase` would do now, and what would wait; changes nothing. Throws StartProblem. */
export async function pendingMigrations(options: DatabaseMigration): Promise<readonly PendingMigration[]> {
  return onDatabase(options, (database) => plannedMigrations(database, options.migrations ?? ours))
}

async function onDatabase<T>({ settings }: DatabaseMigration, work: (database: Database) => Promise<T>): Promise<T> {
  const url = databaseUrl(settings, resolve(settings.data_dir))
  const file = /^sqlite:(?:\/\/)?(.*)$/.exec(url)?.[1]
  // Opening would make an empty one.
  if (file !== undefined && !existsSync(file)) {
    throw new StartProblem(`There is no database at ${file}. Check data_dir, or start Sluice first.`)
  }
  return explained(url, async () => {
    // A migration takes as long as it takes: no time limits.
    const database = openDatabase({ url, poolMax: 1, patient: true })
    try {
      return await withAvailability({ work }).work(database)
    } finally {
      await database.close()
    }
  })
}

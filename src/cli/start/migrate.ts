/** `sluice migrate`: changes the schema before the new version starts, or says what would be changed. */
import { systemClock } from '#lib/clock.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { migrateDatabase, pendingMigrations, type DatabaseMigration } from '#setup/migrate-database.ts'
import type { PendingMigration } from '#store/migrate.ts'
import { UsageProblem, type ExitCode, type Invocation } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { tableLines } from '../output.ts'

export async function run({ flags, output }: Invocation): Promise<ExitCode> {
  if (flags.has('plan') && flags.has('check')) throw new UsageProblem('Use --plan or --check, not both.')
  const { settings } = readConfiguration(flags)
  const logger = createLogger({ level: 'warn', format: 'text', clock: systemClock, write: writeToStderr })
  const migration: DatabaseMigration = { settings, logger }
  const changesNothing = flags.has('plan') || flags.has('check')
  const pending = await (changesNothing ? pendingMigrations(migration) : migrateDatabase(migration))
  const done = 'The database has the schema of this version.'
  output.result({ pending: pending.map(record) }, tableLines(['step', 'name', 'kind', 'runs'], rows(pending), done))
  return flags.has('check') && pending.length > 0 ? 1 : 0
}

function record({ migration: { version, name, kind }, waitsFor }: PendingMigration): object {
  return { version, name, kind, waits_for: waitsFor }
}

function rows(pending: readonly PendingMigration[]): readonly (readonly string[])[] {
  return pending.map(({ migration: { version, name, kind }, waitsFor }) => [
    String(version),
    name,
    kind,
    waitsFor.length === 0 ? 'now' : `when ${waitsFor.length} older processes have left`,
  ])
}

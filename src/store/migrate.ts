/**
 * Brings a database to the schema of this code. Runs at every start, under a lock, so that any
 * number of processes may start at once: the first migrates, the others wait and find it done.
 * A migration that fails leaves the database as it was.
 */
import { sql, type Transaction } from 'kysely'
import type { Database, Engine } from './database.ts'
import { initial } from './migrations/0001-initial.ts'
import { replicas } from './migrations/0002-replicas.ts'
import { documents } from './migrations/0003-documents.ts'
import { responses } from './migrations/0004-responses.ts'
import { oidc } from './migrations/0005-oidc.ts'
import { sharing } from './migrations/0006-sharing.ts'
import type { Tables } from './schema.ts'

interface Migration {
  readonly version: number
  readonly name: string
  readonly run: (trx: Transaction<Tables>, engine: Engine) => Promise<void>
}

/** In the order in which they run; versions count up from 1 without gaps. */
const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', run: initial },
  { version: 2, name: 'replicas', run: replicas },
  { version: 3, name: 'documents', run: documents },
  { version: 4, name: 'responses', run: responses },
  { version: 5, name: 'oidc', run: oidc },
  { version: 6, name: 'sharing', run: sharing },
]

const knownVersion = migrations.length

/** The schema is of a later version of Sluice than this code. */
export class StoreTooNew extends Error {
  constructor(found: number) {
    super(
      `The database was last used by a newer version of Sluice (schema ${found}; this version knows ${knownVersion}). ` +
        'Start that version again, or restore a backup that was made before the upgrade.',
    )
    this.name = 'StoreTooNew'
  }
}

/** Runs the migrations that the database has not had, all or none. Throws StoreTooNew. */
export async function migrate(database: Database): Promise<void> {
  await database.kysely.transaction().execute(async (trx) => {
    await lockMigrations(trx, database.engine)
    await sql`create table if not exists schema_migrations (version integer primary key, name text not null)`.execute(
      trx,
    )
    const { version } = await trx
      .selectFrom('schema_migrations')
      .select((expression) => expression.fn.max('version').as('version'))
      .executeTakeFirstOrThrow()
    // max() of no rows is null, whatever its type says.
    const found = Number(version)
    if (found > knownVersion) throw new StoreTooNew(found)
    for (const migration of migrations.slice(found)) {
      await migration.run(trx, database.engine)
      await trx.insertInto('schema_migrations').values({ version: migration.version, name: migration.name }).execute()
    }
  })
}

/**
 * SQLite's transaction began with its write lock. On PostgreSQL `create table if not exists` is not
 * safe against itself, so an advisory lock comes first; it is held per schema, since several
 * installations may share a database.
 */
async function lockMigrations(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtext('sluice migrations'), hashtext(current_schema()))`.execute(trx)
}

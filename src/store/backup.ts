/** A copy of a running database in one file, and the way back. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { sql } from 'kysely'
import { engineOf, openDatabase, sqliteFile, type Connection } from './database.ts'
import { dump, restore, ToolFailed } from './engines/postgres-tools.ts'
import { openSqliteBeside } from './engines/sqlite.ts'
import { readSchemaState } from './migrating/schema-state.ts'
import { referencedBytes, type ReferencedBytes } from './referenced-bytes.ts'

/** What a copy of a database holds. */
export interface DatabaseCopy extends ReferencedBytes {
  /** Code that knows less than this schema cannot use it. */
  readonly needsSchema: number
}

/** The copy was not made or not restored; the message says what to do. */
export class BackupRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BackupRefused'
  }
}

/**
 * Writes a complete, compact copy of an SQLite database as of this moment to a file that does not
 * exist yet, readable by its owner only and on disk when this resolves. Throws BackupRefused when
 * the file exists or cannot be made.
 */
export async function backup({ kysely }: Connection, file: string): Promise<void> {
  createEmpty(file)
  try {
    // SQLite writes into an existing file only when it is empty.
    await sql`vacuum into ${file}`.execute(kysely)
    syncFile(file)
  } catch (thrown) {
    rmSync(file, { force: true })
    throw thrown
  }
}

/** The same for PostgreSQL, by pg_dump; resolves to the files of documents that the copy holds or refers to. */
export async function backupPostgres(url: string, file: string): Promise<DatabaseCopy> {
  const database = openDatabase({ url, poolMax: 1, patient: true })
  createEmpty(file)
  try {
    return await database.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        const { rows } = await sql<{ snapshot: string; schema: string }>`
          select pg_export_snapshot() as snapshot, current_schema() as schema`.execute(trx)
        for (const shown of rows) await dump({ url, ...shown, file })
        syncFile(file)
        return describe({ engine: database.engine, kysely: trx })
      })
  } catch (thrown) {
    rmSync(file, { force: true })
    throw refusedByTool(thrown)
  } finally {
    await database.close()
  }
}

/** What a copied SQLite database refers to and needs. */
export async function describeCopy(file: string): Promise<DatabaseCopy> {
  const copy = openSqliteBeside(file, 'full')
  try {
    return await describe({ engine: 'sqlite', kysely: copy.kysely })
  } finally {
    await copy.close()
  }
}

async function describe(connection: Connection): Promise<DatabaseCopy> {
  const { needs } = await readSchemaState(connection.kysely, connection.engine)
  return { ...(await referencedBytes(connection)), needsSchema: needs }
}

/** The files of documents that the database holds or refers to. */
export async function referencesOf(url: string): Promise<ReferencedBytes> {
  const database = openDatabase({ url, poolMax: 1, patient: true })
  try {
    return await referencedBytes(database)
  } finally {
    await database.close()
  }
}

/** Whether a restore may write there: no file, or no table of ours in the schema. */
export async function isEmptyDatabase(url: string): Promise<boolean> {
  if (engineOf(url) === 'sqlite') return !existsSync(sqliteFile(url))
  const database = openDatabase({ url, poolMax: 1 })
  try {
    const { rows } = await sql<{ found: string | null }>`select to_regclass('schema_migrations') as found`.execute(
      database.kysely,
    )
    return rows[0]?.found === null
  } finally {
    await database.close()
  }
}

/**
 * Puts a copy where `isEmptyDatabase` is true. All or nothing; what is damaged is refused with BackupRefused.
 */
export async function restoreDatabase(url: string, file: string): Promise<void> {
  if (engineOf(url) === 'sqlite') return restoreSqlite(sqliteFile(url), file)
  const database = openDatabase({ url, poolMax: 1 })
  try {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(database.kysely)
    await restore(url, rows[0]?.schema ?? 'public', file)
  } catch (thrown) {
    throw refusedByTool(thrown)
  } finally {
    await database.close()
  }
  if (await isEmptyDatabase(url))
    throw new BackupRefused('The backup is of another schema. Set search_path in database.url to the name that it has.')
}

/** Nobody sees the file before all of it is on disk and was found whole. */
async function restoreSqlite(target: string, file: string): Promise<void> {
  const draft = `${target}.restoring`
  rmSync(draft, { force: true })
  try {
    createEmpty(draft)
    copyFileSync(file, draft)
    const copy = openSqliteBeside(draft, 'full')
    try {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(copy.kysely)
      if (rows[0]?.integrity_check !== 'ok') throw new BackupRefused('The database of the backup is damaged.')
    } finally {
      await copy.close()
    }
    syncFile(draft)
    renameSync(draft, target)
  } catch (thrown) {
    rmSync(draft, { force: true })
    throw thrown
  }
}

function refusedByTool(thrown: unknown): unknown {
  return thrown instanceof ToolFailed ? new BackupRefused(thrown.message, thrown) : thrown
}

/** Creating the file ourselves makes "does not exist" one step with taking it, and keeps others from reading it. */
function createEmpty(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    const exists = thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST'
    const why = exists ? 'exists already' : 'cannot be created'
    throw new BackupRefused(`The backup file ${why}: ${file}`, thrown)
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

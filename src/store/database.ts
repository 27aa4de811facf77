/**
 * The connection to the database, whichever engine the URL names. Owned by the code that opened it.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import { openPostgres } from './engines/postgres.ts'
import type { Tables } from './schema.ts'
import { openSqlite } from './engines/sqlite.ts'

export type Engine = 'sqlite' | 'postgres'

/** What statements need of a database. */
export interface Connection {
  readonly engine: Engine
  readonly kysely: Kysely<Tables>
}

export interface Database extends Connection {
  /** The file of an SQLite database; null for one in memory, and on PostgreSQL. */
  readonly file: string | null
  /** Resolves when the database answers a query that reads a table. */
  ping(): Promise<void>
  /** Waits for running queries, then closes every connection. Calling it again does nothing. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `sqlite:<path>` (relative to the working directory, or absolute) or `postgres://…`. */
  readonly url: string
  /** Most PostgreSQL connections; 10 when absent. SQLite has one. */
  readonly poolMax?: number
  /** True lifts the time limits on statements; for migrations. */
  readonly patient?: boolean
  /** Longest wait of a statement for a lock of PostgreSQL, when that is shorter than its time limit. */
  readonly lockTimeoutMs?: number
}

const defaultPoolMax = 10

/** Opens the engine that the URL names; throws an Error for any other URL. PostgreSQL connects at the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const engine = engineOf(options.url)
  const file = engine === 'sqlite' ? sqliteFile(options.url) : null
  const connection =
    file !== null
      ? openSqlite(file)
      : openPostgres({
          url: options.url,
          poolMax: options.poolMax ?? defaultPoolMax,
          patient: options.patient ?? false,
          lockTimeoutMs: options.lockTimeoutMs,
        })
  const { kysely } = connection
  return {
    engine,
    file: file === ':memory:' ? null : file,
    kysely,
    async ping() {
      await kysely.selectFrom('schema_migrations').select('version').limit(1).execute()
    },
    close: () => connection.close(),
  }
}

/** The engine that a database URL names. */
export function engineOf(url: string): Engine {
  if (url.startsWith('sqlite:')) return 'sqlite'
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres'
  // The URL is not repeated: it may hold a password.
  throw new Error('The database URL must begin with "sqlite:" or "postgres://".')
}

/**
 * Keeps others from changing this row until the transaction ends. On SQLite there is nothing to do:
 * a transaction holds the only write lock from its beginning.
 */
export async function lockRow(
  database: Database,
  trx: Transaction<Tables>,
  row: { readonly table: keyof Tables; readonly id: string },
): Promise<void> {
  if (database.engine === 'sqlite') return
  await sql`select 1 from ${sql.table(row.table)} where id = ${row.id} for update`.execute(trx)
}

/** The file that an SQLite URL names; throws an Error when it names none. */
export function sqliteFile(url: string): string {
  const rest = url.slice('sqlite:'.length)
  const file = rest.startsWith('//') ? rest.slice('//'.length) : rest
  if (file === '') throw new Error('The database URL names no file: write "sqlite:<path>".')
  return file
}

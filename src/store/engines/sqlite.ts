/**
 * The SQLite engine: bun:sqlite behind the interface that Kysely's SQLite dialect expects.
 *
 * A commit is on disk before it is acknowledged (WAL with synchronous=FULL), so neither `kill -9`
 * nor a power cut takes an acknowledged write back. Calls run on the calling thread.
 *
 * A process opens a file once: a second connection would wait, on this thread, for a transaction of
 * the first that cannot go on meanwhile. Other processes may open it too.
 */
import { Database as BunDatabase, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { EngineConnection } from './engine-connection.ts'
import type { Tables } from '../schema.ts'

/** How long a write waits, on this thread, for another process that is writing. */
const busyTimeoutMs = 5000

/** The statements of this folder are far fewer; past this number something builds SQL from data. */
const statementsMax = 256

/** Opens or creates the file, for its owner only since it holds sealed credentials. `:memory:` makes a passing one. */
export function openSqlite(file: string): EngineConnection {
  if (file !== ':memory:') createFile(file)
  const database = openConfigured(file)
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: kyselyDatabase(database) }) })
  return {
    kysely,
    async close() {
      await kysely.destroy()
      // Kysely leaves a database open that it has not used yet.
      database.close()
    },
  }
}

function openConfigured(file: string): BunDatabase {
  const database = new BunDatabase(file, { create: true, readwrite: true })
  try {
    // The busy time-out comes first: switching to WAL needs a lock that another starting process may hold.
    database.run(`pragma busy_timeout = ${busyTimeoutMs}`)
    database.run('pragma journal_mode = wal')
    database.run('pragma synchronous = full')
    database.run('pragma foreign_keys = on')
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite gives the -wal and -shm files the mode of the main file.
  closeSync(openSync(file, 'a', 0o600))
}

function kyselyDatabase(database: BunDatabase): SqliteDatabase {
  const statements = new Map<string, Statement>()
  const forgetStatements = (): void => {
    for (const statement of statements.values()) statement.finalize()
    statements.clear()
  }
  return {
    prepare(text) {
      let statement = statements.get(text)
      if (statement === undefined) {
        if (statements.size >= statementsMax) forgetStatements()
        // A deferred transaction that reads and then writes fails at once when another process has
        // written in between, whatever the busy time-out; one that takes the lock at its start waits.
        statement = database.prepare(text === 'begin' ? 'begin immediate' : text)
        statements.set(text, statement)
      }
      return kyselyStatement(statement)
    },
    close() {
      forgetStatements()
      database.close()
    },
  }
}

function kyselyStatement(statement: Statement): SqliteStatement {
  return {
    reader: statement.columnNames.length > 0,
    all: (parameters) => statement.all(...bindings(parameters)),
    run: (parameters) => statement.run(...bindings(parameters)),
    iterate: (parameters) => statement.iterate(...bindings(parameters)),
  }
}

function bindings(parameters: readonly unknown[]): SQLQueryBindings[] {
  return parameters as SQLQueryBindings[]
}

/**
 * The SQLite engine: bun:sqlite behind the interface that Kysely's SQLite dialect expects.
 *
 * A commit is on disk before it is acknowledged (WAL with synchronous=FULL), so neither `kill -9`
 * nor a power cut takes an acknowledged write back. Calls run on the calling thread.
 *
 * A thread opens a file once: a second connection would wait, on this thread, for a transaction of
 * the first that must wait for it. Other threads and other processes may open it too.
 */
import { Database as BunDatabase, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { EngineConnection } from './engine-connection.ts'
import type { Tables } from '../schema.ts'

/** How long a write waits, on its thread, for another thread or process that is writing. */
const busyTimeoutMs = 5000

/**
 * Pages of the log at which a commit also moves them into the database, two waits for the disk. The
 * threads beside it do it at 1000; the main thread, which serves requests, only when the log has grown
 * to 16 MB without any of them having written anything.
 */
const checkpointPages = { main: 4000, beside: 1000 } as const

/** The statements of this folder are far fewer; past this number something builds SQL from data. */
const statementsMax = 256

/** Opens or creates the file, for its owner only since it holds sealed credentials. `:memory:` makes a passing one. */
export function openSqlite(file: string): EngineConnection {
  if (file !== ':memory:') createFile(file)
  return connect(file, [
    'pragma journal_mode = wal',
    'pragma synchronous = full',
    'pragma foreign_keys = on',
    `pragma wal_autocheckpoint = ${checkpointPages.main}`,
  ])
}

/**
 * Opens another connection, for another thread, to a file that `openSqlite` has opened in this process.
 *
 * With `normal` its commits do not wait for the disk: that is for usage records, which no caller waits
 * for and whose last second a power cut may take. `kill -9` takes nothing, the database stays whole
 * either way, and a commit of another connection still brings all before it to the disk.
 */
export function openSqliteBeside(file: string, synchronous: 'full' | 'normal'): EngineConnection {
  return connect(file, [
    `pragma synchronous = ${synchronous}`,
    'pragma foreign_keys = on',
    `pragma wal_autocheckpoint = ${checkpointPages.beside}`,
  ])
}

function connect(file: string, pragmas: readonly string[]): EngineConnection {
  const database = new BunDatabase(file, { create: file === ':memory:', readwrite: true })
  try {
    // The busy time-out comes first: switching to WAL needs a lock that another starting process may hold.
    for (const pragma of [`pragma busy_timeout = ${busyTimeoutMs}`, ...pragmas]) database.run(pragma)
  } catch (thrown) {
    database.close()
    throw thrown
  }
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

function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Closing any descriptor of a file gives up all locks that this process has on it, SQLite's too: one
  // that exists, and that another connection may have open, is left alone.
  // SQLite gives the -wal and -shm files the mode of the main file.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

const nothingDone = { changes: 0, lastInsertRowid: 0 } as const

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
      const made = kyselyStatement(statement)
      if (text !== 'rollback') return made
      // A full disk ends the transaction by itself; an error about that would take the place of the first one.
      return { ...made, run: (parameters) => (database.inTransaction ? made.run(parameters) : nothingDone) }
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

/** A copy of a running database in one file. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { sql } from 'kysely'
import type { Connection } from './database.ts'

/** The backup was not made; the message says what to do. */
export class BackupRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BackupRefused'
  }
}

/**
 * Writes a complete, compact copy of an SQLite database as of this moment to a file that does not
 * exist yet, readable by its owner only and on disk when this resolves. Throws BackupRefused when
 * the file exists or cannot be made, and on PostgreSQL, whose own tool is the right one.
 */
export async function backup({ engine, kysely }: Connection, file: string): Promise<void> {
  if (engine === 'postgres') {
    throw new BackupRefused('This installation keeps its data in PostgreSQL. Make a backup with pg_dump.')
  }
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

/**
 * What a migration is. Processes of two versions may be on one PostgreSQL, so a migration says what it means to
 * the older one, and is cut into steps that hold no lock for long.
 */
import type { Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** One change of the schema, or of the data in it. All of it is done, or the next process goes on where it ended. */
export type Migration = Expand | Contract

/**
 * Code of the version before works on: tables, columns with a default or null, indexes, triggers. It runs at
 * once, before every contract step that still waits, so it must not need one.
 */
export interface Expand extends Steps {
  readonly kind: 'expand'
}

/**
 * Takes away what older code uses. It runs when no process is left whose code knows less than `needs`, and such code
 * refuses the database from then on.
 */
export interface Contract extends Steps {
  readonly kind: 'contract'
  /** The oldest schema whose code works on. A release earlier than this migration, so that one can go back by one. */
  readonly needs: number
}

/** Done in this order. */
interface Steps {
  readonly version: number
  readonly name: string
  /** In one transaction that waits for no lock longer than `lockTimeoutMs`; it is tried again. Short statements only. */
  readonly run?: (trx: Transaction<Tables>, engine: Engine) => Promise<void>
  /** Long work on rows. */
  readonly backfill?: Backfill
  /** Built while others read and write the table. */
  readonly indexes?: readonly Index[]
}

/**
 * Does one small batch in a transaction of its own and resolves with where it ended, which is stored with it; null when
 * all is done. @param position where the last batch ended; null for the first
 */
export type Backfill = (trx: Transaction<Tables>, engine: Engine, position: string | null) => Promise<string | null>

export interface Index {
  readonly name: string
  /** What follows the name: `on documents (owner) where owner is not null`. */
  readonly on: string
  readonly unique?: boolean
  /** The only engine that needs it; both when left out. */
  readonly engine?: Engine
}

/** The newest schema that code with these migrations knows. */
export function knownSchema(migrations: readonly Migration[]): number {
  return Math.max(0, ...migrations.map(({ version }) => version))
}

/** Longest wait of a migration for a lock. Others wait behind it for as long, so it is shorter than a heartbeat. */
export const lockTimeoutMs = 500

/** What each engine's file gives to database.ts. */
import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

export interface EngineConnection {
  readonly kysely: Kysely<Tables>
  /** Waits for running queries and closes every connection, used or not. Calling it again does nothing. */
  close(): Promise<void>
}

/** The PostgreSQL engine: a pool of connections behind Kysely's PostgreSQL dialect, made by the first query. */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { EngineConnection } from './engine-connection.ts'
import type { Tables } from '../schema.ts'

export interface PostgresOptions {
  readonly url: string
  readonly poolMax: number
  /** True lifts the limits on how long a statement takes: for migrations, which wait for each other. */
  readonly patient: boolean
  /** Longest wait of a statement for a lock; none of its own when left out. */
  readonly lockTimeoutMs?: number | undefined
}

/** Opens nothing yet. */
export function openPostgres(options: PostgresOptions): EngineConnection {
  const pool = async (): Promise<PostgresPool> => (await import('./postgres-pool.ts')).postgresPool(options)
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { kysely, close: () => kysely.destroy() }
}

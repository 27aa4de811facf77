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
  let closed = false
  const pool = async (): Promise<PostgresPool> => {
    const { postgresPool } = await import('./postgres-pool.ts')
    const made = postgresPool(options)
    // Kysely asks for a pool even after its end if it had none: a query of a closed connection must be refused.
    if (closed) await made.end()
    return made
  }
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    kysely,
    close() {
      closed = true
      return kysely.destroy()
    },
  }
}

/**
 * A pool of `pg` connections, as Kysely asks for one. 64-bit integers arrive as numbers: all of ours are below 2^53.
 * Only what connects imports this: a server on SQLite never loads `pg`.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Pool, types, type ClientConfig, type PoolClient } from 'pg'
import { isUnavailable } from '../errors.ts'
import type { PostgresOptions } from './postgres.ts'
import { copyIn } from './postgres-copy.ts'

const int8Oid = 20

/** The server ends a statement first; the client's own limit is for a server that has gone silent. */
const statementTimeoutMs = 15_000
const answerTimeoutMs = 20_000
/** A process that is frozen or cut off in a transaction keeps its locks and its snapshot, for which others wait, no longer. */
const transactionIdleMs = 10_000
const connectTimeoutMs = 5_000

const timeouts = {
  statement_timeout: statementTimeoutMs,
  query_timeout: answerTimeoutMs,
  idle_in_transaction_session_timeout: transactionIdleMs,
}

/** What all of our connections have in common. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'sluice',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
        oid === int8Oid && format !== 'binary' ? Number : types.getTypeParser(oid, format),
    },
  }
}

/** Makes a pool; nothing is connected before the first query. */
export function postgresPool(options: PostgresOptions): PostgresPool {
  const pool = new Pool({
    ...connectionConfig(options.url),
    max: options.poolMax,
    ...(options.patient ? {} : timeouts),
    ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
  })
  // A connection that breaks is taken out of the pool by `pg`, which reports it by events: of the pool
  // when it was idle, of the connection when it broke between two statements of a transaction. Unheard,
  // either would end the process; the next statement reports the loss to its caller.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return discardingPool(pool)
}

/**
 * The pool, except that a connection is closed after any answer that makes the database unavailable,
 * instead of being used again. `pg` itself keeps one whose answer did not come in time, where the
 * next query waits behind the lost one, and one whose end the server has announced but not yet made.
 */
function discardingPool(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => endPool(pool),
    connect: async () => discardingClient(await pool.connect()),
  }
}

/** `pg` refuses to end a pool twice. */
async function endPool(pool: Pool): Promise<void> {
  if (!pool.ending) await pool.end()
}

function discardingClient(client: PoolClient): PostgresPoolClient {
  let broken = false
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    try {
      const [data] = values
      if (data instanceof Uint8Array && text.startsWith('copy ')) return await copyIn(client, text, data)
      return await client.query(text, [...values])
    } catch (thrown) {
      broken ||= isUnavailable(thrown)
      throw thrown
    }
  }
  return {
    // Kysely also types a form for cursors, which needs a package that is not used here.
    query: query as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || broken),
  }
}

/**
 * One PostgreSQL connection outside of the pool, which also hears notifications. It waits for nobody
 * else's statements, and when it breaks it stays broken: its owner has to notice.
 */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Client } from 'pg'
import type { Tables } from '../schema.ts'

export interface PostgresSession {
  /** Statements only, no transactions: concurrent callers share the connection. */
  readonly kysely: Kysely<Tables>
  /** Says good-bye and waits for the server's; a server that has gone silent never says it. */
  close(): Promise<void>
}

export interface SessionOptions {
  readonly url: string
  /** Longest wait for an answer. After it the connection is of no use and has to be closed. */
  readonly answerTimeoutMs: number
  readonly onNotification: (payload: string) => void
  /** The connection is gone; also called after `close`. */
  readonly onEnd: () => void
}

/** Connects. Nothing stays open when it rejects. */
export async function openPostgresSession(options: SessionOptions): Promise<PostgresSession> {
  const { Client: PgClient } = await import('pg')
  const { connectionConfig } = await import('./postgres-pool.ts')
  const client = new PgClient({
    ...connectionConfig(options.url),
    statement_timeout: options.answerTimeoutMs,
    query_timeout: options.answerTimeoutMs,
  })
  // Unheard, an error between two statements would end the process.
  client.on('error', options.onEnd)
  client.on('end', options.onEnd)
  client.on('notification', ({ payload }) => options.onNotification(payload ?? ''))
  try {
    await client.connect()
  } catch (thrown) {
    void closeClient(client)
    throw thrown
  }
  return {
    kysely: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: onlyClient(client) }) }),
    close: () => closeClient(client),
  }
}

/** What is being closed may be broken already; there is nothing left to do about it. */
async function closeClient(client: Client): Promise<void> {
  await client.end().catch(() => undefined)
}

/** The connection, as Kysely asks a pool for one; `pg` queues its statements. */
function onlyClient(client: Client): PostgresPool {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> => client.query(text, [...values])
  const pooled = { query: query as never, release: () => undefined }
  return { options: {}, connect: () => Promise.resolve(pooled), end: () => closeClient(client) }
}

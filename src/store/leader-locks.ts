/**
 * Locks of which one process on this database has each: advisory locks of PostgreSQL, held by a session. They end with
 * the session, so no process has to clean up after another. What they mean is decided in src/replica/leader.ts.
 */
import { sql, type Kysely } from 'kysely'
import { openPostgresSession } from './engines/postgres-session.ts'
import { withAvailability } from './errors.ts'
import type { Tables } from './schema.ts'

export interface LeaderLocks {
  /** A session of the process's own, which holds no lock yet. The caller closes it. */
  connect(options: LeaderSessionOptions): Promise<LeaderSession>
}

export interface LeaderSessionOptions {
  /** Longest wait for an answer; the session is of no use after it. */
  readonly answerTimeoutMs: number
  /** Silence after which the server ends the session: a frozen process must not keep its locks. Ignored before PostgreSQL 14. */
  readonly silenceMaxMs: number
  /** The session and its locks are gone; also called after `close`. */
  readonly onEnd: () => void
}

export interface LeaderSession {
  /** True when the session holds the lock of the task, which it takes when it is free. Asks the server each time. */
  take(task: string): Promise<boolean>
  /** Breaks the silence. */
  beat(): Promise<void>
  /** Gives up the locks. Not to be waited for when the server may have gone silent. */
  close(): Promise<void>
}

/** The locks of this schema. */
export function leaderLocks(url: string): LeaderLocks {
  return {
    async connect({ silenceMaxMs, ...options }) {
      const session = await openPostgresSession({ url, ...options, onNotification: () => undefined })
      try {
        await sql`
          select set_config(name, ${String(silenceMaxMs)}, false) from pg_settings where name = 'idle_session_timeout'
        `.execute(session.kysely)
      } catch (thrown) {
        void session.close()
        throw thrown
      }
      return withAvailability({ ...statementsOf(session.kysely), close: () => session.close() })
    },
  }
}

function statementsOf(kysely: Kysely<Tables>): Omit<LeaderSession, 'close'> {
  const held = new Set<string>()
  const beat = async (): Promise<void> => void (await sql`select 1`.execute(kysely))
  const take = async (task: string): Promise<boolean> => {
    if (held.has(task)) {
      await beat()
      return true
    }
    const { rows } = await sql<{ taken: boolean }>`
        select pg_try_advisory_lock(hashtext(${`sluice leader of ${task}`}), hashtext(current_schema())) as taken
      `.execute(kysely)
    const taken = rows[0]?.taken === true
    if (taken) held.add(task)
    return taken
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, as `pg` wants the statements of a connection. */
  const inOrder = <T>(statement: () => Promise<T>): Promise<T> => {
    const answer = last.then(statement)
    last = answer.catch(() => undefined)
    return answer
  }
  return { beat: () => inOrder(beat), take: (task) => inOrder(() => take(task)) }
}

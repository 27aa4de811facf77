/**
 * The processes on this database and the log of changes that keeps them equal; PostgreSQL only.
 * What an entry of the log says is its writer's and its readers' business. What makes a process count
 * as gone is decided in src/replica.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from './database.ts'
import { withAvailability } from './errors.ts'
import { StoreTooNew } from './migrating/schema-state.ts'
import { openPostgresSession } from './engines/postgres-session.ts'
import type { Tables } from './schema.ts'

/** A process as it last wrote of itself. */
export interface Replica {
  readonly id: string
  /** Another one at each heartbeat. */
  readonly beat: string
  /** All changes up to this version hold in its memory. */
  readonly appliedVersion: number
  /** Silence after which it stops answering by itself, and others may count it as gone. */
  readonly timeoutMs: number
  /** Names it to others on its machine (lib/own-process.ts); null when it has no name. */
  readonly process: string | null
}

export interface ReplicaStatus {
  readonly id: string
  readonly ageMs: number
  readonly status: string
}

export interface LogEntry {
  readonly version: number
  readonly entry: string
}

/** `changed`: the log has a new entry. `applied`: a process has applied one. */
export type Notice = 'changed' | 'applied'

export interface ReplicaStore {
  /** Adds an entry to the log, tells every process, and returns the entry's version. */
  append(entry: string): Promise<number>
  /** Every process that has registered and was neither unregistered nor removed. */
  all(): Promise<readonly Replica[]>
  /** What each process has last said about itself, and how long ago by the database's clock. */
  statuses(): Promise<readonly ReplicaStatus[]>
  /** Removes a process unless it has beaten since it was read, and adds the entry in the same step; false when it has. */
  remove(seen: Pick<Replica, 'id' | 'beat'>, entry: string): Promise<boolean>
  /** A connection of the process's own, on which it hears of all the others. The caller closes it. */
  connect(options: ConnectOptions): Promise<ReplicaSession>
}

export interface ConnectOptions {
  /** Longest wait for an answer; the session is of no use after it. */
  readonly answerTimeoutMs: number
  readonly onNotice: (notice: Notice) => void
  /** The connection is gone; also called after `close`. */
  readonly onEnd: () => void
}

export interface ReplicaSession {
  /** Version of the newest entry of the log; 0 before the first. */
  version(): Promise<number>
  /**
   * Makes the process one that others wait for, or reports again what it has applied. Throws StoreTooNew when a newer
   * version has closed the database to this one.
   */
  register(replica: Omit<Replica, 'beat'>): Promise<void>
  /**
   * Renews the heartbeat, and what the process says about itself when that is given; `tell` lets the others know that
   * a change was applied. False when the process was removed.
   */
  beat(replica: Pick<Replica, 'id' | 'appliedVersion'> & { readonly status?: string }, tell: boolean): Promise<boolean>
  /** The entries after this version that are still kept, in their order. */
  entriesAfter(version: number): Promise<readonly LogEntry[]>
  /** Nobody waits for the process any more. */
  unregister(id: string): Promise<void>
  /** Not to be waited for when the server may have gone silent. */
  close(): Promise<void>
}

/** Entries that are kept. A process that is further behind reads everything again. */
const entriesKept = 1000

/**
 * The processes on this database.
 * @param url for connections outside of the pool
 * @param schemaVersion the newest schema that this process knows
 */
export function replicaStore({ kysely }: Database, url: string, schemaVersion: number): ReplicaStore {
  return {
    async append(entry) {
      const { rows } = await appending(entry, sql`true`).execute(kysely)
      const [appended] = rows
      if (appended === undefined) throw new Error('The table change_counter has lost its row.')
      return appended.version
    },
    async all() {
      return kysely
        .selectFrom('replicas')
        .select(['id', 'beat', 'applied_version as appliedVersion', 'timeout_ms as timeoutMs', 'process'])
        .execute()
    },
    async statuses() {
      return kysely
        .selectFrom('replicas')
        .select(['id', 'status', sql<number>`extract(epoch from clock_timestamp() - heartbeat_at) * 1000`.as('ageMs')])
        .orderBy('id')
        .execute()
    },
    async remove({ id, beat }, entry) {
      // A heartbeat under way holds the row: DELETE waits for it, compares again and finds another beat.
      const removed = sql`removed as (delete from replicas where id = ${id} and beat = ${beat} returning id)`
      const { rows } = await appending(entry, sql`exists (select from removed)`, removed).execute(kysely)
      return rows.length > 0
    },
    async connect({ answerTimeoutMs, onNotice, onEnd }) {
      const onNotification = (payload: string): void => onNotice(payload as Notice)
      const session = await openPostgresSession({ url, answerTimeoutMs, onNotification, onEnd })
      try {
        await listen(session.kysely)
      } catch (thrown) {
        void session.close()
        throw thrown
      }
      return withAvailability({ ...statementsOf(session.kysely, schemaVersion), close: () => session.close() })
    },
  }
}

/** Channels belong to the database, tables to a schema; a hash, because a channel's name has at most 63 bytes. */
const channel = sql<string>`'sluice_' || md5(current_schema())`

function notice(what: Notice): RawBuilder<unknown> {
  return sql`pg_notify(${channel}, ${sql.lit(what)})`
}

/** LISTEN takes a name and no expression. */
async function listen(kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ channel: string }>`select ${channel} as channel`.execute(kysely)
  for (const row of rows) await sql`listen ${sql.id(row.channel)}`.execute(kysely)
}

/**
 * Adds an entry when the condition holds. The version is taken by updating the counter's only row in
 * the same statement, whose lock is held until the commit: versions have no gaps, they are in the
 * order of the commits, and a reader that sees one of them sees all before it. Notifications arrive in that
 * order too.
 */
function appending(
  entry: string,
  condition: RawBuilder<unknown>,
  before?: RawBuilder<unknown>,
): RawBuilder<{ version: number }> {
  return sql<{ version: number }>`
    with ${before === undefined ? sql`` : sql`${before},`}
      next as (update change_counter set version = version + 1 where ${condition} returning version),
      added as (insert into changes (version, entry) select version, ${entry} from next),
      purged as (delete from changes where version <= (select version from next) - ${sql.lit(entriesKept)})
    select version, ${notice('changed')} from next`
}

function statementsOf(kysely: Kysely<Tables>, schemaVersion: number): Omit<ReplicaSession, 'close'> {
  return {
    async version() {
      const { version } = await kysely.selectFrom('change_counter').select('version').executeTakeFirstOrThrow()
      return version
    },
    async register({ id, appliedVersion, timeoutMs, process }) {
      // The row's lock is shared until the commit: a contract step waits for it and then sees this process, or it
      // was first, and this reads what it has written (migrating/run-migration.ts).
      const { rows } = await sql`
        with allowed as (select needs from schema_range where needs <= ${schemaVersion} for share)
        insert into replicas (id, beat, applied_version, timeout_ms, heartbeat_at, schema_version, process)
        select ${id}, gen_random_uuid(), ${appliedVersion}::bigint, ${timeoutMs}::bigint, now(), ${schemaVersion}::integer, ${process} from allowed
        on conflict (id) do update set
          beat = excluded.beat, applied_version = excluded.applied_version, heartbeat_at = excluded.heartbeat_at
        returning id
      `.execute(kysely)
      if (rows.length > 0) return
      const { needs } = await kysely.selectFrom('schema_range').select('needs').executeTakeFirstOrThrow()
      throw new StoreTooNew(needs, schemaVersion)
    },
    async beat({ id, appliedVersion, status = null }, tell) {
      // heartbeat_at is for people who look at the table: nothing is decided by a wall clock.
      const { rows } = await sql`
        with renewed as (
          update replicas set beat = gen_random_uuid(), applied_version = ${appliedVersion}, heartbeat_at = now(),
            status = coalesce(${status}, status)
          where id = ${id} returning id
        )
        select id${tell ? sql`, ${notice('applied')}` : sql``} from renewed
      `.execute(kysely)
      return rows.length > 0
    },
    async entriesAfter(version) {
      return kysely
        .selectFrom('changes')
        .select(['version', 'entry'])
        .where('version', '>', version)
        .orderBy('version')
        .execute()
    },
    async unregister(id) {
      await kysely.deleteFrom('replicas').where('id', '=', id).execute()
    },
  }
}

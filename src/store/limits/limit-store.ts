/**
 * What processes on one PostgreSQL keep together for limits: who the members are, and the shared place when
 * PostgreSQL is that, too. The rules are in src/limits; here are their statements.
 */
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { Batch, Place } from '#limits/place.ts'
import type { Roster, RosterStore } from '#limits/roster.ts'
import type { LimitNotices } from '#limits/shared-limits.ts'
import type { Excess } from '#limits/slot-ledger.ts'
import type { Database } from '../database.ts'
import { openPostgresSession } from '../engines/postgres-session.ts'
import { withAvailability } from '../errors.ts'
import type { Tables } from '../schema.ts'

export interface LimitStore {
  readonly roster: RosterStore
  readonly place: Place
  /** Names this database among others that use the same Valkey. */
  readonly installation: () => Promise<string>
  /** A connection of its own that hears what other processes write. */
  readonly listen: (notices: LimitNotices) => Promise<AsyncDisposable>
}

const listenTimeoutMs = 5000
/** The kind of the place here. */
const kind = 'postgres'
/** Longest payload of a notification. */
const payloadMax = 7900

/** The limits of this database. @param url for the connection that listens */
export function limitStore(database: Database, url: string): LimitStore {
  return {
    roster: withAvailability(rosterStore(database)),
    place: postgresPlace(database),
    ...withAvailability({
      async installation() {
        const row = await database.kysely.selectFrom('limit_roster').select('installation').executeTakeFirstOrThrow()
        return row.installation
      },
      listen: (notices: LimitNotices) => listen(url, notices),
    }),
  }
}

/** Channels belong to the database, tables to a schema. */
const channel = sql<string>`'sluice_limits_' || md5(current_schema())`
const rosterNotice = sql`pg_notify(${channel}, 'roster')`

async function listen(url: string, { onRoster, onHint, onEnd }: LimitNotices): Promise<AsyncDisposable> {
  const session = await openPostgresSession({
    url,
    answerTimeoutMs: listenTimeoutMs,
    onNotification: (payload) => (payload === 'roster' ? onRoster() : onHint(payload)),
    onEnd,
  })
  try {
    const { rows } = await sql<{ channel: string }>`select ${channel} as channel`.execute(session.kysely)
    for (const row of rows) await sql`listen ${sql.id(row.channel)}`.execute(session.kysely)
  } catch (thrown) {
    void session.close()
    throw thrown
  }
  return { [Symbol.asyncDispose]: () => session.close() }
}

function rosterStore({ kysely }: Database): RosterStore {
  const run = (statement: RawBuilder<unknown>): Promise<void> => statement.execute(kysely).then(() => undefined)
  return {
    async read() {
      // One statement, so that roster and members are of one moment.
      const { rows } = await sql<{ epoch: number; members: string; token: string | null; rows: Roster['rows'] | null }>`
        select epoch, members, token, (
          select json_agg(json_build_object(
            'name', name, 'epoch', epoch, 'excesses', excesses::json,
            'isPresent', exists (select from replicas where replicas.id = replica_id)))
          from limit_members) as rows
        from limit_roster`.execute(kysely)
      const [roster] = rows
      if (roster === undefined) throw new Error('The table limit_roster has lost its row.')
      return { ...roster, members: JSON.parse(roster.members) as string[], rows: roster.rows ?? [] }
    },
    enter: (name, processId) =>
      run(sql`
        with earlier as (delete from limit_members where replica_id = ${processId}),
          entered as (insert into limit_members (name, replica_id, epoch, excesses) values (${name}, ${processId}, -1, '[]'))
        select ${rosterNotice}`),
    leave: (name) => run(sql`with left_ as (delete from limit_members where name = ${name}) select ${rosterNotice}`),
    // An acknowledgement that was overtaken on its way must not bring back an earlier epoch.
    acknowledge: (name, epoch, excesses: readonly Excess[]) =>
      run(sql`
        with acknowledged as (
          update limit_members set epoch = ${epoch}, excesses = ${JSON.stringify(excesses)}
          where name = ${name} and epoch <= ${epoch})
        select ${rosterNotice}`),
    advance: (from, members) =>
      run(sql`
        with advanced as (
          update limit_roster set epoch = epoch + 1, members = ${JSON.stringify(members)}, token = null
          where epoch = ${from} returning epoch),
        gone as (
          delete from limit_members using advanced
          where not exists (select from replicas where replicas.id = replica_id))
        select ${rosterNotice} from advanced`),
    agree: (epoch, token) =>
      run(sql`
        with agreed as (
          update limit_roster set token = ${token} where epoch = ${epoch} and token is null returning epoch)
        select ${rosterNotice} from agreed`),
  }
}

/** The place in tables. Each call holds the place, so they run one after the other. */
function postgresPlace({ kysely }: Database): Place {
  return {
    kind,
    // The connection that listens belongs to the roster, which opens it again.
    isHearing: true,
    open: (epoch) => kysely.transaction().execute((trx) => open(trx, epoch)),
    exchange: (batch) => exchange(kysely, batch),
    async tell(hint) {
      if (hint.length <= payloadMax) await sql`select pg_notify(${channel}, ${hint})`.execute(kysely)
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function open(trx: Transaction<Tables>, epoch: number): Promise<string | null> {
  // The table, since there may be no row to lock; `for update` of an exchange waits for it, too.
  await sql`lock table limit_place in exclusive mode`.execute(trx)
  const held = await trx.selectFrom('limit_place').select(['epoch', 'token']).executeTakeFirst()
  if (held !== undefined && held.epoch > epoch) return null
  if (held?.epoch === epoch) return held.token
  const token = `${kind}:${crypto.randomUUID()}`
  await trx.deleteFrom('limit_place').execute()
  await trx.deleteFrom('limit_place_claims').execute()
  await trx.deleteFrom('limit_place_batches').execute()
  await trx.insertInto('limit_place').values({ id: 1, epoch, token }).execute()
  return token
}

async function exchange(kysely: Kysely<Tables>, batch: Batch): Promise<readonly number[] | null> {
  const { token, members, self, seq, claims } = batch
  const { rows } = await sql<{ grants: number[] | null }>`
    select limit_exchange(
      ${token}, ${JSON.stringify(members)}::jsonb, ${self}::integer, ${seq}::bigint, ${JSON.stringify(claims)}::jsonb
    ) as grants`.execute(kysely)
  return rows[0]?.grants ?? null
}

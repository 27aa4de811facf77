/**
 * Deliveries as work: claimed under a lease, ended or tried again, cleared away. A delivery that is claimed cannot be
 * claimed again before its lease is over, because that is when it is available next; the fence tells the claims apart.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import type { Secret } from '#lib/secret.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../schema.ts'
import { secretsOf } from './webhook-row.ts'

/** A delivery in the hands of a worker. */
export interface DeliveryLease {
  readonly id: string
  readonly fence: number
}

/** What is sent, and where. */
export interface ClaimedDelivery {
  readonly lease: DeliveryLease
  readonly endpointId: string
  readonly eventId: string
  readonly type: string
  readonly payload: string
  readonly url: string
  /** All that sign, the newest first. */
  readonly secrets: readonly Secret[]
  /** With the one that begins now. */
  readonly attempts: number
  readonly begunAt: number
}

export interface DeliveryClaim {
  readonly endpointId: string
  readonly worker: string
  readonly now: number
  readonly leaseUntil: number
  readonly limit: number
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly endpointId: string
  /** Null when no answer came. */
  readonly status: number | null
  /** Null for a success. */
  readonly error: string | null
  readonly durationMs: number
  /** When it is tried again; null when it has ended. */
  readonly retryAt: number | null
  /** Why the endpoint is switched off now; null leaves it on, unless it has failed since before `failingBefore`. */
  readonly isGone: boolean
  readonly failingBefore: number
  readonly now: number
}

/** `lost`: another worker has it now, or it was replayed; nothing was written. */
export type Ended = 'lost' | 'written' | 'switched_off'

export interface WebhookWork {
  /** Endpoints with deliveries that are due. */
  due(now: number): Promise<readonly DueEndpoint[]>
  /** The next deliveries of an endpoint that is on, those due first before others. Throws SealError. */
  claim(claim: DeliveryClaim): Promise<readonly ClaimedDelivery[]>
  end(lease: DeliveryLease, end: AttemptEnd): Promise<Ended>
  /** Gives deliveries back that were not sent. */
  release(leases: readonly DeliveryLease[], now: number): Promise<void>
  /** All leases end: no worker lives. For the only process, at its start. */
  releaseAllDeliveries(now: number): Promise<void>
  /** Fails some that wait for an endpoint that is off or gone; returns how many. */
  settle(now: number, limit: number): Promise<number>
  /** Removes some that ended before; returns how many. */
  purgeDeliveries(before: number, limit: number): Promise<number>
  /** Forgets some of what was told about keys; returns how many. */
  purgeTold(before: number, limit: number): Promise<number>
  /** Deliveries that wait. */
  waiting(): Promise<number>
}

export interface DueEndpoint {
  readonly id: string
  readonly failingSince: number | null
}

/** The deliveries of this database. */
export function webhookWork(database: Database, sealer: Sealer): WebhookWork {
  const { kysely } = database
  return {
    async due(now) {
      const { rows } = await sql<DueEndpoint>`
        select id, failing_since as "failingSince" from webhook_endpoints as e
        where disabled_at is null and exists (
          select 1 from webhook_deliveries where endpoint_id = e.id and ended_at is null and available_at <= ${now}
        ) order by id`.execute(kysely)
      return rows
    },
    claim: (claim) => kysely.transaction().execute((trx) => claimSome(trx, database, sealer, claim)),
    end: (lease, end) => kysely.transaction().execute((trx) => endAttempt(trx, lease, end)),
    async release(leases, now) {
      for (const lease of leases) {
        await ofLease(kysely, lease)
          .set(({ eb }) => ({ worker: null, available_at: now, attempts: eb('attempts', '-', 1) }))
          .execute()
      }
    },
    async releaseAllDeliveries(now) {
      await kysely
        .updateTable('webhook_deliveries')
        .set({ worker: null, available_at: now })
        .where('ended_at', 'is', null)
        .where('worker', 'is not', null)
        .execute()
    },
    ...clearing(kysely),
  }
}

function ofLease(kysely: Kysely<Tables>, { id, fence }: DeliveryLease) {
  return kysely
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('worker', 'is not', null)
    .where('ended_at', 'is', null)
}

async function claimSome(
  trx: Transaction<Tables>,
  { engine }: Database,
  sealer: Sealer,
  { endpointId, worker, now, leaseUntil, limit }: DeliveryClaim,
): Promise<readonly ClaimedDelivery[]> {
  const endpoint = await trx
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (endpoint === undefined) return []
  const secrets = secretsOf(endpoint, now, sealer)
  let due = trx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('ended_at', 'is', null)
    .where('available_at', '<=', now)
    .orderBy('available_at')
    .limit(limit)
  // Another worker that claims at this moment has locked those before.
  if (engine === 'postgres') due = due.forUpdate().skipLocked()
  const rows = await due.execute()
  if (rows.length === 0) return []
  await trx
    .updateTable('webhook_deliveries')
    .set(({ eb }) => ({
      worker,
      available_at: leaseUntil,
      fence: eb('fence', '+', 1),
      attempts: eb('attempts', '+', 1),
    }))
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  return rows.map((row) => ({
    lease: { id: row.id, fence: row.fence + 1 },
    endpointId,
    eventId: row.event_id,
    type: row.type,
    payload: row.payload,
    url: endpoint.url,
    secrets,
    attempts: row.attempts + 1,
    begunAt: row.begun_at,
  }))
}

async function endAttempt(trx: Transaction<Tables>, lease: DeliveryLease, end: AttemptEnd): Promise<Ended> {
  const { status, error, durationMs, retryAt, now } = end
  const { numUpdatedRows } = await ofLease(trx, lease)
    .set({
      worker: null,
      status,
      error,
      duration_ms: durationMs,
      ...(retryAt === null
        ? { state: error === null ? 'delivered' : 'failed', ended_at: now }
        : { available_at: retryAt }),
    })
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return 'lost'
  return (await noteHealth(trx, end)) ? 'switched_off' : 'written'
}

/** Writes the endpoint only when something has changed, so that deliveries do not wait for each other. True when it is off now. */
async function noteHealth(
  trx: Transaction<Tables>,
  { endpointId, error, isGone, failingBefore, now }: AttemptEnd,
): Promise<boolean> {
  const endpoint = trx.updateTable('webhook_endpoints').where('id', '=', endpointId).where('disabled_at', 'is', null)
  if (error === null) {
    await endpoint.set({ failing_since: null }).where('failing_since', 'is not', null).execute()
    return false
  }
  await endpoint.set({ failing_since: now }).where('failing_since', 'is', null).execute()
  const switchOff = isGone ? endpoint : endpoint.where('failing_since', '<', failingBefore)
  const { numUpdatedRows } = await switchOff
    .set({ disabled_at: now, disabled_reason: isGone ? 'gone' : 'failing' })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Clearing = Pick<WebhookWork, 'settle' | 'purgeDeliveries' | 'purgeTold' | 'waiting'>

function clearing(kysely: Kysely<Tables>): Clearing {
  return {
    async settle(now, limit) {
      // An event that was written while its endpoint was deleted goes the same way.
      const { rows } = await sql`
        update webhook_deliveries set state = 'failed', ended_at = ${now}, worker = null,
          error = coalesce(error, 'The endpoint was switched off.')
        where id in (select d.id from webhook_deliveries d left join webhook_endpoints e on e.id = d.endpoint_id
          where d.ended_at is null and (e.id is null or e.disabled_at is not null) limit ${limit})
        returning id`.execute(kysely)
      return rows.length
    },
    async purgeDeliveries(before, limit) {
      const { numDeletedRows } = await kysely
        .deleteFrom('webhook_deliveries')
        .where('id', 'in', (old) =>
          old.selectFrom('webhook_deliveries').select('id').where('ended_at', '<', before).limit(limit),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
    async purgeTold(before, limit) {
      const { numDeletedRows } = await kysely
        .deleteFrom('webhook_told')
        .where('subject', 'in', (old) =>
          old
            .selectFrom('webhook_told')
            .select('subject')
            .where('subject', 'like', 'key:%')
            .where('at', '<', before)
            .limit(limit),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
    async waiting() {
      const { rows } = await sql<{ waiting: number }>`
        select count(*) as waiting from webhook_deliveries where ended_at is null`.execute(kysely)
      return Number(rows[0]?.waiting ?? 0)
    },
  }
}

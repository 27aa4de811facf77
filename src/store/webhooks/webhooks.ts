/** Endpoints of webhooks, their log of deliveries, and what is told once. */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import type { Secret } from '#lib/secret.ts'
import { checkedChange, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../schema.ts'
import { addEvent, type EventType, type WebhookEvent } from './outbox.ts'
import { webhookWork, type WebhookWork } from './webhook-work.ts'
import {
  deliveryOf,
  endpointOf,
  secretContext,
  secretsOf,
  type DeliveryState,
  type WebhookDelivery,
  type WebhookEndpoint,
} from './webhook-row.ts'

export interface EndpointPatch {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly types?: readonly EventType[] | undefined
  /** When an administrator switched it off; null switches it on, and its failures are forgotten. */
  readonly disabledAt?: number | null | undefined
}

/** Where to send something now. */
export interface WebhookTarget {
  readonly url: string
  /** All that sign, the newest first. */
  readonly secrets: readonly Secret[]
}

export interface WebhookStore extends WebhookWork {
  /** Every endpoint, in the order of creation. */
  all(): Promise<readonly WebhookEndpoint[]>
  get(id: string): Promise<WebhookEndpoint | null>
  /** False when there are `most` already. */
  insert(endpoint: NewEndpoint, most: number): Promise<boolean>
  /** Null when there is none. */
  update(id: string, patch: EndpointPatch, check?: Check<WebhookEndpoint>): Promise<WebhookEndpoint | null>
  /** Gives it a new secret; the one before signs until `formerUntil`, too. Null when there is none. */
  rotate(id: string, secret: Secret, formerUntil: number): Promise<WebhookEndpoint | null>
  /** Removes it with its deliveries. False when there was none. */
  delete(id: string, check?: Check<WebhookEndpoint>): Promise<boolean>
  /** Null when there is none. Throws SealError. */
  target(id: string, now: number): Promise<WebhookTarget | null>
  /** Its deliveries, the newest first. Throws InvalidCursor. */
  deliveries(id: string, request: DeliveryRequest): Promise<Page<WebhookDelivery>>
  delivery(endpointId: string, id: string): Promise<WebhookDelivery | null>
  /** Sends a delivery again, as if it were new. False when there is none or it waits already. */
  replay(endpointId: string, id: string, now: number): Promise<boolean>
  /** The same for failed ones since this moment, oldest first; returns how many of at most `limit`. */
  replayFailed(endpointId: string, since: number, now: number, limit: number): Promise<number>
  /** Stores an event of its own, without a change beside it. */
  add(event: WebhookEvent): Promise<void>
  /** Stores the event if nothing was told about this subject yet, and remembers it. */
  tellOnce(subject: string, event: WebhookEvent): Promise<boolean>
  /** Stores the event, if there is one, if something was told about this subject, and forgets it. */
  tellEnd(subject: string, event: WebhookEvent | null): Promise<boolean>
  /** Subjects with this beginning about which something was told. */
  told(beginning: string): Promise<readonly string[]>
  /** Keys that expire in this time and of which nothing was told. */
  expiringKeys(from: number, to: number, limit: number): Promise<readonly ExpiringKey[]>
}

export interface NewEndpoint extends Pick<
  WebhookEndpoint,
  'id' | 'url' | 'description' | 'types' | 'userId' | 'createdAt'
> {
  readonly secret: Secret
}

export interface DeliveryRequest extends PageRequest {
  readonly state?: DeliveryState | undefined
}

export interface ExpiringKey {
  readonly id: string
  readonly name: string
  readonly userId: string
  readonly expiresAt: number
}

/** The webhooks of this database, their secrets under this sealer's key. */
export function webhookStore(database: Database, sealer: Sealer): WebhookStore {
  const { kysely } = database
  return {
    ...webhookWork(database, sealer),
    ...endpoints(database, sealer),
    ...log(kysely),
    ...replays(kysely),
    ...telling(kysely),
  }
}

type Names<Name extends keyof WebhookStore> = Pick<WebhookStore, Name>

function endpoints(
  database: Database,
  sealer: Sealer,
): Names<'all' | 'get' | 'insert' | 'update' | 'rotate' | 'delete' | 'target'> {
  const { kysely } = database
  const rowOf = (id: string, on: Kysely<Tables> = kysely) =>
    on.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst()
  const checkable = (id: string) => ({
    table: 'webhook_endpoints' as const,
    id,
    read: async (on: Kysely<Tables>) => {
      const row = await rowOf(id, on)
      return row === undefined ? null : endpointOf(row)
    },
  })
  return {
    async all() {
      const rows = await kysely
        .selectFrom('webhook_endpoints')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(endpointOf)
    },
    get: (id) => checkable(id).read(kysely),
    insert: (endpoint, most) => kysely.transaction().execute((trx) => insertEndpoint(trx, sealer, endpoint, most)),
    update: (id, patch, check) =>
      checkedChange(database, check, { ...checkable(id), write: (on) => updateEndpoint(on, id, patch) }),
    async rotate(id, secret, formerUntil) {
      const row = await kysely
        .updateTable('webhook_endpoints')
        .set({
          former_secret: sql<string>`secret`,
          former_until: formerUntil,
          secret: sealer.seal(secret.reveal(), secretContext(id)),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row === undefined ? null : endpointOf(row)
    },
    async delete(id, check) {
      const write = (on: Kysely<Tables>) => on.deleteFrom('webhook_endpoints').where('id', '=', id).executeTakeFirst()
      const { numDeletedRows } = await checkedChange(database, check, { ...checkable(id), write })
      while ((await deleteSome(kysely, id)) > 0n);
      return numDeletedRows > 0n
    },
    async target(id, now) {
      const row = await rowOf(id)
      return row === undefined ? null : { url: row.url, secrets: secretsOf(row, now, sealer) }
    },
  }
}

async function updateEndpoint(
  kysely: Kysely<Tables>,
  id: string,
  { url, description, types, disabledAt }: EndpointPatch,
): Promise<WebhookEndpoint | null> {
  const row = await kysely
    .updateTable('webhook_endpoints')
    .set({
      // The id makes an empty patch a valid statement.
      id,
      url,
      description,
      types: types && JSON.stringify(types),
      ...(disabledAt === null && { disabled_at: null, disabled_reason: null, failing_since: null }),
      ...(typeof disabledAt === 'number' && { disabled_at: disabledAt, disabled_reason: 'administrator' }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? null : endpointOf(row)
}

async function insertEndpoint(
  trx: Transaction<Tables>,
  sealer: Sealer,
  { id, url, description, types, userId, createdAt, secret }: NewEndpoint,
  most: number,
): Promise<boolean> {
  const { count } = await trx
    .selectFrom('webhook_endpoints')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= most) return false
  await trx
    .insertInto('webhook_endpoints')
    .values({
      id,
      url,
      description,
      types: JSON.stringify(types),
      user_id: userId,
      secret: sealer.seal(secret.reveal(), secretContext(id)),
      former_secret: null,
      former_until: null,
      failing_since: null,
      disabled_at: null,
      disabled_reason: null,
      dropped: 0,
      created_at: createdAt,
    })
    .execute()
  return true
}

const deletedAtOnce = 500

/** A few at a time, so that other writes come in between. */
async function deleteSome(kysely: Kysely<Tables>, endpointId: string): Promise<bigint> {
  const { numDeletedRows } = await kysely
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', (own) =>
      own.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', endpointId).limit(deletedAtOnce),
    )
    .executeTakeFirst()
  return numDeletedRows
}

function log(kysely: Kysely<Tables>): Names<'deliveries' | 'delivery'> {
  return {
    async deliveries(id, { cursor, limit, state }) {
      let query = kysely.selectFrom('webhook_deliveries').selectAll().where('endpoint_id', '=', id)
      if (state !== undefined) query = query.where('state', '=', state)
      if (cursor !== undefined && cursor !== null) {
        const { at, id: last } = decodeCursor(cursor)
        query = query.where(sql<boolean>`(created_at, id) < (${at}, ${last})`)
      }
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        items: rows.slice(0, limit).map(deliveryOf),
        nextCursor: last === undefined ? null : encodeCursor({ at: last.created_at, id: last.id }),
      }
    },
    async delivery(endpointId, id) {
      const row = await kysely
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('id', '=', id)
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst()
      return row === undefined ? null : deliveryOf(row)
    },
  }
}

function replays(kysely: Kysely<Tables>): Names<'replay' | 'replayFailed'> {
  const afresh = (now: number) => ({
    state: 'waiting',
    attempts: 0,
    available_at: now,
    begun_at: now,
    ended_at: null,
    worker: null,
  })
  return {
    async replay(endpointId, id, now) {
      const { numUpdatedRows } = await kysely
        .updateTable('webhook_deliveries')
        .set(afresh(now))
        .where('id', '=', id)
        .where('endpoint_id', '=', endpointId)
        .where('ended_at', 'is not', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async replayFailed(endpointId, since, now, limit) {
      const rows = await kysely
        .updateTable('webhook_deliveries')
        .set(afresh(now))
        .where('id', 'in', (failed) =>
          failed
            .selectFrom('webhook_deliveries')
            .select('id')
            .where('endpoint_id', '=', endpointId)
            .where('created_at', '>=', since)
            .where('state', '=', 'failed')
            .orderBy('created_at')
            .orderBy('id')
            .limit(limit),
        )
        .returning('id')
        .execute()
      return rows.length
    },
  }
}

function telling(kysely: Kysely<Tables>): Names<'add' | 'tellOnce' | 'tellEnd' | 'told' | 'expiringKeys'> {
  return {
    add: (event) => kysely.transaction().execute((trx) => addEvent(trx, event)),
    tellOnce: (subject, event) =>
      kysely.transaction().execute(async (trx) => {
        const isNew = await trx
          .insertInto('webhook_told')
          .values({ subject, at: event.at })
          .onConflict((conflict) => conflict.doNothing())
          .returning('subject')
          .executeTakeFirst()
        if (isNew !== undefined) await addEvent(trx, event)
        return isNew !== undefined
      }),
    tellEnd: (subject, event) =>
      kysely.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('webhook_told')
          .where('subject', '=', subject)
          .executeTakeFirst()
        if (numDeletedRows > 0n && event !== null) await addEvent(trx, event)
        return numDeletedRows > 0n
      }),
    async told(beginning) {
      const rows = await kysely
        .selectFrom('webhook_told')
        .select('subject')
        .where('subject', 'like', `${beginning}%`)
        .execute()
      return rows.map(({ subject }) => subject)
    },
    async expiringKeys(from, to, limit) {
      return kysely
        .selectFrom('api_keys')
        .select(['id', 'name', 'user_id as userId', 'expires_at as expiresAt'])
        .$narrowType<{ expiresAt: number }>()
        .where('expires_at', '>', from)
        .where('expires_at', '<=', to)
        .where(
          sql<boolean>`not exists (select 1 from webhook_told
            where subject = 'key:' || api_keys.id || ':' || api_keys.expires_at)`,
        )
        .orderBy('expires_at')
        .limit(limit)
        .execute()
    },
  }
}

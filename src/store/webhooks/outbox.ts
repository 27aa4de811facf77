/**
 * Events, written as deliveries in the transaction of the change that they tell: an event is stored when its change is,
 * and not without it. Sending them is the work of src/webhooks.
 */
import { createHash } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables, WebhookDeliveriesTable } from '../schema.ts'

/** Every type of event, as receivers see it. Those of batches and responses have the names that OpenAI gave them. */
export const eventTypes = [
  'document.completed',
  'document.failed',
  'source.completed',
  'source.failed',
  'batch.completed',
  'batch.failed',
  'batch.expired',
  'batch.cancelled',
  'response.completed',
  'response.failed',
  'response.cancelled',
  'response.incomplete',
  'budget.threshold',
  'provider.down',
  'provider.up',
  'key.expiring',
] as const

export type EventType = (typeof eventTypes)[number]

/** Something that has happened. Equal ones are one event. */
export interface WebhookEvent {
  readonly type: EventType
  /** The id of what it happened to. */
  readonly subject: string
  readonly at: number
  /** Whose it is; null for what belongs to the installation. */
  readonly userId: string | null
  /** What the receiver learns besides the id of the subject. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** Deliveries that may wait for one endpoint; an event beyond them is not stored for it, and counted. */
export const waitingMax = 10_000

/** Stores the event for each endpoint that wants it. Without such an endpoint it reads one small table and writes nothing. */
export async function addEvent(trx: Transaction<Tables>, event: WebhookEvent): Promise<void> {
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select(['id', 'types', 'user_id'])
    .where('disabled_at', 'is', null)
    // Always in one order, so that two transactions that count what they drop do not wait in a circle.
    .orderBy('id')
    .execute()
  const wanting = endpoints.filter(
    ({ types, user_id: userId }) =>
      (JSON.parse(types) as readonly string[]).includes(event.type) && (userId === null || userId === event.userId),
  )
  for (const { id } of wanting) {
    if (await isFull(trx, id)) await countDropped(trx, id)
    else
      await trx
        .insertInto('webhook_deliveries')
        .values(newDelivery(id, event))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  }
}

/** One more query than the insert, over an index that has only deliveries that wait. */
async function isFull(trx: Kysely<Tables>, endpointId: string): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from (
      select 1 from webhook_deliveries where endpoint_id = ${endpointId} and ended_at is null limit ${waitingMax}
    ) as waiting_ones`.execute(trx)
  return Number(rows[0]?.waiting ?? 0) >= waitingMax
}

async function countDropped(trx: Transaction<Tables>, endpointId: string): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set(({ eb }) => ({ dropped: eb('dropped', '+', 1) }))
    .where('id', '=', endpointId)
    .execute()
}

function newDelivery(endpointId: string, event: WebhookEvent): WebhookDeliveriesTable {
  const eventId = `evt_${digest([event.type, event.subject, event.at, event.data])}`
  return {
    id: `whd_${digest([eventId, endpointId])}`,
    endpoint_id: endpointId,
    event_id: eventId,
    type: event.type,
    payload: payloadOf(eventId, event),
    state: 'waiting',
    attempts: 0,
    fence: 0,
    worker: null,
    available_at: event.at,
    created_at: event.at,
    begun_at: event.at,
    ended_at: null,
    status: null,
    error: null,
    duration_ms: null,
  }
}

/** The body that receivers get: the fields of OpenAI's events, and `timestamp` as Standard Webhooks recommends. */
export function payloadOf(
  id: string,
  { type, subject, at, userId, data }: Omit<WebhookEvent, 'type'> & { readonly type: EventType | 'ping' },
): string {
  return JSON.stringify({
    id,
    object: 'event',
    type,
    created_at: Math.floor(at / 1000),
    timestamp: new Date(at).toISOString(),
    data: { id: subject, ...(userId !== null && { user_id: userId }), ...data },
  })
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

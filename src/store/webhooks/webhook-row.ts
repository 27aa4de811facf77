/** Endpoints and deliveries as rows. Secrets are sealed; only sending opens them. */
import type { Sealer } from '#lib/seal.ts'
import { Secret } from '#lib/secret.ts'
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../schema.ts'
import type { EventType } from './outbox.ts'

/** Why an endpoint was switched off: by an administrator, by its answer 410, or because it failed for too long. */
export type DisabledReason = 'administrator' | 'gone' | 'failing'

/** Where events are sent. */
export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly types: readonly EventType[]
  /** Only what belongs to this user; null for everything. */
  readonly userId: string | null
  /** Until when the secret before the last rotation signs as well; null without one. */
  readonly formerUntil: number | null
  /** Since when no attempt has succeeded; null while they do. */
  readonly failingSince: number | null
  readonly disabledAt: number | null
  readonly disabledReason: DisabledReason | null
  /** Events that were not stored, because too many waited. */
  readonly dropped: number
  readonly createdAt: number
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** An event on its way to one endpoint, and what became of it. */
export interface WebhookDelivery {
  readonly id: string
  readonly eventId: string
  readonly type: string
  readonly payload: string
  readonly state: DeliveryState
  readonly attempts: number
  /** When it is tried again; null when it has ended. */
  readonly nextAt: number | null
  readonly createdAt: number
  readonly endedAt: number | null
  /** The last answer's; null when none came. */
  readonly status: number | null
  /** What went wrong with the last attempt. */
  readonly error: string | null
  readonly durationMs: number | null
}

export function endpointOf(row: WebhookEndpointsTable): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: JSON.parse(row.types) as EventType[],
    userId: row.user_id,
    formerUntil: row.former_until,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason as DisabledReason | null,
    dropped: row.dropped,
    createdAt: row.created_at,
  }
}

export function deliveryOf(row: WebhookDeliveriesTable): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    payload: row.payload,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    nextAt: row.ended_at === null ? row.available_at : null,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    status: row.status,
    error: row.error,
    durationMs: row.duration_ms,
  }
}

/** The secrets that sign at this moment, the newest first. Throws SealError. */
export function secretsOf(
  { id, secret, former_secret: former, former_until: until }: WebhookEndpointsTable,
  now: number,
  sealer: Sealer,
): readonly Secret[] {
  const sealed = [secret, ...(former !== null && until !== null && until > now ? [former] : [])]
  return sealed.map((each) => new Secret(sealer.open(each, secretContext(id))))
}

/** What a sealed secret is bound to. */
export function secretContext(endpointId: string): string {
  return `webhook_endpoints.secret:${endpointId}`
}

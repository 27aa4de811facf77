/** Endpoints of webhooks and their deliveries on the wire. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import { eventTypes } from '#store/webhooks/outbox.ts'
import type { WebhookDelivery, WebhookEndpoint } from '#store/webhooks/webhook-row.ts'
import { isPrivateAddress } from '#lib/private-address.ts'
import { id, instantOrNull, text } from '../fields.ts'
import { etag, versionOf } from '../record-version.ts'

const url = z
  .string()
  .max(2000, 'expected at most 2000 characters')
  .refine(isReceiver, 'expected an http: or https: URL without a user, a password or a fragment')
  .describe('Where events are sent by POST. https: is strongly advised')
const types = z
  .array(z.enum(eventTypes))
  .min(1, 'expected at least one type of event')
  .max(eventTypes.length)
  .refine((list) => new Set(list).size === list.length, 'expected each type once')

export const newWebhook = z
  .strictObject({
    url,
    description: text.default(''),
    types: types.default([...eventTypes]).describe('All types when left out'),
    user_id: id.nullable().default(null).describe('Only events that belong to this user; null sends those of all'),
  })
  .meta({ id: 'NewWebhook' })

export const webhookChange = z
  .strictObject({
    url,
    description: text,
    types,
    enabled: z.boolean().describe('true switches an endpoint on again; its failures are forgotten'),
  })
  .partial()
  .meta({ id: 'WebhookChange' })

const endpointFields = {
  id: z.string(),
  url: z.string(),
  description: z.string(),
  types: z.array(z.enum(eventTypes)),
  user_id: z.string().nullable(),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(['administrator', 'gone', 'failing'])
    .nullable()
    .describe('`gone`: it answered 410; `failing`: every attempt failed for webhooks.retry_hours'),
  disabled_at: instant.nullable(),
  failing_since: instant.nullable().describe('Since when no attempt has succeeded; null while they do'),
  dropped: z.int().describe('Events that were not stored for it, because too many waited'),
  former_secret_until: instant.nullable().describe('Until when the secret before the last rotation signs, too'),
  created_at: instant,
  etag,
}

export const webhookAnswer = z.strictObject(endpointFields).meta({ id: 'Webhook' })
export const webhookWithSecret = z
  .strictObject({ ...endpointFields, secret: z.string().describe('`whsec_…`; shown this once') })
  .meta({ id: 'WebhookWithSecret' })

export const rotation = z
  .strictObject({
    overlap_hours: z.number().min(0).max(720).default(24).describe('How long the secret before signs, too'),
  })
  .meta({ id: 'WebhookRotation' })

export const attemptAnswer = z
  .strictObject({
    delivered: z.boolean(),
    status: z.int().nullable().describe('Of the answer; null when none came'),
    error: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'WebhookAttempt' })

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const

export const deliveryAnswer = z
  .strictObject({
    id: z.string(),
    event_id: z.string().describe('The `webhook-id` of every attempt'),
    type: z.string(),
    payload: z.string().describe('The body that is sent'),
    state: z.enum(deliveryStates),
    attempts: z.int().describe('Since its creation or its last replay'),
    created_at: instant,
    next_attempt_at: instant.nullable().describe('Not before then; null when it has ended'),
    ended_at: instant.nullable(),
    status: z.int().nullable().describe('Of the last answer; null when none came'),
    error: z.string().nullable().describe('What went wrong with the last attempt'),
    duration_ms: z.int().nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

export function webhookOnWire(endpoint: WebhookEndpoint): z.input<typeof webhookAnswer> {
  const { id: endpointId, url: target, description, types: own, userId, dropped } = endpoint
  return {
    id: endpointId,
    url: target,
    description,
    types: [...own],
    user_id: userId,
    enabled: endpoint.disabledAt === null,
    disabled_reason: endpoint.disabledReason,
    disabled_at: instantOrNull(endpoint.disabledAt),
    failing_since: instantOrNull(endpoint.failingSince),
    dropped,
    former_secret_until: instantOrNull(endpoint.formerUntil),
    created_at: instantOf(endpoint.createdAt),
    etag: webhookVersion(endpoint),
  }
}

export function webhookVersion({ url: target, description, types: own, disabledAt }: WebhookEndpoint): string {
  return versionOf({ url: target, description, types: own, enabled: disabledAt === null })
}

export function deliveryOnWire(delivery: WebhookDelivery): z.input<typeof deliveryAnswer> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    payload: delivery.payload,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: instantOf(delivery.createdAt),
    next_attempt_at: instantOrNull(delivery.nextAt),
    ended_at: instantOrNull(delivery.endedAt),
    status: delivery.status,
    error: delivery.error,
    duration_ms: delivery.durationMs,
  }
}

/** Whether the host of the URL is written as an IP address, and a private one. What a name leads to is seen when it is used. */
export function namesPrivateAddress(target: string): boolean {
  const { hostname } = new URL(target)
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return hostname === 'localhost' || (isAddress && isPrivateAddress(hostname.replace(/^\[|\]$/g, '')))
}

function isReceiver(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && !/\p{Cc}/u.test(value)
}

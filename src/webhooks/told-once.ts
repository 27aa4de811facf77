/** Tells when providers go and come back, and when keys are about to expire; by one process for all. */
import type { WebhookStore } from '#store/webhooks/webhooks.ts'

/** A provider as all processes together see it. */
export interface ProviderHealth {
  readonly id: string
  readonly name: string
  /** Names of its models that get no requests, because they failed. */
  readonly ejected: readonly string[]
  /** At least one of its models answers, and none fails. */
  readonly isUp: boolean
}

const subjectOf = (providerId: string): string => `provider:${providerId}`

/** Stores an event for each provider that has gone or come back since the last call. What was told outlives the process. */
export async function tellProviders(
  store: Pick<WebhookStore, 'told' | 'tellOnce' | 'tellEnd'>,
  providers: readonly ProviderHealth[],
  at: number,
): Promise<void> {
  const down = new Set(await store.told(subjectOf('')))
  for (const { id, name, ejected, isUp } of providers) {
    const subject = subjectOf(id)
    const event = { subject: id, at, userId: null }
    if (ejected.length > 0 && !down.has(subject))
      await store.tellOnce(subject, { ...event, type: 'provider.down', data: { name, models: ejected } })
    if (isUp && down.has(subject)) await store.tellEnd(subject, { ...event, type: 'provider.up', data: { name } })
    down.delete(subject)
  }
  // A provider that was deleted does not come back.
  for (const subject of down) await store.tellEnd(subject, null)
}

const keysAtOnce = 100

/** Stores an event for each key that expires within this time, once for each expiry. */
export async function tellExpiringKeys(
  store: Pick<WebhookStore, 'expiringKeys' | 'tellOnce'>,
  now: number,
  aheadMs: number,
): Promise<void> {
  for (;;) {
    const keys = await store.expiringKeys(now, now + aheadMs, keysAtOnce)
    for (const { id, name, userId, expiresAt } of keys) {
      const data = { name, expires_at: new Date(expiresAt).toISOString() }
      await store.tellOnce(`key:${id}:${expiresAt}`, { type: 'key.expiring', subject: id, at: now, userId, data })
    }
    if (keys.length < keysAtOnce) return
  }
}

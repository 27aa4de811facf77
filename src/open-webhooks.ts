/** The webhooks' part of the composition root. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { readStatus, statusOf, upstreamOf, type ProcessStatus } from '#gateway/process-status.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { Loop } from '#lib/loop.ts'
import { within } from '#lib/within.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { Leader } from '#replica/leader.ts'
import type { Store } from '#store/store.ts'
import { tellExpiringKeys, tellProviders, type ProviderHealth } from '#webhooks/told-once.ts'
import { WebhookSender } from '#webhooks/webhook-sender.ts'
import { WebhookWorker } from '#webhooks/webhook-worker.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'

export interface OpenWebhooksOptions {
  readonly store: Store
  readonly gateway: Gateway
  readonly feed: ChangeFeed
  readonly leader: Leader
  readonly proxyFor?: ProxyFor | undefined
}

export interface OpenWebhooks {
  readonly webhooks: Webhooks
  /** Begins to deliver what waits. */
  start(): void
  /** Deliveries that wait, in the process that leads; null elsewhere, and without a database. */
  waiting(): Promise<number | null>
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const dayMs = 24 * 60 * minuteMs
const removedAtOnce = 500
/** A key is told once; it cannot expire later than this after that. */
const toldKeptMs = 100 * dayMs
const countMaxMs = 2000

/** What is opened here is closed with `opening`, in reverse. */
export function openWebhooks(options: OpenWebhooksOptions, opening: AsyncDisposableStack): OpenWebhooks {
  const { store, gateway, leader, proxyFor } = options
  const { settings, clock, ticker, logger, metrics } = gateway
  const now = store.now ?? (() => Promise.resolve(clock.now()))
  const sender = opening.use(new WebhookSender({ settings, clock, ticker, proxyFor }))
  const working = opening.use(new AsyncDisposableStack())
  let worker: WebhookWorker | null = null
  const isOnlyProcess = store.replicas === null
  const loop = (what: string, intervalMs: number, work: () => Promise<void>): void => {
    const onError = (error: unknown): void => logger.error(`${what} failed`, { error })
    working.use(new Loop({ intervalMs, work, onError }))
  }
  return {
    webhooks: { sender, now, wake: () => worker?.wake() },
    start() {
      if (worker !== null) return
      worker = new WebhookWorker({ store: store.webhooks, sender, settings, metrics, logger, now, isOnlyProcess })
      working.use(worker)
      worker.wake()
      loop('telling which providers are down', secondMs, tellingProviders(options, now))
      loop('tidying webhooks', minuteMs, async () => {
        await leader.run('tidying webhooks', async () => tidy(store, settings, await now()))
      })
    },
    async waiting() {
      const counted = async () =>
        (await leader.leads('metrics of the database')) ? store.webhooks.waiting() : Promise.resolve(null)
      return within(countMaxMs, counted()).catch(() => null)
    },
  }
}

/** Tells what is about to expire, and removes what nobody needs any longer. */
async function tidy({ webhooks }: Store, settings: LiveSettings, now: number): Promise<void> {
  await tellExpiringKeys(webhooks, now, settings.get('webhooks.key_expiry_days') * dayMs)
  const before = now - settings.get('webhooks.retention_days') * dayMs
  while ((await webhooks.settle(now, removedAtOnce)) > 0);
  while ((await webhooks.purgeDeliveries(before, removedAtOnce)) > 0);
  while ((await webhooks.purgeTold(now - toldKeptMs, removedAtOnce)) > 0);
}

function tellingProviders(
  { store, gateway, feed, leader }: OpenWebhooksOptions,
  now: () => Promise<number>,
): () => Promise<void> {
  return async () => {
    await leader.run('telling which providers are down', async () => {
      const peers = await feed.peers()
      const statuses = [statusOf(gateway), ...peers.map(({ status }) => readStatus(status))]
      await tellProviders(store.webhooks, providerHealth(gateway, statuses), await now())
    })
  }
}

function providerHealth({ catalog }: Gateway, statuses: readonly ProcessStatus[]): readonly ProviderHealth[] {
  const upstreams = catalog().models.flatMap(({ upstreams: own }) => own)
  const byProvider = Map.groupBy(upstreams, ({ provider }) => provider.id)
  return [...byProvider].map(([id, own]) => {
    const models = new Map(own.map(({ model }) => [model.id, model.name]))
    const states = [...models].map(([modelId, name]) => ({ name, state: upstreamOf(statuses, modelId).state }))
    const namesThatAre = (wanted: string): readonly string[] =>
      states.filter(({ state }) => state === wanted).map(({ name }) => name)
    const ejected = namesThatAre('out')
    const isUp = ejected.length + namesThatAre('failing').length === 0 && namesThatAre('healthy').length > 0
    return { id, name: own[0]?.provider.name ?? '', ejected, isUp }
  })
}

/** The limits' part of the composition root: where limits are kept, as the settings and the database have it. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import { queueLevels } from '#gateway/upstreams/occupy-upstream.ts'
import { ByteBudget } from '#lib/byte-budget.ts'
import { Loop } from '#lib/loop.ts'
import { CapQueue } from '#limits/cap-queue.ts'
import { LocalInflightLimiter, type InflightLimiter } from '#limits/inflight.ts'
import { RateBuckets, wholeParts, type RateParts } from '#limits/rate-buckets.ts'
import { SharedLimits } from '#limits/shared-limits.ts'
import { ValkeyPlace } from '#limits/valkey-place.ts'
import type { Logger } from '#observe/log.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'

export interface OpenLimitsOptions {
  readonly settings: LiveSettings
  readonly store: Store
  /** Has the registration of this process among those on the database; null when there are no others. */
  readonly feed: Pick<ChangeFeed, 'registration'>
  /** Its catalog says what caps allow. */
  readonly state: Pick<LiveState, 'catalog'>
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}

/** The limits of this process. */
export interface OpenLimits {
  readonly inflight: InflightLimiter
  readonly rates: RateBuckets
  readonly caps: CapQueue
  /** On the bodies of requests in memory. */
  readonly bodies: ByteBudget
}

const rateTickMs = 250
const queueBeatMs = 250

/** What is opened here is closed with `opening`; by then no request may be running. */
export async function openLimits(options: OpenLimitsOptions, opening: AsyncDisposableStack): Promise<OpenLimits> {
  const { settings, store, clock, logger } = options
  const { registration } = options.feed
  const { limits } = store
  if (limits === null || registration === null || settings.get('limits.shared') === 'memory') {
    return limitsOf(options, { inflight: new LocalInflightLimiter(), parts: wholeParts }, opening)
  }
  const valkeyUrl = settings.get('limits.shared') === 'valkey' ? settings.get('limits.valkey_url') : null
  const installation = valkeyUrl === null ? '' : await limits.installation()
  const shared = new SharedLimits({
    roster: limits.roster,
    openPlace: (onHint) =>
      valkeyUrl === null ? limits.place : new ValkeyPlace({ url: valkeyUrl.reveal(), installation, onHint }),
    listen: limits.listen,
    processId: registration.id,
    tenure: () => registration.tenure,
    clock,
    onFailure: (what, failure) => reportFailure(logger, what, failure),
  })
  opening.use(shared)
  await shared.look()
  return limitsOf(options, { inflight: shared.inflight, parts: shared.rateParts }, opening)
}

function limitsOf(
  options: OpenLimitsOptions,
  { inflight, parts }: { readonly inflight: InflightLimiter; readonly parts: RateParts },
  opening: AsyncDisposableStack,
): OpenLimits {
  const { settings, state, clock, logger, shutdown } = options
  const caps = new CapQueue({
    slots: inflight,
    clock,
    levels: queueLevels,
    lengthMax: () => settings.get('limits.queue.length'),
    limitOf: (cap) => state.catalog.concurrencyLimit(cap),
    shutdown,
  })
  const onError = (error: unknown): void => logger.error('requests that wait could not be looked after', { error })
  opening.use(new Loop({ intervalMs: queueBeatMs, work: async () => caps.beat(), onError }))
  const bodies = new ByteBudget(settings.get('server.bytes_in_flight'))
  return { inflight, caps, rates: openRates(options, parts, opening), bodies }
}

function openRates(
  { clock, logger }: Pick<OpenLimitsOptions, 'clock' | 'logger'>,
  parts: RateParts,
  opening: AsyncDisposableStack,
): RateBuckets {
  const buckets = new RateBuckets(clock, parts)
  const onError = (error: unknown): void => logger.error('rates could not be brought up to date', { error })
  opening.use(new Loop({ intervalMs: rateTickMs, work: async () => buckets.tick(), onError }))
  return buckets
}

const failures = {
  place: [
    'limits cannot be lent between processes; each goes on with its share',
    'limits are lent between processes again',
  ],
  roster: ['the processes that share limits cannot be read', 'the processes that share limits can be read again'],
} as const

function reportFailure(logger: Logger, what: keyof typeof failures, failure: unknown): void {
  const [failed, works] = failures[what]
  if (failure === null) logger.info(works)
  else logger.warn(failed, { error: failure })
}

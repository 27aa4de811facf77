import { describe, expect, test } from 'bun:test'
import { Catalog, type Model } from '#catalog/catalog.ts'
import type { FailoverPolicy } from '#catalog/records.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loaded } from '#config/test-support.ts'
import { ApiError } from '#errors/api-error.ts'
import { createMetrics } from '#observe/metrics.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { CapQueue } from '#limits/cap-queue.ts'
import { LocalInflightLimiter } from '#limits/inflight.ts'
import { RateBuckets, wholeParts } from '#limits/rate-buckets.ts'
import { RateLimits } from '../admission/rate-limits.ts'
import { PrefixAffinity } from './affinity.ts'
import { failOver } from './fail-over.ts'
import { queueLevels } from './occupy-upstream.ts'
import { UsageRecorder } from '../usage/usage-recorder.ts'
import { UpstreamHealth } from './upstream-health.ts'

/** What an upstream says to a try. */
type Say = 'answer' | ApiError

const failure = (upstreamStatus?: number, headers: Record<string, string> = {}): ApiError =>
  new ApiError('upstream_error', { ...(upstreamStatus !== undefined && { upstreamStatus }), headers })
const refused = new ApiError('upstream_rejected', { status: 400, upstreamStatus: 400 })
const limiting = (retryAfter: string): ApiError =>
  new ApiError('upstream_rate_limited', { upstreamStatus: 429, headers: { 'retry-after': retryAfter } })

function modelOf(components: number, failover: FailoverPolicy): Model {
  const provider = aProvider()
  const parts = Array.from({ length: Math.max(1, components) }, (_, index) => aModel(provider.id, { name: `${index}` }))
  const composite = aModel(provider.id, {
    name: 'composite',
    target: {
      kind: 'composite',
      strategy: 'priority',
      failover,
      components: parts.map((part, priority) => ({ modelId: part.id, weight: 1, priority, enabled: true })),
    },
  })
  const { models } = new Catalog({ providers: [provider], models: [...parts, composite], inflightOverrides: [] })
  return models.find((model) => model.record.name === (components === 0 ? '0' : 'composite'))!
}

interface RigOptions {
  /** 0 is a plain model. */
  readonly components: number
  readonly policy?: FailoverPolicy
  readonly repeatable?: () => boolean
  /** Called at each try. */
  readonly onTry?: (rig: { readonly clock: ManualClock; readonly stop: () => void }) => void
}

/** Runs one request whose upstreams say these things in turn; who was asked, and how it ended. */
async function run(says: readonly Say[], options: RigOptions) {
  const { components, policy = {}, repeatable = () => true, onTry } = options
  const clock = new ManualClock()
  const { settings, sources } = loaded({})
  const shutdown = new AbortController()
  const affinity = new PrefixAffinity()
  const health = new UpstreamHealth(() => ({ failuresToEject: 1, ejectionMs: 1000, ejectionMaxMs: 1000 }), clock)
  const context = await contextOf(new Request('http://localhost/x'), clock)
  const metrics = createMetrics({ version: '0.0.0', codes: [] })
  const recorder = new UsageRecorder({ metrics, queueMax: 10, journal: null, write: async () => {} })
  const record = recorder.begin(context, aCaller(), 'chat/completions')
  const model = modelOf(components, policy)
  const asked: string[] = []
  const left = [...says]
  const live = new LiveSettings(settings, sources)
  const slots = new LocalInflightLimiter()
  const rates = new RateLimits(live, new RateBuckets(clock, wholeParts), () => undefined)
  const caps = new CapQueue({
    slots,
    clock,
    levels: queueLevels,
    lengthMax: () => 1,
    limitOf: ({ limit }) => limit,
    shutdown: shutdown.signal,
  })
  const gateway = { settings: live, health, affinity, caps, rates, shutdown: shutdown.signal }
  const size = { bytes: 4, outputTokensMax: 1, settles: true }
  const occupant = { context, caller: aCaller(), purpose: 'realtime', record, size } as const
  const form = {
    get repeatable() {
      return repeatable()
    },
  }
  const outcome = await failOver(gateway, { ...occupant, model, form }, async (upstream, attempt) => {
    asked.push(upstream.model.name)
    onTry?.({ clock, stop: () => shutdown.abort() })
    const said = left.shift() ?? 'answer'
    if (said !== 'answer') throw said
    attempt[Symbol.dispose]()
    return 'answered'
  }).catch((error: unknown) => (error instanceof ApiError ? error.code : error))
  const usable = model.upstreams.map((upstream) => health.isAvailable(upstream.model.id))
  const inFlight = model.upstreams.reduce((sum, upstream) => sum + health.inFlight(upstream.model.id), 0)
  return { asked, outcome, usable, inFlight, reasons: record.attemptReasons.map((each) => each.reason) }
}

describe('a plain model', () => {
  test('is asked once: its client decides about trying again', async () => {
    expect(await run([failure(500)], { components: 0 })).toMatchObject({ asked: ['0'], outcome: 'upstream_error' })
  })
})

describe('a composite', () => {
  test('asks the next when one fails, and tells why', async () => {
    const says = [failure(500), failure()]
    expect(await run(says, { components: 3 })).toEqual({
      asked: ['0', '1', '2'],
      outcome: 'answered',
      usable: [false, false, true],
      inFlight: 0,
      reasons: ['upstream_error', 'upstream_error'],
    })
  })

  test('asks nobody else when the request is at fault, and holds it against nobody', async () => {
    expect(await run([refused], { components: 2 })).toMatchObject({
      asked: ['0'],
      outcome: 'upstream_rejected',
      usable: [true, true],
    })
  })

  test('goes by its own list of statuses, its own number of tries and its own time', async () => {
    const statuses = { components: 2, policy: { statuses: [418] } }
    expect((await run([failure(500)], statuses)).asked).toEqual(['0'])
    expect((await run([failure(418)], statuses)).asked).toEqual(['0', '1'])
    const once = { components: 2, policy: { maxAttempts: 1 } }
    expect((await run([failure(500)], once)).asked).toEqual(['0'])
    const slow = {
      components: 3,
      policy: { budgetSeconds: 5 },
      onTry: ({ clock }: { clock: ManualClock }) => clock.advance(3000),
    }
    expect((await run([failure(500), failure(500), failure(500)], slow)).asked).toEqual(['0', '1'])
  })

  test('leaves one that limits requests alone, without holding it against it', async () => {
    const outcome = await run([limiting('1')], { components: 2 })
    expect(outcome).toMatchObject({ asked: ['0', '1'], outcome: 'answered', usable: [false, true] })
  })

  test('that is alone is asked again after a short Retry-After', async () => {
    expect(await run([limiting('0.01')], { components: 1 })).toMatchObject({ asked: ['0', '0'], outcome: 'answered' })
  })

  test('asks nobody else for what cannot be sent again', async () => {
    let held = true
    const options = { components: 2, repeatable: () => held, onTry: () => void (held = false) }
    expect(await run([failure(500)], options)).toMatchObject({ asked: ['0'], outcome: 'upstream_error' })
  })

  test('does not wait for another try when the server stops', async () => {
    const options = { components: 1, onTry: ({ stop }: { stop: () => void }) => stop() }
    expect(await run([limiting('2')], options)).toMatchObject({ asked: ['0'], outcome: 'shutting_down' })
  })
})

/**
 * How the models that a caller may use have done in the last day: of the requests of everybody, because speed and
 * outages are the model's. How much others use a model is for administrators.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Caller } from '#identity/records.ts'
import type { LatencyPoint, UsageTotals } from '#store/usage/usage.ts'
import type { Admin } from '../admin.ts'
import { latencyFigures, latencyOnWire } from '../usage/latency.ts'

const hourMs = 3_600_000
const hoursShown = 24
const noTimes = { count: 0, p50Ms: null, p95Ms: null }

const figures = {
  requests: z.int().nullable().describe('Null for users: how much others use a model is not shown to them'),
  uptime: z
    .number()
    .nullable()
    .describe('Share of requests that did not fail by a fault of the model or of this server; null without requests'),
  first_token_ms: z.int().nullable().describe('Mean over streams'),
  ...latencyFigures,
  tokens_per_second: z.number().nullable().describe('Mean over streams, after their first token'),
}

export const performanceAnswer = z
  .strictObject({
    from: instant,
    to: instant,
    data: z.array(z.strictObject({ model: z.string(), ...figures })).describe('Models without requests are left out'),
    hours: z
      .array(z.strictObject({ at: instant, ...figures }))
      .describe('Of the one `model`; hours without requests are left out'),
  })
  .meta({ id: 'ModelPerformance' })

export const performanceQuery = z.strictObject({
  model: z
    .string()
    .max(200)
    .regex(/^\P{Cc}*$/u)
    .optional()
    .describe('Canonical name; with it `hours` is filled'),
})

/** The last 24 hours, the present one included. Answers 503 while memory may be behind the store. */
export async function readPerformance(
  { store, state, clock }: Admin,
  caller: Caller,
  model: string | undefined,
): Promise<z.input<typeof performanceAnswer>> {
  if (state.catalog.inDoubt) throw new ApiError('store_unavailable')
  const now = clock.now()
  // Whole hours: all comes from sums, however many requests there were.
  const to = now - (now % hourMs) + hourMs
  const from = to - hoursShown * hourMs
  const names = state.catalog.listFor(caller).map(({ record }) => record.name)
  const among = model === undefined ? names : names.filter((name) => name === model)
  const bucketMs = model === undefined ? to - from : hourMs
  const read = { from, to, groupBy: 'model', among } as const
  const [whole, byHour, latency, latencyByHour] = await Promise.all([
    store.usage.series({ ...read, bucketMs: to - from }),
    bucketMs === hourMs ? store.usage.series({ ...read, bucketMs }) : { points: [] },
    store.usage.latency({ ...read, bucketMs: null }),
    bucketMs === hourMs ? store.usage.latency({ ...read, bucketMs }) : [],
  ])
  const byName = new Map(latency.map((point) => [point.group, point]))
  const byStart = new Map(latencyByHour.map((point) => [point.at, point]))
  const isAdmin = caller.account.user.role === 'admin'
  return {
    from: instantOf(from),
    to: instantOf(to),
    data: whole.points.map(({ group, ...sums }) => ({
      model: group ?? '',
      ...figuresOf(sums, byName.get(group), isAdmin),
    })),
    hours: byHour.points.map(({ at, ...sums }) => ({
      at: instantOf(at),
      ...figuresOf(sums, byStart.get(at), isAdmin),
    })),
  }
}

function figuresOf(sums: UsageTotals, latency: LatencyPoint | undefined, isAdmin: boolean) {
  // What the caller has done wrong says nothing about the model.
  const tried = sums.requests - (sums.errors - sums.failures)
  return {
    requests: isAdmin ? sums.requests : null,
    uptime: tried === 0 ? null : (tried - sums.failures) / tried,
    first_token_ms: sums.firstTokens === 0 ? null : Math.round(sums.firstTokenMs / sums.firstTokens),
    ...latencyOnWire(latency ?? { duration: noTimes, firstToken: noTimes }),
    tokens_per_second: sums.streamMs === 0 ? null : Math.round((sums.streamTokens * 10_000) / sums.streamMs) / 10,
  }
}

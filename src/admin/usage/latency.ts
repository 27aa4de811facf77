/** Percentiles of how long requests took: of all of them, of a model, or of a provider. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { LatencyPoint } from '#store/usage/usage.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { bucketMs, bucketsOf, modelName, span, spanOf } from './span.ts'

const latencyQuery = z.strictObject({
  ...span,
  model: modelName.optional(),
  provider: modelName.optional().describe('Not together with `model`'),
  bucket: z
    .enum(['minute', 'hour', 'day'])
    .optional()
    .describe('Buckets begin at whole minutes, hours or days of UTC; without it there is one for the whole span'),
  group_by: z
    .enum(['model', 'provider', 'none'])
    .default('none')
    .describe('Not together with `model` or `provider`; for one bucket only'),
})

/** The percentiles of a `LatencyPoint`. */
export const latencyFigures = {
  duration_p50_ms: z.int().nullable().describe('Half of the answered requests took no longer; null without any'),
  duration_p95_ms: z.int().nullable().describe('95 % of the answered requests took no longer'),
  first_token_p50_ms: z.int().nullable().describe('The same of the time to the first token of streams'),
  first_token_p95_ms: z.int().nullable(),
}

const latencyAnswer = z
  .strictObject({
    from: instant,
    to: instant,
    data: z
      .array(
        z.strictObject({
          at: instant,
          group: z.string().nullable(),
          requests: z.int().describe('Answered with less than 400'),
          streams: z.int().describe('Those that had a first token'),
          ...latencyFigures,
        }),
      )
      .describe('Buckets and groups without an answered request are left out'),
  })
  .meta({ id: 'Latency' })

export function latencyRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Usage')
  return [
    route({
      method: 'GET',
      path: '/usage/latency',
      access: 'admin',
      summary: 'How long answered requests took, as percentiles',
      description:
        'Read from histograms: each figure is at most 3.2 % off. Requests from before they were kept, and refused ones, are not in them.',
      query: latencyQuery,
      answer: latencyAnswer,
      report: true,
      handle: ({ query }) => readLatency(admin, query),
    }),
  ]
}

async function readLatency(
  { store, clock }: Admin,
  asked: z.output<typeof latencyQuery>,
): Promise<z.input<typeof latencyAnswer>> {
  const { model, provider, bucket, group_by: groupBy } = asked
  requireOneWay(asked)
  const whole = spanOf(clock, asked)
  const { from, to } = bucket === undefined ? whole : bucketsOf(whole, bucket)
  const points = await store.usage.latency({
    from,
    to,
    model,
    provider,
    groupBy,
    bucketMs: bucket === undefined ? null : bucketMs[bucket],
  })
  return {
    from: instantOf(from),
    to: instantOf(to),
    data: points.map((point) => ({
      at: instantOf(point.at),
      group: point.group,
      requests: point.duration.count,
      streams: point.firstToken.count,
      ...latencyOnWire(point),
    })),
  }
}

/** Histograms are of one thing each; and groups times buckets would have no bound. */
function requireOneWay({ model, provider, bucket, group_by: groupBy }: z.output<typeof latencyQuery>): void {
  const ways = [model, provider, groupBy === 'none' ? undefined : groupBy].filter((way) => way !== undefined)
  if (ways.length > 1) {
    const message = 'Choose one of "model", "provider" and "group_by".'
    throw new ApiError('invalid_query_parameter', { param: 'group_by', message })
  }
  if (groupBy !== 'none' && bucket !== undefined) {
    const message = '"bucket" is not possible together with "group_by". Name one "model" or "provider".'
    throw new ApiError('invalid_query_parameter', { param: 'bucket', message })
  }
}

/** The percentiles of a point. */
export function latencyOnWire({ duration, firstToken }: Pick<LatencyPoint, 'duration' | 'firstToken'>) {
  return {
    duration_p50_ms: duration.p50Ms,
    duration_p95_ms: duration.p95Ms,
    first_token_p50_ms: firstToken.p50Ms,
    first_token_p95_ms: firstToken.p95Ms,
  }
}

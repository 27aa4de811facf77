/** What each of some keys, users or models was used, day by day: the small charts beside the rows of a list. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import type { UsagePoint } from '#store/usage/usage.ts'
import { endpointsOf } from '../endpoint.ts'

const dayMs = 86_400_000
const idsMax = 100

const among = z
  .string()
  .max(25_000)
  .regex(/^\P{Cc}*$/u)
  .transform((list) => list.split(','))
  .refine((ids) => ids.length <= idsMax, `expected at most ${idsMax}`)
  .default([])
  .describe(`Up to ${idsMax}, with commas between them`)
const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(90)
  .default(30)
  .describe('Whole days of UTC, of which the last is today')

const activityQuery = z.strictObject({ of: z.enum(['key', 'user', 'model']).default('key'), ids: among, days })
export const ownActivityQuery = z.strictObject({ of: z.enum(['key', 'model']).default('key'), ids: among, days })

export const activityAnswer = z
  .strictObject({
    from: instant.describe('Beginning of the first day'),
    currency: z.string().describe('Of `cost`'),
    data: z.array(
      z.strictObject({
        id: z.string().describe('As in `ids`; those that were not used are left out'),
        requests: z.array(z.int()).describe('Of each day, the oldest first'),
        errors: z.int().describe('Of all days: answered with 400 or above'),
        tokens: z.int(),
        cost: z.int().describe('In 10^-9 of the currency, of requests whose price is known'),
      }),
    ),
  })
  .meta({ id: 'Activity' })

export function activityRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Usage')
  return [
    route({
      method: 'GET',
      path: '/usage/activity',
      access: 'admin',
      summary: 'What each of some keys, users or models was used, day by day',
      query: activityQuery,
      answer: activityAnswer,
      report: true,
      handle: ({ query }) => readActivity(admin, query),
    }),
  ]
}

/** Reads the sums of the days, however many requests there were. @param userId only requests of this user */
export async function readActivity(
  { store, clock, settings }: Admin,
  asked: z.output<typeof activityQuery>,
  userId?: string,
): Promise<z.input<typeof activityAnswer>> {
  const now = clock.now()
  const to = now - (now % dayMs) + dayMs
  const from = to - asked.days * dayMs
  const { points } = await store.usage.series({
    from,
    to,
    userId,
    bucketMs: dayMs,
    groupBy: asked.of,
    among: asked.ids,
  })
  const byGroup = Map.groupBy(points, ({ group }) => group)
  return {
    from: instantOf(from),
    currency: settings.get('prices.currency'),
    data: asked.ids.flatMap((id) => {
      const own = byGroup.get(id)
      if (own === undefined) return []
      const requests = Array.from({ length: asked.days }, () => 0)
      for (const { at, requests: count } of own) requests[(at - from) / dayMs] = count
      const sum = (value: (point: UsagePoint) => number): number =>
        own.reduce((total, point) => total + value(point), 0)
      return [
        {
          id,
          requests,
          errors: sum((point) => point.errors),
          tokens: sum((point) => point.promptTokens + point.completionTokens),
          cost: sum((point) => point.cost),
        },
      ]
    }),
  }
}

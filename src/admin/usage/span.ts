/** The span of time that a report is about, and its buckets. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Clock } from '#lib/clock.ts'
import { time } from '../fields.ts'

const minuteMs = 60_000
export const bucketMs = { minute: minuteMs, hour: 60 * minuteMs, day: 24 * 60 * minuteMs } as const
const defaultSpanMs = bucketMs.day
/** Buckets of one answer. */
export const bucketsMax = 2000

export const span = {
  from: time.optional().describe('First moment that counts; a day before `to` when left out'),
  to: time.optional().describe('First moment that no longer counts; now when left out'),
}

/** A text that a model or a provider can have as its name. */
export const modelName = z
  .string()
  .max(200)
  .regex(/^\P{Cc}*$/u)

interface SpanMs {
  readonly from: number
  readonly to: number
}

/** The span of a query. Answers 400 when it ends before it begins. */
export function spanOf(clock: Clock, asked: Partial<Record<keyof SpanMs, number | undefined>>): SpanMs {
  const to = asked.to ?? clock.now()
  const from = asked.from ?? to - defaultSpanMs
  if (from > to) throw new ApiError('invalid_query_parameter', { param: 'from', message: '"from" is after "to".' })
  return { from, to }
}

/** The span from the beginning of its first bucket. Answers 400 for too many buckets. */
export function bucketsOf({ from, to }: SpanMs, bucket: keyof typeof bucketMs): SpanMs & { readonly buckets: number } {
  const length = bucketMs[bucket]
  const begin = from - (from % length)
  if ((to - begin) / length > bucketsMax) {
    const message = `From "from" to "to" are more than ${bucketsMax} buckets. Take a longer bucket or a shorter span.`
    throw new ApiError('invalid_query_parameter', { param: 'bucket', message })
  }
  return { from: begin, to, buckets: Math.max(1, Math.ceil((to - begin) / length)) }
}

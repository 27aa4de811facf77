/** Time ranges in the address of a page: a range that ends now, or a range between two times. */
const rolling = ['hour', 'day', 'week', 'month'] as const
const spans = [...rolling, 'this_month', 'last_month'] as const

/** A time range without dates: ends now, or is a calendar month of UTC. */
export type Span = (typeof spans)[number]

export interface RangeSearch {
  readonly span?: Span | 'custom' | undefined
  /** RFC 3339, for a custom range only. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface TimeRange {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const spanMs: Readonly<Record<(typeof rolling)[number], number>> = {
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
}

/** The time range in the address; invalid parts become undefined. */
export function readRangeSearch(search: Readonly<Record<string, unknown>>): RangeSearch {
  const span = search['span'] === 'custom' ? 'custom' : spans.find((each) => each === search['span'])
  if (span !== 'custom') return { span, from: undefined, to: undefined }
  return { span, from: instant(search['from']), to: instant(search['to']) }
}

/** The range between two moments, as the address has it. */
export function customRange(from: number, to: number): RangeSearch {
  return { span: 'custom', from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/** The start of a month of UTC, so many months before the one of this moment. */
export function monthStart(at: number, monthsBefore = 0): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsBefore)
}

/** The start and end of the range; the last 24 hours by default. */
export function rangeOf({ span = 'day', from, to }: RangeSearch, now: number): TimeRange {
  if (span === 'this_month') return { from: monthStart(now), to: now }
  if (span === 'last_month') return { from: monthStart(now, 1), to: monthStart(now) }
  if (span !== 'custom') return { from: now - spanMs[span], to: now }
  const end = to === undefined ? now : Date.parse(to)
  return { from: from === undefined ? end - dayMs : Date.parse(from), to: end }
}

export interface Bucket {
  /** The bucket size of the server. */
  readonly name: 'minute' | 'hour' | 'day'
  /** The length of a bar, which has one or more of the server's buckets. */
  readonly ms: number
}

const buckets: readonly Bucket[] = [
  { name: 'minute', ms: minuteMs },
  { name: 'minute', ms: 5 * minuteMs },
  { name: 'minute', ms: 15 * minuteMs },
  { name: 'hour', ms: hourMs },
  { name: 'hour', ms: 3 * hourMs },
  { name: 'hour', ms: 6 * hourMs },
  { name: 'day', ms: dayMs },
  { name: 'day', ms: 7 * dayMs },
]
const barsMax = 62
const yearlong: Bucket = { name: 'day', ms: 28 * dayMs }

/** The smallest bucket with which the chart has at most 62 bars. */
export function bucketOf({ from, to }: TimeRange): Bucket {
  return buckets.find(({ ms }) => (to - from) / ms <= barsMax) ?? yearlong
}

const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const day = { month: 'short', day: 'numeric' } as const
const formats = {
  minute: new Intl.DateTimeFormat('en', time),
  hour: new Intl.DateTimeFormat('en', { ...day, ...time }),
  // The server's days are UTC days.
  day: new Intl.DateTimeFormat('en', { ...day, timeZone: 'UTC' }),
}

/** The start of a bucket as text. */
export function bucketText(at: number, { name }: Bucket): string {
  return formats[name].format(at)
}

function instant(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

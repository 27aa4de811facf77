/** Compares time ranges: a range with the one before it, and this month with the last, day by day. */
import type { UsagePoint } from '../../api/schema.d.ts'
import { monthStart, type RangeSearch, type TimeRange } from '../time-range.ts'

const dayMs = 86_400_000

export interface RangeBefore extends TimeRange {
  /** "last month". */
  readonly name: string
  /** The same above a column. */
  readonly heading: string
}

/** The range that a range is compared with: the whole month before a month, else the same length before it. */
export function rangeBefore({ span }: RangeSearch, { from, to }: TimeRange): RangeBefore {
  if (span !== 'this_month' && span !== 'last_month')
    return { from: from - (to - from), to: from, name: 'the same time before', heading: 'Before' }
  const month = { from: monthStart(from, 1), to: from }
  return span === 'this_month'
    ? { ...month, name: 'last month', heading: 'Last month' }
    : { ...month, name: 'the month before', heading: 'Month before' }
}

export interface MonthDay {
  /** From 1; as long as the longer of both months. */
  readonly day: number
  /** What the month has cost by the end of the day; null for days to come, and past the end of the last month. */
  readonly thisMonth: number | null
  readonly lastMonth: number | null
}

export interface Months {
  readonly days: readonly MonthDay[]
  readonly thisMonth: number
  /** What the last month had cost by the end of the same day. */
  readonly lastMonthByNow: number
  readonly lastMonth: number
}

/** Sums up daily points of this month and the last one. */
export function monthsOf(points: readonly Pick<UsagePoint, 'at' | 'cost'>[], now: number): Months {
  const [first, before] = [monthStart(now), monthStart(now, 1)]
  const costs = new Map(points.map(({ at, cost }) => [Date.parse(at), cost]))
  const today = Math.floor((now - first) / dayMs)
  const lastLength = (first - before) / dayMs
  const length = Math.max(lastLength, (monthStart(now, -1) - first) / dayMs)
  const days: MonthDay[] = []
  let [thisMonth, lastMonth, lastMonthByNow] = [0, 0, 0]
  for (let day = 0; day < length; day += 1) {
    if (day <= today) thisMonth += costs.get(first + day * dayMs) ?? 0
    if (day < lastLength) lastMonth += costs.get(before + day * dayMs) ?? 0
    if (day <= today) lastMonthByNow = lastMonth
    days.push({
      day: day + 1,
      thisMonth: day <= today ? thisMonth : null,
      lastMonth: day < lastLength ? lastMonth : null,
    })
  }
  return { days, thisMonth, lastMonthByNow, lastMonth }
}

/** "12% more", "3% less", "the same"; null when there is nothing to compare with. */
export function changeText(now: number, before: number): string | null {
  if (before === 0) return null
  const percent = Math.round((now / before - 1) * 100)
  return percent === 0
    ? 'about the same'
    : `${Math.abs(percent).toLocaleString('en')}% ${percent > 0 ? 'more' : 'less'}`
}

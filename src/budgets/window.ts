/** Calendar windows of budgets: days, weeks from Monday, and months, as a time zone has them. */
import type { BudgetPeriod, BudgetWindow } from './budget.ts'

interface LocalDate {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The last window of each period and time zone: calendars are slow, and a thousand budgets share a month. */
const latest = new Map<string, BudgetWindow & { readonly endsAt: number }>()

/** The window of a period that holds this moment. */
export function windowAt(period: BudgetPeriod, timeZone: string, at: number): BudgetWindow {
  if (period === 'total') return { startsAt: 0, endsAt: null }
  const key = `${period} ${timeZone}`
  const known = latest.get(key)
  if (known !== undefined && known.startsAt <= at && at < known.endsAt) return known
  const window = calendarWindow(period, timeZone, at)
  latest.set(key, window)
  return window
}

function calendarWindow(period: Exclude<BudgetPeriod, 'total'>, timeZone: string, at: number) {
  const first = firstDay(period, localDate(timeZone, at))
  return { startsAt: beginningOf(timeZone, first), endsAt: beginningOf(timeZone, following(period, first)) }
}

function firstDay(period: Exclude<BudgetPeriod, 'total'>, { year, month, day }: LocalDate): LocalDate {
  if (period === 'month') return { year, month, day: 1 }
  if (period === 'day') return { year, month, day }
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
  return normal(year, month, day - weekday)
}

function following(period: Exclude<BudgetPeriod, 'total'>, { year, month, day }: LocalDate): LocalDate {
  if (period === 'month') return normal(year, month + 1, 1)
  return normal(year, month, day + (period === 'week' ? 7 : 1))
}

function normal(year: number, month: number, day: number): LocalDate {
  const date = new Date(Date.UTC(year, month - 1, day))
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

const furthestMs = 16 * 3_600_000

/** The first moment of a day. Found by halving, since clocks are put forward at midnight in some places. */
function beginningOf(timeZone: string, date: LocalDate): number {
  const wanted = ordinal(date)
  const midnight = Date.UTC(date.year, date.month - 1, date.day)
  let before = midnight - furthestMs
  let reached = midnight + furthestMs
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2)
    if (ordinal(localDate(timeZone, middle)) >= wanted) reached = middle
    else before = middle
  }
  return reached
}

function ordinal({ year, month, day }: LocalDate): number {
  return (year * 100 + month) * 100 + day
}

function localDate(timeZone: string, at: number): LocalDate {
  const parts = formatOf(timeZone).formatToParts(at)
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value)
  return { year: part('year'), month: part('month'), day: part('day') }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return formats.getOrInsertComputed(
    timeZone,
    () => new Intl.DateTimeFormat('en-u-ca-iso8601', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' }),
  )
}

/** Which periods are to be exported by now: each whole day or month of a time zone, some hours after its end. */
import { windowAt } from '#budgets/window.ts'
import type { ExportPeriod, PlannedExport } from '#store/exports/usage-exports.ts'

export interface Schedule {
  readonly period: ExportPeriod
  readonly timeZone: string
  /** Whole hours between the end of a period and its export. */
  readonly hour: number
}

const hourMs = 3_600_000
/** A server that was away for long makes up for so many at a time. */
const plannedAtOnce = 100

/**
 * The periods without an export, the oldest first. They follow each other without a gap and without an overlap, also
 * when the time zone has changed; without an earlier one it is the last that has ended.
 */
export function duePeriods(
  { period, timeZone, hour }: Schedule,
  { now, plannedUntil }: { readonly now: number; readonly plannedUntil: number | null },
): readonly Omit<PlannedExport, 'id' | 'createdAt'>[] {
  const due: Omit<PlannedExport, 'id' | 'createdAt'>[] = []
  let from = plannedUntil ?? windowAt(period, timeZone, windowAt(period, timeZone, now).startsAt - 1).startsAt
  while (due.length < plannedAtOnce) {
    const { endsAt } = windowAt(period, timeZone, from)
    if (endsAt === null || endsAt + hour * hourMs > now) break
    due.push({ period, startsAt: from, endsAt, timeZone, version: 1 })
    from = endsAt
  }
  return due
}

/** The days of a span, each with its date: `2026-01-31`. */
export function daysOf(span: Pick<PlannedExport, 'startsAt' | 'endsAt' | 'timeZone'>) {
  const dates = new Intl.DateTimeFormat('sv-SE', { timeZone: span.timeZone })
  const days: { readonly from: number; readonly to: number; readonly date: string }[] = []
  for (let from = span.startsAt; from < span.endsAt;) {
    const to = Math.min(span.endsAt, windowAt('day', span.timeZone, from).endsAt ?? span.endsAt)
    days.push({ from, to, date: dates.format(from) })
    from = to
  }
  return days
}

/** What a batch shows of itself: its name, how far it is, how fast, and when it will be done. */
import { countText, durationText, wholeText } from '../../components/format.ts'
import type { Batch } from './queries.ts'

type Lines = Pick<Batch, 'request_counts' | 'in_progress_at' | 'finalizing_at' | 'cancelling_at' | 'expired_at'>

/** The name that the console gives a batch in its metadata, or the id of one that was made elsewhere. */
export function batchName({ id, metadata }: Pick<Batch, 'id' | 'metadata'>): string {
  return metadata?.['name'] ?? id
}

/** Lines that have a result. */
export function doneCount({ request_counts: { completed, failed } }: Pick<Batch, 'request_counts'>): number {
  return completed + failed
}

/** From 0 to 1; null before the lines are counted. */
export function doneShare(batch: Pick<Batch, 'request_counts'>): number | null {
  const { total } = batch.request_counts
  return total === 0 ? null : doneCount(batch) / total
}

/** "1,200 of 50,000" */
export function doneText(batch: Pick<Batch, 'request_counts'>): string {
  const { total } = batch.request_counts
  return total === 0 ? '–' : `${wholeText(doneCount(batch))} of ${wholeText(total)}`
}

/** Answers in a second, from the first line until now or until no more began; null before there is one. */
export function linesPerSecond(batch: Lines, now: number): number | null {
  const { in_progress_at: from, finalizing_at: finalizing, cancelling_at: cancelling, expired_at: expired } = batch
  if (from === null || doneCount(batch) === 0) return null
  const until = finalizing ?? cancelling ?? expired ?? now / 1000
  return doneCount(batch) / Math.max(1, until - from)
}

/** "12 lines/s", and for slow ones "3 lines/min". */
export function paceText(perSecond: number | null): string {
  if (perSecond === null) return '–'
  if (perSecond >= 1) return `${countText(Math.round(perSecond), 'line')}/s`
  return `${countText(Math.max(1, Math.round(perSecond * 60)), 'line')}/min`
}

/** "in 4 min 5 s" until a moment in seconds since 1970; null for none. */
export function untilText(at: number | null, now: number): string | null {
  if (at === null) return null
  const ms = at * 1000 - now
  if (ms < 1000) return 'in a moment'
  return ms < 3_600_000 ? `in ${durationText(ms)}` : `in ${(ms / 3_600_000).toFixed(1)} h`
}

/** Seconds since 1970 as RFC 3339. */
export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

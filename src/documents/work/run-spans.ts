/** The trace of a document whose run has ended. */
import { documentSpans } from '#observe/traces/document-trace.ts'
import type { Span } from '#observe/traces/span.ts'
import type { Run } from './run.ts'

/** Ends of a run that are nobody's failure. */
const quietEnds: ReadonlySet<string> = new Set(['completed', 'given_back', 'lease_lost'])

/** The spans of a run; its stages are those that it entered itself, not those of an earlier attempt. */
export function runSpans(run: Run, outcome: string, ratio: number): readonly Span[] {
  const { reading = Number.POSITIVE_INFINITY, ...others } = run.heartbeat.stateAt
  const stages = Object.entries({ reading, ...others })
    .filter(([state, at]) => state !== 'queued' && at >= reading && at !== Number.POSITIVE_INFINITY)
    .toSorted(([, one], [, other]) => one - other)
  const { id, attempts } = run.document
  const isFault = !quietEnds.has(outcome)
  return documentSpans({ documentId: id, attempt: attempts, stages, endedAt: run.now(), outcome, isFault }, ratio)
}

/**
 * The spans of the work on one document: one for its whole run, and one for each stage below it. No name, text or owner of the
 * document is in them. A run is a trace of its own: the request that imported the document may be long over, in another process.
 */
import type { Attributes, Span } from './span.ts'
import { newSpanId, traceContext } from './trace-context.ts'

/** A run that has ended. */
export interface TracedRun {
  readonly documentId: string
  readonly attempt: number
  /** When each stage began, in epoch milliseconds, in their order. */
  readonly stages: readonly (readonly [stage: string, at: number])[]
  readonly endedAt: number
  /** `completed`, or the code of what ended it. */
  readonly outcome: string
  readonly isFault: boolean
}

/** None when the run is neither among the `ratio` that is recorded nor ended by a fault. */
export function documentSpans(run: TracedRun, ratio: number): readonly Span[] {
  const { traceId, sampled } = traceContext(null, ratio)
  const { documentId, attempt, stages, endedAt, outcome, isFault } = run
  const [first] = stages
  if (first === undefined || (!sampled && !isFault)) return []
  const shared = { traceId, events: [] }
  const about: Attributes = {
    'sluice.document_id': documentId,
    'sluice.document_attempt': attempt,
    'sluice.document_outcome': outcome,
    'error.type': isFault ? outcome : null,
  }
  const whole: Span = {
    ...shared,
    spanId: newSpanId(),
    parentId: null,
    name: 'document',
    kind: 'consumer',
    startedAt: first[1],
    endedAt,
    attributes: about,
    error: isFault ? outcome : null,
  }
  const parts = stages.map(([stage, startedAt], index): Span => {
    const next = stages[index + 1]
    return {
      ...shared,
      spanId: newSpanId(),
      parentId: whole.spanId,
      name: stage,
      kind: 'internal',
      startedAt,
      endedAt: next?.[1] ?? endedAt,
      attributes: {},
      // What ended the run ended its last stage.
      error: isFault && next === undefined ? outcome : null,
    }
  })
  return [whole, ...parts]
}

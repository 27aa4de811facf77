/** The metrics of a document that has ended. */
import type { Metrics } from '#observe/metrics.ts'
import type { Run } from './run.ts'

/** Counts the end of a run and the time that it spent in each state. */
export function countRun(metrics: Metrics, { heartbeat }: Run, outcome: string): void {
  metrics.documentEnded(outcome)
  const entered = Object.entries(heartbeat.stateAt).filter(([state]) => state !== 'queued')
  const times = entered.sort(([, a], [, b]) => a - b)
  for (const [index, [state, at]] of times.entries()) {
    const next = times[index + 1]
    if (next !== undefined) metrics.documentStage(state, next[1] - at)
  }
}

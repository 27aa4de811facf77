/** What does one event of a stream cost? CPU time of the server, with 100 streams open at once. */
import { cpuMicroseconds } from './measure.ts'
import { alternate, applyLoad, medianOf, medianRatio, type Plan } from './rounds.ts'
import { figure, type Table } from './table.ts'
import type { Target } from './targets.ts'

interface SseFigure {
  readonly eventsPerSecond: number
  readonly cpuPerEvent: number
  readonly failures: number
}

const streams = 100

/** `against` names the target that the others are compared with. */
export async function measureSse(targets: readonly Target[], plan: Plan, against = 'nginx'): Promise<Table> {
  const rounds = await alternate(targets, plan.rounds, async (target, isWarmUp): Promise<SseFigure> => {
    const cpuBefore = cpuMicroseconds(target.pid)
    const load = await applyLoad(target, 'sse', {
      shape: 'closed',
      width: streams,
      seconds: isWarmUp ? 2 : plan.seconds,
    })
    const cpu = cpuMicroseconds(target.pid) - cpuBefore
    return { eventsPerSecond: load.tokens / load.seconds, cpuPerEvent: cpu / load.tokens, failures: load.failures }
  })
  const reference = rounds.get(against) ?? []
  const speed = (one: SseFigure) => one.eventsPerSecond
  const cost = (one: SseFigure) => one.cpuPerEvent
  const rows = [...rounds].map(([name, figures]) => [
    name,
    figure(medianOf(figures, speed), 0),
    figure(medianOf(figures, cost)),
    figure(medianRatio(figures, reference, cost), 2),
    figures.reduce((sum, one) => sum + one.failures, 0),
  ])
  return {
    title: 'Streamed events',
    method:
      `${streams} concurrent streams of 100 events, one every 10 ms, ${plan.rounds} rounds of ${plan.seconds} s. ` +
      'CPU of the server process by events received, opening and closing the streams included.',
    columns: ['target', 'events/s', 'CPU µs/event', `÷ ${against}`, 'failures'],
    rows,
    rounds: Object.fromEntries(rounds),
  }
}

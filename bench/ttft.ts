/** How much later does the first token come? Open loop: streams start at even distances, whatever happens. */
import { percentile } from './measure.ts'
import { alternate, applyLoad, medianOf, type Plan } from './rounds.ts'
import { figure, type Table } from './table.ts'
import type { Target } from './targets.ts'

interface TtftFigure {
  readonly p50: number
  readonly p99: number
  readonly failures: number
  readonly worstLagMs: number
}

export async function measureTtft(targets: readonly Target[], plan: Plan, streamsPerSecond: number): Promise<Table> {
  const rounds = await alternate(targets, plan.rounds, async (target, isWarmUp): Promise<TtftFigure> => {
    const seconds = isWarmUp ? 2 : plan.seconds
    const load = await applyLoad(target, 'ttft', { shape: 'open', width: streamsPerSecond, seconds })
    return {
      p50: percentile(load.firstTokenMs, 0.5),
      p99: percentile(load.firstTokenMs, 0.99),
      failures: load.failures,
      worstLagMs: load.worstLagMs,
    }
  })
  const direct = rounds.get('direct') ?? []
  const rows = [...rounds].map(([name, figures]) => {
    const p50 = medianOf(figures, (one) => one.p50)
    const p99 = medianOf(figures, (one) => one.p99)
    const added = [p50 - medianOf(direct, (one) => one.p50), p99 - medianOf(direct, (one) => one.p99)]
    const failures = figures.reduce((sum, one) => sum + one.failures, 0)
    return [name, figure(p50), figure(p99), ...added.map((value) => figure(value)), failures]
  })
  return {
    title: 'Time to first token',
    method:
      `${streamsPerSecond} new streams each second at even distances, ${plan.rounds} rounds of ${plan.seconds} s; the upstream's first ` +
      'token comes after 50 ms, then 20 events at 50 ms. Counted from the moment a request was due.',
    columns: ['target', 'p50 ms', 'p99 ms', 'added p50', 'added p99', 'failures'],
    rows,
    rounds: Object.fromEntries(rounds),
  }
}

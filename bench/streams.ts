/** Does memory stay bounded, and nothing leak, when many streams live and half of the clients leave early? */
import { residentMib } from './measure.ts'
import { applyLoad } from './rounds.ts'
import { figure, type Table } from './table.ts'
import type { Target } from './targets.ts'
import type { UpstreamStats } from './upstream.ts'

const liveStreams = 1000
const sampleMs = 500
/** After the last stream: time for buffers to be given back. */
const restMs = 60_000

interface StreamsFigure {
  readonly startMib: number
  readonly peakMib: number
  readonly endMib: number
  readonly streams: number
  readonly left: number
  readonly failures: number
  /** Upstream streams still running although no client is left: 0, or the gateway leaks. */
  readonly orphans: number
}

export async function measureStreams(
  targets: readonly Target[],
  seconds: number,
  upstreamPort: number,
): Promise<Table> {
  const figures: [string, StreamsFigure][] = []
  for (const target of targets) figures.push([target.name, await measureOne(target, seconds, upstreamPort)])
  const rows = figures.map(([name, one]) => [
    name,
    ...[one.startMib, one.peakMib, one.endMib].map((mib) => figure(mib, 0)),
    ...[one.streams, one.left, one.failures, one.orphans].map((count) => figure(count, 0)),
  ])
  return {
    title: 'Live streams',
    method:
      `${figure(liveStreams, 0)} live streams for ${seconds} s (20 s each, four events a second); every second client leaves at a ` +
      `random moment and is replaced. Resident memory before, at most, and ${restMs / 1000} s after the last stream.`,
    columns: ['target', 'RSS start MiB', 'peak', 'end', 'streams', 'left early', 'failures', 'orphans'],
    rows,
    rounds: Object.fromEntries(figures),
  }
}

async function measureOne(target: Target, seconds: number, upstreamPort: number): Promise<StreamsFigure> {
  const startMib = residentMib(target.pid)
  let peakMib = startMib
  const sampler = setInterval(() => (peakMib = Math.max(peakMib, residentMib(target.pid))), sampleMs)
  const load = await applyLoad(target, 'streams', { shape: 'live', width: liveStreams, seconds })
  clearInterval(sampler)
  await Bun.sleep(restMs)
  const stats = (await (await fetch(`http://127.0.0.1:${upstreamPort}/stats`)).json()) as UpstreamStats
  return {
    startMib,
    peakMib,
    endMib: residentMib(target.pid),
    streams: load.requests,
    left: load.left,
    failures: load.failures,
    orphans: stats.open,
  }
}

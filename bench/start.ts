/** How long from the command to the first answer, and what does it cost? Time to `/readyz` with a store that exists already. */
import { join } from 'node:path'
import { buildBinary } from '../scripts/build-binary.ts'
import { startFrom, writeConfiguration } from './gateway.ts'
import { cpuMicroseconds, median, residentMib } from './measure.ts'
import { root, stop, Workshop } from './processes.ts'
import { figure, type Table } from './table.ts'

const starts = 7

interface Start {
  readonly readyMs: number
  readonly cpuMs: number
  readonly residentMib: number
}

export async function measureStart(): Promise<Table> {
  await using workshop = new Workshop()
  const binary = join(workshop.folder, 'sluice-binary')
  await buildBinary({ out: binary })
  const programs = { source: join(root, 'bin/sluice'), binary }
  // Nothing calls the upstream here, so its address may lead nowhere.
  const file = writeConfiguration(workshop, 1)
  const rounds: Record<string, Start[]> = { source: [], binary: [] }
  for (let index = 0; index <= starts; index++) {
    for (const [name, program] of Object.entries(programs)) {
      const start = await measured(workshop, file, program)
      // The first start makes the store, and is not counted.
      if (index > 0) rounds[name]?.push(start)
    }
  }
  const rows = Object.entries(rounds).map(([name, all]) => {
    const ready = all.map(({ readyMs }) => readyMs)
    const others = [all.map(({ cpuMs }) => cpuMs), all.map((each) => each.residentMib)].map(median)
    return [name, ...[median(ready), Math.min(...ready), Math.max(...ready), ...others].map((each) => figure(each, 0))]
  })
  return {
    title: 'Start',
    method: `From the command to the first 200 of /readyz, with an existing SQLite store; ${starts} starts of each in turn. CPU time until then.`,
    columns: ['target', 'median ms', 'fastest', 'slowest', 'CPU ms', 'resident MiB'],
    rows,
    rounds,
  }
}

async function measured(workshop: Workshop, file: string, program: string): Promise<Start> {
  const startedAt = performance.now()
  const { child } = await startFrom(workshop, file, { pollMs: 1, program })
  const readyMs = performance.now() - startedAt
  const start = { readyMs, cpuMs: cpuMicroseconds(child.pid) / 1000, residentMib: residentMib(child.pid) }
  await stop(child)
  return start
}

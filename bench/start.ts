/** How long from the command to the first answer? Time to `/readyz` with a store that exists already. */
import { startFrom, writeConfiguration } from './gateway.ts'
import { median } from './measure.ts'
import { stop, Workshop } from './processes.ts'
import { figure, type Table } from './table.ts'

const starts = 7

export async function measureStart(): Promise<Table> {
  await using workshop = new Workshop()
  // Nothing calls the upstream here, so its address may lead nowhere.
  const file = writeConfiguration(workshop, 1)
  const milliseconds: number[] = []
  for (let index = 0; index <= starts; index++) {
    const startedAt = performance.now()
    const { child } = await startFrom(workshop, file, 1)
    // The first start makes the store, and is not counted.
    if (index > 0) milliseconds.push(performance.now() - startedAt)
    await stop(child)
  }
  const rows = [['sluice', median(milliseconds), Math.min(...milliseconds), Math.max(...milliseconds)]]
  return {
    title: 'Start',
    method: `From the command to the first 200 of /readyz, with an existing SQLite store; ${starts} starts.`,
    columns: ['target', 'median ms', 'fastest', 'slowest'],
    rows: rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? figure(cell, 0) : cell))),
    rounds: milliseconds,
  }
}

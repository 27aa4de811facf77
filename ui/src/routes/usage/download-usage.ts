/** The CSV file of usage: one line for each bucket and group. */
import { readNames } from '../../api/names.ts'
import type { UsageScope } from '../../api/queries.ts'
import { amountText } from '../../components/money.ts'
import { csvText } from './csv.ts'
import { downloadCsv } from './download-csv.ts'
import { readAllPoints, unknownModel, type GroupedUsage } from './queries.ts'

const sums = ['requests', 'errors', 'prompt_tokens', 'completion_tokens'] as const
const details = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'] as const
const sizes = ['request_bytes', 'response_bytes', 'duration_ms'] as const
const columns = [...sums, ...details, ...sizes] as const

/** Reads the groups that are not on the page, and gives the file to the browser. Costs are exact decimals. */
export async function downloadUsage(name: string, usage: GroupedUsage, scope: UsageScope): Promise<void> {
  const { by, from, to, totals } = usage
  const points = usage.others.length === 0 ? usage.points : await readAllPoints(scope, usage)
  const ids = new Set(points.map(({ group }) => group))
  const nameOf =
    by === 'model' ? (group: string | null) => group ?? unknownModel : await readNames({ kind: by, scope }, ids)
  const head = ['time', by, `${by}_name`, ...columns, 'cost', 'currency']
  const rows = points.map((point) => [
    point.at,
    point.group,
    nameOf(point.group),
    ...columns.map((column) => point[column]),
    amountText(point.cost),
    totals.currency,
  ])
  downloadCsv(`${name}-by-${by}-${day(from)}-${day(to)}.csv`, csvText(head, rows))
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

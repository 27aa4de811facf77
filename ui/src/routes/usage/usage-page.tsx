/** What was used: by model, user or key, over a span of time, as a chart, a table and a file. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { useNames } from '../../api/names.ts'
import type { UsageReach } from '../../api/queries.ts'
import type { UsagePoint } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Chart, type ChartSeries } from '../../components/chart.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Select } from '../../components/input.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { Tile } from '../overview/tile.tsx'
import { RangePicker } from '../range-picker.tsx'
import type { UsageSearch } from '../search.ts'
import { bucketText } from '../time-range.ts'
import { csvText } from './csv.ts'
import { GroupTable } from './group-table.tsx'
import { groupSums, stackedPoints } from './groups.ts'
import { groupedUsageQuery, type GroupedUsage, type Grouping } from './queries.ts'
import styles from './usage-page.module.css'

const route = getRouteApi('/shell/usage')

const tones = ['accent', 'second', 'third', 'fourth', 'fifth'] as const
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export function UsagePage() {
  const isAdmin = useIsAdmin()
  const reach: UsageReach = isAdmin ? 'everyone' : 'self'
  const search = route.useSearch()
  const by: Grouping = search.by === 'user' && !isAdmin ? 'model' : (search.by ?? 'model')
  const navigate = route.useNavigate()
  const change = (next: UsageSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const usage = useQuery(groupedUsageQuery(reach, { range: search, by }))
  const name = useGroupNames(by, reach)
  return (
    <>
      <PageHeader
        title="Usage"
        description={isAdmin ? 'What everybody used.' : 'What you used, by any of your keys.'}
        actions={
          <Button
            disabled={usage.data === undefined || usage.data.points.length === 0}
            onClick={() => usage.data && download(usage.data, by, name)}
          >
            <Icon name="download" />
            Download CSV
          </Button>
        }
      />
      <div className={styles.tools}>
        <RangePicker range={search} onChange={change} />
        <Select aria-label="Part by" value={by} onChange={(event) => change({ by: groupingOf(event.target.value) })}>
          <option value="model">By model</option>
          {isAdmin && <option value="user">By user</option>}
          <option value="key">By API key</option>
        </Select>
      </div>
      {usage.error !== null && <ErrorNotice error={asApiError(usage.error)} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Skeleton lines={8} label="Loading usage" />}
      {usage.data !== undefined && usage.data.totals.requests === 0 && (
        <EmptyState
          icon="chart"
          title="No requests in this span of time"
          action={<Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>}
        >
          Requests are counted a second after they have ended, also those that were refused.
        </EmptyState>
      )}
      {usage.data !== undefined && usage.data.totals.requests > 0 && (
        <Figures
          usage={usage.data}
          by={by}
          name={name}
          onOpen={(group) =>
            void navigate({
              to: '/requests',
              search: { span: search.span, from: search.from, to: search.to, [by]: group },
            })
          }
        />
      )}
    </>
  )
}

/** What a group is called; of models the name is the group. */
function useGroupNames(by: Grouping, reach: UsageReach): (group: string | null) => string {
  const nameOf = useNames(by === 'key' ? 'key' : 'user', reach)
  return by === 'model' ? (group) => group ?? 'no such model' : nameOf
}

interface FiguresProps {
  readonly usage: GroupedUsage
  readonly by: Grouping
  readonly name: (group: string | null) => string
  readonly onOpen: (group: string) => void
}

function Figures({ usage, by, name, onOpen }: FiguresProps) {
  const { totals, points, bucket, from, to } = usage
  const groups = groupSums(points)
  const shown = groups.slice(0, tones.length).map(({ group }) => group)
  const others = groups.length - shown.length
  const series: readonly ChartSeries[] = [
    ...shown.map((group, index) => ({ name: name(group), tone: tones[index] ?? ('muted' as const) })),
    ...(others > 0 ? [{ name: `${others} more`, tone: 'muted' as const }] : []),
  ]
  const stacked = (valueOf: (point: UsagePoint) => number) =>
    stackedPoints({ points, shown, from, to, bucketMs: bucket.ms, valueOf })
  const chart = {
    kind: 'bar' as const,
    series,
    formatValue: (value: number) => compact.format(value),
    formatTime: (at: number) => bucketText(at, bucket),
  }
  return (
    <>
      <div className={styles.tiles}>
        <Tile name="Requests" value={whole.format(totals.requests)} />
        <Tile
          name="Errors"
          value={whole.format(totals.errors)}
          note={percent.format(totals.errors / totals.requests)}
        />
        <Tile name="Tokens in" value={compact.format(totals.prompt_tokens)} />
        <Tile name="Tokens out" value={compact.format(totals.completion_tokens)} />
      </div>
      <div className={styles.charts}>
        <Chart {...chart} title="Requests" points={stacked((point) => point.requests)} />
        <Chart {...chart} title="Tokens" points={stacked((point) => point.prompt_tokens + point.completion_tokens)} />
      </div>
      <GroupTable groups={groups} by={by} name={name} onOpen={onOpen} />
    </>
  )
}

function groupingOf(value: string): Grouping | undefined {
  return value === 'user' || value === 'key' ? value : undefined
}

/** One line for each bucket and group, as the charts have them. */
function download({ points, from, to }: GroupedUsage, by: Grouping, name: (group: string | null) => string): void {
  const head = ['time', by, `${by}_name`, 'requests', 'errors', 'prompt_tokens', 'completion_tokens']
  const rows = points.map((point) => [
    point.at,
    point.group,
    name(point.group),
    point.requests,
    point.errors,
    point.prompt_tokens,
    point.completion_tokens,
    point.request_bytes,
    point.response_bytes,
    point.duration_ms,
  ])
  const text = csvText([...head, 'request_bytes', 'response_bytes', 'duration_ms'], rows)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  link.download = `usage-by-${by}-${day(from)}-${day(to)}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

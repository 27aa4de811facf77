/** The page of usage by model, user, key or group: charts, a table and a CSV file. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope } from '../../api/queries.ts'
import type { UsagePoint } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Chart } from '../../components/chart.tsx'
import type { ChartSeries, ChosenRange } from '../../components/chart-props.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm } from '../../components/filter-form.tsx'
import { compactText, percentText, wholeText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ChartGrid, Tile, Tiles } from '../../components/tile.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { RangePicker } from '../range-picker.tsx'
import type { UsageSearch } from '../search.ts'
import { bucketText, customRange } from '../time-range.ts'
import { downloadUsage } from './download-usage.ts'
import { GroupTable } from './group-table.tsx'
import { useGroupNames } from './group-name.tsx'
import { groupSums, stackedPoints } from './usage-groups.ts'
import { groupedUsageQuery, topGroups, type GroupedUsage, type Grouping } from './queries.ts'
import { GroupingSelect, groupingFor } from './grouping-select.tsx'

const route = getRouteApi('/shell/usage')

const tones = ['accent', 'second', 'third', 'fourth', 'fifth'] as const

export function UsagePage() {
  const isAdmin = useIsAdmin()
  const scope: UsageScope = isAdmin ? 'everyone' : 'self'
  const search = route.useSearch()
  const by = groupingFor(search.by, isAdmin)
  const navigate = route.useNavigate()
  const change = (next: UsageSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const usage = useQuery(groupedUsageQuery(scope, { range: search, by, weight: 'requests' }))
  const exporting = useMutation({ mutationFn: (data: GroupedUsage) => downloadUsage('usage', data, scope) })
  return (
    <>
      <PageHeader
        title="Usage"
        description={isAdmin ? 'The usage of all users.' : 'Your usage, with all of your keys.'}
        actions={
          <Button
            disabled={usage.data === undefined || usage.data.points.length === 0}
            busy={exporting.isPending}
            onClick={() => usage.data && exporting.mutate(usage.data)}
          >
            <Icon name="download" />
            Download CSV
          </Button>
        }
      />
      <UsageFilters search={search} by={by} onChange={change} />
      {usage.error !== null && <ErrorNotice error={asApiError(usage.error)} onRetry={() => void usage.refetch()} />}
      {exporting.error !== null && <ErrorNotice error={asApiError(exporting.error)} />}
      {usage.isPending && <Skeleton lines={8} label="Loading usage" />}
      {usage.data !== undefined && usage.data.totals.requests === 0 && (
        <EmptyState
          icon="chart"
          title="No requests in this time range"
          action={<Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>}
        >
          Requests appear here about a second after they end, including refused ones.
        </EmptyState>
      )}
      {usage.data !== undefined && usage.data.totals.requests > 0 && (
        <UsageReport
          usage={usage.data}
          by={by}
          scope={scope}
          onRange={({ from, to }) => change(customRange(from, to))}
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

interface UsageFiltersProps {
  readonly search: UsageSearch
  readonly by: Grouping
  readonly onChange: (next: UsageSearch) => void
}

function UsageFilters({ search, by, onChange }: UsageFiltersProps) {
  return (
    <FilterForm
      label="Filter usage"
      onClear={search.span === undefined ? null : () => onChange({ span: undefined, from: undefined, to: undefined })}
      actions={<GroupingSelect by={by} onChange={(next) => onChange({ by: next })} />}
    >
      <RangePicker range={search} onChange={onChange} />
    </FilterForm>
  )
}

interface UsageReportProps {
  readonly usage: GroupedUsage
  readonly by: Grouping
  readonly scope: UsageScope
  readonly onOpen: (group: string) => void
  readonly onRange: (range: ChosenRange) => void
}

function UsageReport({ usage, by, scope, onOpen, onRange }: UsageReportProps) {
  const { totals, points, others, bucket, from, to } = usage
  const groups = groupSums(points)
  const shown = groups.slice(0, tones.length).map(({ group }) => group)
  const names = useGroupNames({ by, scope }, shown)
  const more = groups.length - shown.length
  const series: readonly ChartSeries[] = [
    ...shown.map((_, index) => ({ name: names[index] ?? '…', tone: tones[index] ?? ('muted' as const) })),
    ...(more > 0 ? [{ name: others.length > 0 ? 'all others' : `${more} more`, tone: 'muted' as const }] : []),
  ]
  const stacked = (valueOf: (point: UsagePoint) => number) =>
    stackedPoints({ points, others, shown, from, to, bucketMs: bucket.ms, valueOf })
  const chart = {
    kind: 'bar' as const,
    series,
    formatValue: compactText,
    formatTime: (at: number) => bucketText(at, bucket),
    onChoose: onRange,
  }
  return (
    <>
      <Tiles>
        <Tile name="Requests" value={wholeText(totals.requests)} />
        <Tile name="Errors" value={wholeText(totals.errors)} note={percentText(totals.errors / totals.requests)} />
        <Tile name="Tokens in" value={compactText(totals.prompt_tokens)} />
        <Tile name="Tokens out" value={compactText(totals.completion_tokens)} />
      </Tiles>
      <ChartGrid>
        <Chart {...chart} title="Requests" points={stacked((point) => point.requests)} />
        <Chart {...chart} title="Tokens" points={stacked((point) => point.prompt_tokens + point.completion_tokens)} />
      </ChartGrid>
      <GroupTable groups={groups} all={totals.requests} by={by} scope={scope} onOpen={onOpen} />
      {others.length > 0 && <p>These are the {topGroups} with the most requests. The CSV file has all.</p>}
    </>
  )
}

/** The overview: requests, errors, tokens, time to first token, and requests in flight. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { usageQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/button.tsx'
import { Chart } from '../../components/chart.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, countText, durationText } from '../../components/format.ts'
import { Select } from '../../components/input.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ChartGrid, RequestTiles, Tile } from '../../components/tile.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { ReachedBudgets } from '../budgets/budget-overview.tsx'
import { spans, type Span } from '../search.ts'
import { meanFirstTokenMs, usagePoints } from './buckets.ts'
import { Inflight } from './inflight.tsx'

const route = getRouteApi('/shell/')

const spanOptions = {
  hour: { label: 'Last hour', spanMs: 3_600_000, bucket: 'minute', bucketMs: 60_000 },
  day: { label: 'Last 24 hours', spanMs: 86_400_000, bucket: 'hour', bucketMs: 3_600_000 },
  week: { label: 'Last 7 days', spanMs: 7 * 86_400_000, bucket: 'hour', bucketMs: 3_600_000 },
  month: { label: 'Last 30 days', spanMs: 30 * 86_400_000, bucket: 'day', bucketMs: 86_400_000 },
} as const

const hours = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const daysAndHours = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export function OverviewPage() {
  const isAdmin = useIsAdmin()
  const navigate = route.useNavigate()
  const span: Span = route.useSearch().span ?? 'day'
  return (
    <>
      <PageHeader
        title="Overview"
        description={isAdmin ? 'All usage of this server.' : 'Your usage of this server.'}
        actions={
          <Select
            aria-label="Time range"
            value={span}
            onChange={(event) => {
              const chosen = spans.find((each) => each === event.target.value)
              void navigate({ search: chosen === undefined || chosen === 'day' ? {} : { span: chosen }, replace: true })
            }}
          >
            {spans.map((each) => (
              <option key={each} value={each}>
                {spanOptions[each].label}
              </option>
            ))}
          </Select>
        }
      />
      <ReachedBudgets />
      <UsageReport span={span} isAdmin={isAdmin} />
    </>
  )
}

function UsageReport({ span, isAdmin }: { readonly span: Span; readonly isAdmin: boolean }) {
  const option = spanOptions[span]
  const usage = useQuery(usageQuery(isAdmin ? 'everyone' : 'self', option))
  if (usage.error !== null) return <ErrorNotice error={asApiError(usage.error)} onRetry={() => void usage.refetch()} />
  if (usage.data === undefined) return <Skeleton lines={8} label="Loading usage" />
  const { totals } = usage.data
  if (totals.requests === 0) return <NoRequests label={option.label} />
  const firstTokenMs = meanFirstTokenMs(totals)
  const points = usagePoints(usage.data, option.bucketMs)
  const formatTime = (at: number): string =>
    (span === 'month' ? days : span === 'hour' ? hours : daysAndHours).format(at)
  const time = { formatTime, formatValue: compactText, kind: 'bar' as const }
  return (
    <>
      <RequestTiles totals={totals}>
        <Tile
          name="Tokens"
          value={compactText(totals.prompt_tokens + totals.completion_tokens)}
          note={`${compactText(totals.prompt_tokens)} in, ${compactText(totals.completion_tokens)} out`}
        />
        {firstTokenMs === null ? (
          <Tile name="Mean duration" value={durationText(totals.duration_ms / totals.requests)} />
        ) : (
          <Tile
            name="Time to first token"
            value={durationText(firstTokenMs)}
            note={`mean of ${countText(totals.first_tokens, 'stream')}`}
          />
        )}
      </RequestTiles>
      <ChartGrid>
        <Chart
          {...time}
          title="Requests"
          series={[
            { name: 'answered', tone: 'accent' },
            { name: 'errors', tone: 'danger' },
          ]}
          points={points.map(({ at, sums }) => ({ at, values: [sums.requests - sums.errors, sums.errors] }))}
        />
        <Chart
          {...time}
          title="Tokens"
          series={[
            { name: 'in', tone: 'muted' },
            { name: 'out', tone: 'accent' },
          ]}
          points={points.map(({ at, sums }) => ({ at, values: [sums.prompt_tokens, sums.completion_tokens] }))}
        />
        {firstTokenMs !== null && (
          <Chart
            {...time}
            title="Time to first token"
            kind="line"
            series={[{ name: 'mean', tone: 'accent' }]}
            points={points.map(({ at, sums }) => ({ at, values: [meanFirstTokenMs(sums)] }))}
            formatValue={durationText}
          />
        )}
        {isAdmin && <Inflight />}
      </ChartGrid>
    </>
  )
}

function NoRequests({ label }: { readonly label: string }) {
  return (
    <EmptyState
      icon="chart"
      title={`No requests in the ${label.toLowerCase()}`}
      action={
        <Link to="/welcome" className={buttonClass('primary')}>
          Send a first request
        </Link>
      }
    >
      Requests appear here about a second after they end.
    </EmptyState>
  )
}

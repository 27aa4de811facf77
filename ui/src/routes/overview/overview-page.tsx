/**
 * The overview: what was asked, what failed, what it cost and how fast it was, against the time before; who asked most,
 * what runs now, and how the providers are doing. Everything leads to the list behind it.
 */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { usageQuery, type UsageScope } from '../../api/queries.ts'
import type { UsageTotals } from '../../api/schema.d.ts'
import { buttonClass } from '../../components/button.tsx'
import { Chart } from '../../components/chart.tsx'
import type { ChosenRange } from '../../components/chart-props.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, countText, durationText, percentText, wholeText } from '../../components/format.ts'
import { Select } from '../../components/input.tsx'
import { moneyText } from '../../components/money.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ChartGrid, Tile, Tiles } from '../../components/tile.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { ReachedBudgets } from '../budgets/budget-overview.tsx'
import { changeText } from '../cost/months.ts'
import { spans, type Span } from '../search.ts'
import { customRange } from '../time-range.ts'
import { meanFirstTokenMs, usagePoints, type Sums, type UsageSeries } from './buckets.ts'
import { Inflight } from './inflight.tsx'
import { LatestErrors } from './latest-errors.tsx'
import { ProviderStates } from './provider-states.tsx'
import { totalsBeforeQuery } from './queries.ts'
import { TopGroups } from './top-groups.tsx'

const route = getRouteApi('/shell/')

const spanOptions = {
  hour: { label: 'Last hour', before: 'the hour before', spanMs: 3_600_000, bucket: 'minute', bucketMs: 60_000 },
  day: { label: 'Last 24 hours', before: 'the day before', spanMs: 86_400_000, bucket: 'hour', bucketMs: 3_600_000 },
  week: {
    label: 'Last 7 days',
    before: 'the week before',
    spanMs: 7 * 86_400_000,
    bucket: 'hour',
    bucketMs: 3_600_000,
  },
  month: {
    label: 'Last 30 days',
    before: 'the 30 days before',
    spanMs: 30 * 86_400_000,
    bucket: 'day',
    bucketMs: 86_400_000,
  },
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

interface UsageReportProps {
  readonly span: Span
  readonly isAdmin: boolean
}

function UsageReport({ span, isAdmin }: UsageReportProps) {
  const option = spanOptions[span]
  const scope = isAdmin ? 'everyone' : 'self'
  const usage = useQuery(usageQuery(scope, option))
  if (usage.error !== null) return <ErrorNotice error={asApiError(usage.error)} onRetry={() => void usage.refetch()} />
  if (usage.data === undefined) return <Skeleton lines={8} label="Loading usage" />
  const { totals } = usage.data
  if (totals.requests === 0) return <NoRequests label={option.label} />
  const top = { scope, span, option, currency: totals.currency } as const
  return (
    <>
      <TotalTiles totals={totals} scope={scope} span={span} />
      <ChartGrid>
        <Charts series={usage.data} span={span} />
        <TopGroups by="model" {...top} />
        {isAdmin && <TopGroups by="user" {...top} />}
        <TopGroups by="key" {...top} />
        {isAdmin && <Inflight />}
        {isAdmin && <ProviderStates />}
        <LatestErrors scope={scope} span={span} spanMs={option.spanMs} />
      </ChartGrid>
    </>
  )
}

interface TotalTilesProps {
  readonly totals: UsageTotals
  readonly scope: UsageScope
  readonly span: Span
}

/** The figures of the time range, against those of the one before. Each leads to what it counts. */
function TotalTiles({ totals, scope, span }: TotalTilesProps) {
  const { spanMs, before: name } = spanOptions[span]
  const before = useQuery(totalsBeforeQuery(scope, spanMs)).data
  const change = (now: number, then: number | undefined): string | undefined => {
    const text = changeText(now, then ?? 0)
    return text === null ? undefined : `${text} than ${name}`
  }
  const firstTokenMs = meanFirstTokenMs(totals)
  return (
    <Tiles>
      <Tile
        name={
          <Link to="/requests" search={{ span }}>
            Requests
          </Link>
        }
        value={wholeText(totals.requests)}
        note={change(totals.requests, before?.requests)}
      />
      <Tile
        name={
          <Link to="/requests" search={{ span, status: 'error' }}>
            Errors
          </Link>
        }
        value={wholeText(totals.errors)}
        note={errorText(totals, before)}
      />
      <Tile
        name={
          <Link to="/usage" search={{ span }}>
            Tokens
          </Link>
        }
        value={compactText(totals.prompt_tokens + totals.completion_tokens)}
        note={`${compactText(totals.prompt_tokens)} in, ${compactText(totals.completion_tokens)} out`}
      />
      {totals.cost > 0 && (
        <Tile
          name={
            <Link to="/cost" search={{ span }}>
              Cost
            </Link>
          }
          value={moneyText(totals.cost, totals.currency)}
          note={change(totals.cost, before?.cost)}
        />
      )}
      {firstTokenMs === null ? (
        <Tile name="Mean duration" value={durationText(totals.duration_ms / totals.requests)} />
      ) : (
        <Tile
          name="Time to first token"
          value={durationText(firstTokenMs)}
          note={`mean of ${countText(totals.first_tokens, 'stream')}`}
        />
      )}
    </Tiles>
  )
}

function errorText(now: Sums, before: Sums | undefined): string {
  const share = percentText(now.errors / now.requests)
  return before === undefined || before.requests === 0
    ? share
    : `${share}, ${percentText(before.errors / before.requests)} before`
}

function Charts({ series, span }: { readonly series: UsageSeries; readonly span: Span }) {
  const points = usagePoints(series, spanOptions[span].bucketMs)
  const formatTime = (at: number): string =>
    (span === 'month' ? days : span === 'hour' ? hours : daysAndHours).format(at)
  const navigate = route.useNavigate()
  const onChoose = (range: ChosenRange): void =>
    void navigate({ to: '/requests', search: customRange(range.from, range.to) })
  const time = { formatTime, formatValue: compactText, kind: 'bar' as const, onChoose }
  return (
    <>
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
      {points.some(({ sums }) => meanFirstTokenMs(sums) !== null) && (
        <Chart
          {...time}
          title="Time to first token"
          kind="line"
          series={[{ name: 'mean', tone: 'accent' }]}
          points={points.map(({ at, sums }) => ({ at, values: [meanFirstTokenMs(sums)] }))}
          formatValue={durationText}
        />
      )}
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

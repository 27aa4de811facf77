/**
 * The overview: what was asked, what failed, what it cost and how fast it was, against the time before; who asked most,
 * what runs now, and how the providers are doing. Everything leads to the list behind it.
 */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { usageQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Select } from '../../components/input.tsx'
import { IdlePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ChartGrid } from '../../components/tile.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { ReachedBudgets } from '../budgets/budget-overview.tsx'
import { spans, type Span } from '../search.ts'
import { GuideCard } from '../welcome/guide-card.tsx'
import { Inflight } from './inflight.tsx'
import { spanOptions } from './span-options.ts'
import { TopGroups } from './top-groups.tsx'
import { TotalTiles } from './total-tiles.tsx'
import { UsageCharts } from './usage-charts.tsx'

// The last of the page, below the first window of most screens.
const ProviderStates = lazyPart(() => import('./provider-states.tsx'), 'ProviderStates')
const LatestErrors = lazyPart(() => import('./latest-errors.tsx'), 'LatestErrors')

const route = getRouteApi('/shell/')

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
      <GuideCard />
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
        <UsageCharts series={usage.data} scope={scope} span={span} />
        <TopGroups by="model" {...top} />
        {isAdmin && <TopGroups by="user" {...top} />}
        <TopGroups by="key" {...top} />
        {isAdmin && <Inflight />}
        <IdlePart whileLoading={<Skeleton lines={5} label="Loading the latest errors" />}>
          {isAdmin && <ProviderStates span={span} />}
          <LatestErrors scope={scope} span={span} spanMs={option.spanMs} />
        </IdlePart>
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

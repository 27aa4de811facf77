/** The page of costs by model, user, key or group: month against month, a table, a CSV file, and the budgets. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { BudgetOverview } from '../budgets/budget-overview.tsx'
import { RangePicker } from '../range-picker.tsx'
import type { UsageSearch } from '../search.ts'
import { downloadUsage } from '../usage/download-usage.ts'
import { groupingFor, GroupingSelect } from '../usage/grouping-select.tsx'
import { groupedUsageQuery, type GroupedUsage } from '../usage/queries.ts'
import styles from './cost-page.module.css'
import { customRange } from '../time-range.ts'
import { CostReport } from './cost-report.tsx'
import { UnknownPrices } from './unknown-prices.tsx'

const route = getRouteApi('/shell/cost')

const standard = 'this_month'

export function CostPage() {
  const isAdmin = useIsAdmin()
  const scope: UsageScope = isAdmin ? 'everyone' : 'self'
  const { by: asked, ...given } = route.useSearch()
  const by = groupingFor(asked, isAdmin)
  const range = { ...given, span: given.span ?? standard }
  const navigate = route.useNavigate()
  const change = (next: UsageSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const usage = useQuery(groupedUsageQuery(scope, { range, by, weight: 'cost' }))
  const exporting = useMutation({ mutationFn: (data: GroupedUsage) => downloadUsage('cost', data, scope) })
  return (
    <>
      <PageHeader
        title="Cost"
        description={
          isAdmin ? 'What the requests of all users cost.' : 'What your requests cost, with all of your keys.'
        }
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
      <FilterForm
        label="Filter costs"
        onClear={given.span === undefined ? null : () => change({ span: undefined, from: undefined, to: undefined })}
        actions={<GroupingSelect by={by} onChange={(next) => change({ by: next })} />}
      >
        <RangePicker range={given} standard={standard} onChange={change} />
      </FilterForm>
      <div className={styles.stack}>
        {usage.error !== null && <ErrorNotice error={asApiError(usage.error)} onRetry={() => void usage.refetch()} />}
        {exporting.error !== null && <ErrorNotice error={asApiError(exporting.error)} />}
        <UnknownPrices />
        {usage.isPending && <Skeleton lines={8} label="Loading costs" />}
        {usage.data !== undefined && usage.data.totals.requests === 0 && (
          <EmptyState
            icon="coins"
            title="No requests in this time range"
            action={<Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>}
          >
            Costs appear here about a second after a request ends.
          </EmptyState>
        )}
        {usage.data !== undefined && usage.data.totals.requests > 0 && (
          <CostReport
            usage={usage.data}
            range={range}
            scope={scope}
            onRange={({ from, to }) =>
              void navigate({ search: (before) => ({ ...before, ...customRange(from, to) }), replace: true })
            }
            onOpen={(group) => void navigate({ to: '/requests', search: { ...range, [by]: group } })}
          />
        )}
        <BudgetOverview />
      </div>
    </>
  )
}

/** Single requests: who asked what, which provider answered, after how many attempts and how fast. Never what was said. */
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { UsageReach } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import type { RequestsSearch } from '../search.ts'
import { requestsQuery } from './queries.ts'
import { RequestDetails } from './request-details.tsx'
import { isFiltered, RequestFilters } from './request-filters.tsx'
import { RequestTable, type ListedRequest } from './request-table.tsx'

const route = getRouteApi('/shell/requests')
/** The same object for a record each time: a row that stays is not rendered again when the next page comes. */
const listedRecords = new WeakMap<RequestRecord, ListedRequest>()

function listed(record: RequestRecord, place: number): ListedRequest {
  const known = listedRecords.get(record)
  if (known !== undefined) return known
  const request = { ...record, place }
  listedRecords.set(record, request)
  return request
}

export function RequestsPage() {
  const reach: UsageReach = useIsAdmin() ? 'everyone' : 'self'
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (next: RequestsSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { list, items, fetchMore } = useItems(requestsQuery(reach, search))
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, refetch } = list
  const [opened, setOpened] = useState<ListedRequest | null>(null)
  const rows = useMemo(() => items.map(listed), [items])
  return (
    <>
      <PageHeader
        title="Requests"
        description={
          reach === 'self'
            ? 'Your requests, the newest first. What was asked and answered is not kept.'
            : 'Everybody’s requests, the newest first. What was asked and answered is not kept.'
        }
        actions={
          <Button busy={isFetching && !isFetchingNextPage} onClick={() => void refetch()}>
            <Icon name="retry" />
            Refresh
          </Button>
        }
      />
      <RequestFilters search={search} reach={reach} onChange={change} />
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={8} label="Loading requests" />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          icon="list"
          title={isFiltered(search) ? 'No request matches' : 'No requests in this time range'}
          action={<Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>}
        >
          A request shows up here a second after it has ended; press Refresh to look again.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <RequestTable
          requests={rows}
          withUser={reach === 'everyone'}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
          onOpen={setOpened}
        />
      )}
      {opened !== null && <RequestDetails request={opened} reach={reach} onClose={() => setOpened(null)} />}
    </>
  )
}

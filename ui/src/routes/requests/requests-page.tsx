/** Single requests: who asked what, which provider answered, after how many attempts and how fast. Never what was said. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { useNames } from '../../api/names.ts'
import type { UsageReach } from '../../api/queries.ts'
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
import { RequestFilters } from './request-filters.tsx'
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

const noFilter: RequestsSearch = { model: undefined, user: undefined, key: undefined, status: undefined }

export function RequestsPage() {
  const reach: UsageReach = useIsAdmin() ? 'everyone' : 'self'
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (next: RequestsSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const list = useInfiniteQuery(requestsQuery(reach, search))
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = list
  const [opened, setOpened] = useState<ListedRequest | null>(null)
  const userName = useNames('user', reach)
  const keyName = useNames('key', reach)
  const rows = useMemo(() => (data?.pages.flatMap((page) => page.data) ?? []).map(listed), [data])
  const fetchMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const isFiltered = [search.model, search.user, search.key, search.status].some((value) => value !== undefined)
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
      <RequestFilters search={search} reach={reach} userName={userName} keyName={keyName} onChange={change} />
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={8} label="Loading requests" />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          icon="list"
          title={isFiltered ? 'No request matches' : 'No requests in this span of time'}
          action={
            isFiltered ? (
              <Button onClick={() => change(noFilter)}>Clear the filters</Button>
            ) : (
              <Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>
            )
          }
        >
          A request shows up here a second after it has ended; press Refresh to look again.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <RequestTable
          requests={rows}
          withUser={reach === 'everyone'}
          userName={userName}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
          onOpen={setOpened}
        />
      )}
      {opened !== null && (
        <RequestDetails
          request={opened}
          userName={userName(opened.user_id)}
          keyName={keyName(opened.key_id)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

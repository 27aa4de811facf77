/** The page of requests: user, model, provider, attempts and timing, but no content. */
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Switch } from '../../components/switch.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import type { RequestsSearch } from '../search.ts'
import { liveCount, requestsQuery } from './queries.ts'
import { RequestDetails } from './request-details.tsx'
import { isFiltered, RequestFilters } from './request-filters.tsx'
import styles from './requests-page.module.css'
import { RequestTable, type ListedRequest } from './request-table.tsx'
import { useLiveRequests } from './use-live-requests.ts'

const route = getRouteApi('/shell/requests')
/** Keeps one object per record, so that a new page does not render existing rows again. */
const listedRecords = new WeakMap<RequestRecord, ListedRequest>()

/** A row keeps its name while newer ones arrive above it: its time and id, which are counted where they are the same. */
function listed(records: readonly RequestRecord[]): readonly ListedRequest[] {
  const seen = new Map<string, number>()
  return records.map((record) => {
    const name = `${record.at} ${record.request_id}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    const known = listedRecords.get(record)
    if (known !== undefined) return known
    const request = { ...record, place: `${name} ${count}` }
    listedRecords.set(record, request)
    return request
  })
}

export function RequestsPage() {
  const scope: UsageScope = useIsAdmin() ? 'everyone' : 'self'
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (next: RequestsSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { list, items, fetchMore } = useItems(requestsQuery(scope, search))
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, refetch } = list
  const [opened, setOpened] = useState<ListedRequest | null>(null)
  const [isLive, setLive] = useState(false)
  const live = useLiveRequests(isLive, scope, search)
  const rows = useMemo(() => listed(live.records ?? items), [live.records, items])
  return (
    <>
      <PageHeader
        title="Requests"
        description={
          scope === 'self'
            ? 'Your requests, newest first. Prompts and answers are not stored.'
            : 'The requests of all users, newest first. Prompts and answers are not stored.'
        }
        actions={
          <>
            <Switch
              label="Live"
              checked={isLive}
              onChange={(on) => {
                setLive(on)
                // The list goes on with what was seen live.
                if (!on) void refetch()
              }}
            />
            <Button busy={isFetching && !isFetchingNextPage} disabled={isLive} onClick={() => void refetch()}>
              <Icon name="retry" />
              Refresh
            </Button>
          </>
        }
      />
      <RequestFilters search={search} scope={scope} onChange={change} />
      {isLive && <LiveNote error={live.error} />}
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={8} label="Loading requests" />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          icon="list"
          title={isFiltered(search) ? 'No request matches' : 'No requests in this time range'}
          action={<Button onClick={() => change({ span: 'month' })}>Show the last 30 days</Button>}
        >
          Requests appear here about a second after they end{isLive ? '.' : '. Press Refresh to look again.'}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <RequestTable
          requests={rows}
          withUser={scope === 'everyone'}
          hasMore={live.records === null && hasNextPage}
          onEndNear={fetchMore}
          onOpen={setOpened}
        />
      )}
      {opened !== null && <RequestDetails request={opened} scope={scope} onClose={() => setOpened(null)} />}
    </>
  )
}

function LiveNote({ error }: { readonly error: Error | null }) {
  return (
    <p role="status" className={styles.live}>
      {error === null
        ? `Live: the ${liveCount} newest by arrival; each appears when it ends.`
        : `Live: nothing comes at the moment. ${error.message} The console tries again by itself.`}
    </p>
  )
}

/** The page of the audit log: who changed what, and who signed in. */
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { AuditRow } from '../../api/schema.d.ts'
import { useItems } from '../../api/use-items.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, SelectFilter, TextFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { CellName } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { RangePicker } from '../range-picker.tsx'
import type { AuditSearch } from '../search.ts'
import { AuditDetails } from './audit-details.tsx'
import { actionText, withoutBegun } from './audit-words.ts'
import { auditQuery, standardSpan } from './queries.ts'

const route = getRouteApi('/shell/audit')

const outcomes = [
  ['done', 'Done'],
  ['refused', 'Refused'],
  ['failed', 'Failed'],
  ['begun', 'Begun'],
] as const satisfies readonly (readonly [AuditRow['outcome'], string])[]

const tones: Readonly<Record<AuditRow['outcome'], BadgeTone>> = {
  done: 'success',
  refused: 'warning',
  failed: 'danger',
  begun: 'neutral',
}

const columns: readonly Column<AuditRow>[] = [
  { id: 'action', header: 'What', min: 190, narrow: 120, grow: 1, cell: (row) => <CellName name={actionText(row)} /> },
  { id: 'actor', header: 'Who', min: 180, grow: 1, priority: 2, cell: ({ actor }) => actor || '–' },
  {
    id: 'outcome',
    header: 'Outcome',
    min: 96,
    priority: 3,
    cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge>,
  },
  { id: 'address', header: 'From', min: 120, priority: 4, cell: ({ address }) => address || '–' },
  { id: 'time', header: 'When', min: 128, cell: ({ at }) => <RelativeTime at={at} /> },
]

const noFilter: AuditSearch = { actor: undefined, record: undefined, outcome: undefined }

export function AuditPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (next: AuditSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { list, items, fetchMore } = useItems(auditQuery(search))
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, refetch } = list
  const [opened, setOpened] = useState<AuditRow | null>(null)
  const rows = useMemo(() => (search.outcome === 'begun' ? items : withoutBegun(items)), [items, search.outcome])
  const isFiltered = [search.actor, search.record, search.outcome].some((value) => value !== undefined)
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, and who signed in, newest first. Each row is chained to the one before by a hash."
        actions={
          <Button busy={isFetching && !isFetchingNextPage} onClick={() => void refetch()}>
            <Icon name="retry" />
            Refresh
          </Button>
        }
      />
      <FilterForm label="Filter the audit log" onClear={isFiltered ? () => change(noFilter) : null}>
        <RangePicker range={search} standard={standardSpan} onChange={change} />
        <TextFilter
          label="E-mail address"
          placeholder="Whole e-mail address"
          value={search.actor}
          onChange={(actor) => change({ actor })}
        />
        <TextFilter
          label="Record"
          placeholder="Record, such as /users/…"
          value={search.record}
          onChange={(record) => change({ record })}
        />
        <SelectFilter
          label="Outcome"
          all="All outcomes"
          options={outcomes}
          value={search.outcome}
          onChange={(outcome) => change({ outcome })}
        />
      </FilterForm>
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={8} label="Loading the audit log" />}
      {data !== undefined && rows.length === 0 && !hasNextPage && (
        <EmptyState icon="list" title={isFiltered ? 'No row matches' : 'Nothing in this time range'}>
          Changes and sign-ins appear here when they have ended.
        </EmptyState>
      )}
      {(rows.length > 0 || hasNextPage) && (
        <DataTable
          label="Audit log"
          columns={columns}
          rows={rows}
          rowId={({ seq }) => String(seq)}
          rowName={(row) => actionText(row)}
          onOpen={setOpened}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
        />
      )}
      {opened !== null && (
        <AuditDetails
          row={opened}
          onRecord={(record) => {
            setOpened(null)
            change({ ...noFilter, record })
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

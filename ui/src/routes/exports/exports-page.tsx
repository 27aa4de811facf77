/** The page of exports: files of usage and cost, their state, and a restatement. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { UsageExport } from '../../api/schema.d.ts'
import { useItems } from '../../api/use-items.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { byteText, wholeText } from '../../components/format.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { CellName } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { exportsQuery } from './queries.ts'

export function ExportsPage() {
  const { list, items, fetchMore } = useItems(exportsQuery)
  const { data, error, isPending, hasNextPage, refetch } = list
  const queryClient = useQueryClient()
  const restate = useMutation({
    mutationFn: (id: string) => api('POST /admin/api/v1/exports/{id}/restate', { params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: resource.exports }),
  })
  const { mutate } = restate
  const columns = useMemo(() => [...facts, actionColumn(mutate)], [mutate])
  return (
    <>
      <PageHeader
        title="Exports"
        description="Usage and cost of each day or month as files. A restatement is a version of its own; earlier files stay."
      />
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {restate.error !== null && <ErrorNotice error={asApiError(restate.error)} />}
      {isPending && <Skeleton lines={6} label="Loading exports" />}
      {data !== undefined && items.length === 0 && (
        <EmptyState
          icon="download"
          title="Nothing was exported yet"
          action={
            <Link to="/settings" search={{ q: 'exports' }} className={buttonClass()}>
              Go to the settings
            </Link>
          }
        >
          The setting exports.schedule has usage and cost written to files, daily or monthly.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Exports"
          columns={columns}
          rows={items}
          rowId={({ id }) => id}
          rowName={nameOf}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
        />
      )}
    </>
  )
}

/** "2026-01, version 2". */
function nameOf({ starts_at: from, time_zone: timeZone, period, version }: UsageExport): string {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(from))
  const label = period === 'month' ? date.slice(0, 7) : date
  return version === 1 ? label : `${label}, version ${version}`
}

const facts: readonly Column<UsageExport>[] = [
  { id: 'period', header: 'Period', min: 150, narrow: 110, grow: 1, cell: (row) => <CellName name={nameOf(row)} /> },
  {
    id: 'state',
    header: 'State',
    min: 96,
    narrow: 84,
    cell: ({ state, error }) => (
      <span title={error ?? undefined}>
        <Badge tone={error !== null ? 'danger' : state === 'done' ? 'success' : 'neutral'}>
          {error !== null ? 'failing' : state}
        </Badge>
      </span>
    ),
  },
  {
    id: 'rows',
    header: 'Rows',
    min: 80,
    align: 'end',
    priority: 3,
    cell: ({ rows }) => (rows === null ? '–' : wholeText(rows)),
  },
  {
    id: 'files',
    header: 'Files',
    min: 190,
    grow: 1,
    cell: ({ files }) =>
      files.map(({ format, name, url, bytes }, at) => (
        <span key={format}>
          {at > 0 && ', '}
          <a href={url} download={name} title={name}>
            {format} ({byteText(bytes)})
          </a>
        </span>
      )),
  },
  {
    id: 'made',
    header: 'Made',
    min: 110,
    priority: 2,
    cell: ({ finished_at: at }) => (at === null ? '–' : <RelativeTime at={at} />),
  },
]

function actionColumn(restate: (id: string) => void): Column<UsageExport> {
  return {
    id: 'restate',
    header: 'Restate',
    min: 110,
    priority: 1,
    cell: (row) =>
      row.state === 'done' && (
        <Button onClick={() => restate(row.id)} aria-label={`Restate ${nameOf(row)}`}>
          Restate
        </Button>
      ),
  }
}

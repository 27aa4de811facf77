/** The documents that belong to a user, the newest first. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { Document, User } from '../../api/schema.d.ts'
import { byteText } from '../../components/format.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RowLink } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'

function userDocumentsQuery(owner: string) {
  return infiniteQueryOptions({
    queryKey: [...resource.documents, 'of', owner],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/v1/documents', {
        query: { owner, limit: 100, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
}

const columns: readonly Column<Document>[] = [
  {
    id: 'name',
    header: 'Name',
    min: 240,
    narrow: 150,
    grow: 2,
    cell: ({ doc_id: id, name }) => (
      <RowLink name={name}>
        <Link to="/documents/$id" params={{ id }} />
      </RowLink>
    ),
  },
  { id: 'category', header: 'Category', min: 120, grow: 1, priority: 2, cell: ({ category }) => category },
  { id: 'state', header: 'State', min: 100, cell: ({ state }) => state },
  { id: 'size', header: 'Size', min: 90, align: 'end', priority: 3, cell: ({ bytes }) => byteText(bytes) },
  {
    id: 'created',
    header: 'Imported',
    min: 128,
    priority: 1,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
]

export function UserDocuments({ user }: { readonly user: User }) {
  const { list, items, fetchMore } = useItems(userDocumentsQuery(user.id))
  const { data, error, isPending, hasNextPage, refetch } = list
  return (
    <>
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={4} label="Loading documents" />}
      {data !== undefined && items.length === 0 && (
        <EmptyState icon="docs" title="No documents">
          No document belongs to {user.email}.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Documents"
          columns={columns}
          rows={items}
          rowId={({ doc_id: id }) => id}
          rowName={({ name }) => name}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
        />
      )}
    </>
  )
}

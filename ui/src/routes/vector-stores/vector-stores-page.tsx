/** The page of vector stores: those of the account, for OpenAI's tool `file_search` and for searches. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { useItems } from '../../api/use-items.ts'
import type { VectorStore } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { byteText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { CellName } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { rfc3339 } from '../batches/batch-figures.ts'
import { vectorStoresQuery } from './queries.ts'
import { StoreDialog } from './store-dialog.tsx'
import { filesText, StatusBadge, storeName } from './store-words.tsx'

export function VectorStoresPage() {
  const { list, items, fetchMore } = useItems(vectorStoresQuery)
  const [creating, setCreating] = useState(false)
  const navigate = useNavigate()
  const open = ({ id }: VectorStore): void => void navigate({ to: '/vector-stores/$id', params: { id } })
  return (
    <>
      <PageHeader
        title="Vector stores"
        description="Sets of files that programs search, and that models search with the tool file_search."
        actions={
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            New vector store
          </Button>
        }
      />
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} label="Loading vector stores" />}
      {list.data !== undefined && items.length === 0 && (
        <EmptyState icon="library" title="No vector stores yet">
          Create one with “New vector store”, or with client.vector_stores of an OpenAI SDK.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Vector stores"
          columns={columns}
          rows={items}
          rowId={({ id }) => id}
          rowName={storeName}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
          onOpen={open}
        />
      )}
      {creating && <StoreDialog store={null} onClose={() => setCreating(false)} onSaved={open} />}
    </>
  )
}

const columns: readonly Column<VectorStore>[] = [
  {
    id: 'name',
    header: 'Name',
    min: 300,
    narrow: 140,
    grow: 2,
    sortBy: storeName,
    cell: (store) => <CellName name={storeName(store)} detail={store.id} title={storeName(store)} />,
  },
  { id: 'status', header: 'Status', min: 112, narrow: 104, cell: (store) => <StatusBadge status={store.status} /> },
  { id: 'files', header: 'Files', min: 140, grow: 1, priority: 1, cell: filesText },
  {
    id: 'size',
    header: 'Size',
    min: 92,
    align: 'end',
    priority: 3,
    sortBy: ({ usage_bytes: bytes }) => bytes,
    cell: ({ usage_bytes: bytes }) => byteText(bytes),
  },
  {
    id: 'active',
    header: 'Last used',
    min: 128,
    priority: 2,
    sortBy: ({ last_active_at: at }) => at,
    cell: ({ last_active_at: at }) => <RelativeTime at={rfc3339(at)} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    min: 128,
    priority: 4,
    cell: ({ expires_at: at }) => <RelativeTime at={at === null ? null : rfc3339(at)} />,
  },
]

/** The files in a vector store: added from this machine, taken out, and why one could not be read. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { VectorStore, VectorStoreFile } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { byteText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { MenuItem } from '../../components/menu.tsx'
import { Panel } from '../../components/panel.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { CellName } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { addFile, fileQuery, storeFilesQuery } from './queries.ts'
import { StatusBadge } from './store-words.tsx'

export function StoreFiles({ store }: { readonly store: VectorStore }) {
  const queryClient = useQueryClient()
  const { list, items, fetchMore } = useItems(storeFilesQuery(store.id))
  const [removed, setRemoved] = useState<VectorStoreFile | null>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const adding = useMutation({
    mutationFn: async (files: readonly File[]) => {
      // One after the other: each is one whole upload.
      for (const file of files) await addFile(store.id, file)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: resource.vectorStores }),
  })
  const actions = menuColumn<VectorStoreFile>((file) => (
    <RowMenu name={file.id}>
      <MenuItem onSelect={() => setRemoved(file)}>Take out…</MenuItem>
    </RowMenu>
  ))
  return (
    <Panel
      title="Files"
      actions={
        <>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label="Files to add"
            onChange={({ target }) => {
              adding.mutate([...(target.files ?? [])])
              target.value = ''
            }}
          />
          <Button
            busy={adding.isPending}
            disabled={store.status === 'expired'}
            onClick={() => chooser.current?.click()}
          >
            <Icon name="upload" />
            Add files
          </Button>
        </>
      }
    >
      {adding.error !== null && <ErrorNotice error={asApiError(adding.error)} />}
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={3} label="Loading the files" />}
      {list.data !== undefined && items.length === 0 && (
        <EmptyState icon="docs" title="No files yet">
          Add some with “Add files”. They are read, cut and embedded as documents are.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Files of the vector store"
          columns={[...columns, actions]}
          rows={items}
          rowId={({ id }) => id}
          rowName={({ id }) => id}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
        />
      )}
      {removed !== null && <TakeOut store={store} file={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  )
}

function FileName({ id }: { readonly id: string }) {
  const { data } = useQuery(fileQuery(id))
  return <CellName name={data?.filename ?? id} detail={id} title={data?.filename ?? id} />
}

const columns: readonly Column<VectorStoreFile>[] = [
  { id: 'name', header: 'File', min: 220, narrow: 124, grow: 2, cell: ({ id }) => <FileName id={id} /> },
  {
    id: 'status',
    header: 'Status',
    min: 120,
    narrow: 104,
    grow: 1,
    cell: ({ status, last_error: error }) => (
      <span title={error?.message}>
        <StatusBadge status={status} /> {error?.message}
      </span>
    ),
  },
  {
    id: 'attributes',
    header: 'Attributes',
    min: 120,
    grow: 1,
    priority: 2,
    cell: ({ attributes }) =>
      Object.entries(attributes ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
  },
  {
    id: 'size',
    header: 'Size',
    min: 88,
    align: 'end',
    priority: 1,
    cell: ({ usage_bytes: bytes }) => byteText(bytes),
  },
]

interface TakeOutProps {
  readonly store: VectorStore
  readonly file: VectorStoreFile
  readonly onClose: () => void
}

function TakeOut({ store, file, onClose }: TakeOutProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery(fileQuery(file.id))
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Take this file out of the vector store?"
      consequence="Its passages are not found any more. The file itself stays in your account."
      names={[data?.filename ?? file.id]}
      confirm="Take out"
      onConfirm={async () => {
        await api('DELETE /ai/v1/vector_stores/{id}/files/{file}', { params: { id: store.id, file: file.id } })
        await queryClient.invalidateQueries({ queryKey: resource.vectorStores })
        toast('Took the file out')
      }}
    />
  )
}

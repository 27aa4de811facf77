/** The files of the account: what was uploaded, and what batches have made. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { byteText } from '../../components/format.ts'
import { MenuItem } from '../../components/menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { CellName } from '../../components/row-name.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { rfc3339 } from './batch-figures.ts'
import { contentPath, filesQuery, type StoredFile } from './queries.ts'

export function FileTable() {
  const { list, items, fetchMore } = useItems(filesQuery)
  const [deleted, setDeleted] = useState<StoredFile | null>(null)
  const actions = menuColumn<StoredFile>((file) => (
    <RowMenu name={file.filename}>
      <MenuItem onSelect={() => save(file)}>Download</MenuItem>
      <MenuItem onSelect={() => setDeleted(file)}>Delete…</MenuItem>
    </RowMenu>
  ))
  return (
    <>
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} label="Loading files" />}
      {list.data !== undefined && items.length === 0 && (
        <EmptyState icon="docs" title="No files yet">
          Files that you upload for batches, and what batches make of them, appear here.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Files"
          columns={[...columns, actions]}
          rows={items}
          rowId={({ id }) => id}
          rowName={({ filename }) => filename}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
        />
      )}
      {deleted !== null && <DeleteFile file={deleted} onClose={() => setDeleted(null)} />}
    </>
  )
}

const columns: readonly Column<StoredFile>[] = [
  {
    id: 'name',
    header: 'File',
    min: 400,
    narrow: 118,
    grow: 2,
    sortBy: ({ filename }) => filename,
    cell: ({ filename, id }) => <CellName name={filename} detail={id} title={filename} />,
  },
  { id: 'purpose', header: 'Purpose', min: 120, priority: 2, cell: ({ purpose }) => purpose.replace('_', ' ') },
  {
    id: 'size',
    header: 'Size',
    min: 92,
    align: 'end',
    sortBy: ({ bytes }) => bytes,
    cell: ({ bytes }) => byteText(bytes),
  },
  {
    id: 'created',
    header: 'Created',
    min: 128,
    priority: 1,
    sortBy: ({ created_at: at }) => at,
    cell: ({ created_at: at }) => <RelativeTime at={rfc3339(at)} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    min: 128,
    priority: 3,
    cell: ({ expires_at: at }) => <RelativeTime at={at === undefined ? null : rfc3339(at)} />,
  },
]

function save({ id, filename }: StoredFile): void {
  const link = document.createElement('a')
  link.href = contentPath(id)
  link.download = filename
  link.click()
}

function DeleteFile({ file, onClose }: { readonly file: StoredFile; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this file?"
      consequence="Its bytes are removed. This cannot be undone. A file that a running batch needs stays."
      names={[file.filename]}
      confirm="Delete file"
      onConfirm={async () => {
        await api('DELETE /ai/v1/files/{id}', { params: { id: file.id } })
        await queryClient.invalidateQueries({ queryKey: resource.files })
        toast('Deleted the file')
      }}
    />
  )
}

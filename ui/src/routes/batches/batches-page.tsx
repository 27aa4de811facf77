/** The page of batches: begin one from a file, follow it, save what it made; and the files of the account. */
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { toast } from '../../components/toast.tsx'
import { BatchDetails } from './batch-details.tsx'
import { batchName } from './batch-figures.ts'
import { BatchTable } from './batch-table.tsx'
import { FileTable } from './file-table.tsx'
import { NewBatchDialog } from './new-batch-dialog.tsx'
import { batchesQuery, type Batch } from './queries.ts'

const route = getRouteApi('/shell/batches')

export function BatchesPage() {
  const { tab = 'batches', batch: openId } = route.useSearch()
  const navigate = route.useNavigate()
  const [creating, setCreating] = useState(false)
  const open = (batch: string | undefined): void => void navigate({ search: { batch } })
  return (
    <>
      <PageHeader
        title="Batches"
        description="Files of requests that run when there is room beside live ones."
        actions={
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            New batch
          </Button>
        }
      />
      <Tabs
        label="Batches and files"
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next === 'files' ? 'files' : undefined } })}
        tabs={[
          { value: 'batches', label: 'Batches', content: <BatchList openId={openId} onOpen={open} /> },
          { value: 'files', label: 'Files', content: <FileTable /> },
        ]}
      />
      {creating && (
        <NewBatchDialog
          onClose={() => setCreating(false)}
          onBegun={({ id }) => {
            setCreating(false)
            open(id)
          }}
        />
      )}
    </>
  )
}

interface BatchListProps {
  /** The batch whose details are open. */
  readonly openId: string | undefined
  readonly onOpen: (id: string | undefined) => void
}

function BatchList({ openId, onOpen }: BatchListProps) {
  const { list, items, fetchMore } = useItems(batchesQuery)
  const [cancelled, setCancelled] = useState<Batch | null>(null)
  const opened = items.find(({ id }) => id === openId)
  return (
    <>
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} label="Loading batches" />}
      {list.data !== undefined && items.length === 0 && (
        <EmptyState icon="layers" title="No batches yet">
          Begin one with “New batch”, or with client.batches of an OpenAI SDK.
        </EmptyState>
      )}
      {items.length > 0 && (
        <BatchTable
          batches={items}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
          onOpen={({ id }) => onOpen(id)}
          onCancel={setCancelled}
        />
      )}
      {opened !== undefined && cancelled === null && (
        <BatchDetails batch={opened} onClose={() => onOpen(undefined)} onCancel={setCancelled} />
      )}
      {cancelled !== null && <CancelBatch batch={cancelled} onClose={() => setCancelled(null)} />}
    </>
  )
}

function CancelBatch({ batch, onClose }: { readonly batch: Batch; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Cancel this batch?"
      consequence="No more of its lines begin. What is done stays, and can be saved."
      names={[batchName(batch)]}
      confirm="Cancel batch"
      onConfirm={async () => {
        await api('POST /ai/v1/batches/{id}/cancel', { params: { id: batch.id } })
        await queryClient.invalidateQueries({ queryKey: resource.batches })
        toast('The batch is cancelled')
      }}
    />
  )
}

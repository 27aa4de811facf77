/** The page of sources: the places that documents are kept in step with, and what their last runs did. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Source } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { sourcesQuery } from './queries.ts'
import { SourceTable, type SourceAction } from './source-table.tsx'

const SourceDialog = lazyPart(() => import('./source-dialog.tsx'), 'SourceDialog')
const LastRun = lazyPart(() => import('./run-dialogs.tsx'), 'LastRun')
const DryRun = lazyPart(() => import('./run-dialogs.tsx'), 'DryRun')

type Opened = { readonly kind: 'add' } | { readonly kind: SourceAction; readonly id: string }

export function SourcesPage() {
  const { data, error, isPending, refetch } = useQuery(sourcesQuery)
  const [opened, setOpened] = useState<Opened | null>(null)
  const onClose = (): void => setOpened(null)
  const source = opened === null || opened.kind === 'add' ? undefined : data?.find(({ id }) => id === opened.id)
  return (
    <>
      <PageHeader
        title="Sources"
        description="Sluice keeps documents in step with these buckets, folders, repositories and sites."
        actions={
          <Button variant="primary" onClick={() => setOpened({ kind: 'add' })}>
            <Icon name="plus" />
            Add source
          </Button>
        }
      />
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading sources" />}
      {data?.length === 0 && (
        <EmptyState icon="folder" title="No sources yet">
          Add a bucket, a WebDAV folder, a Git repository or a site. New, changed and deleted files then reach the
          documents by themselves.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <SourceTable sources={data} onAction={(kind, { id }) => setOpened({ kind, id })} />
      )}
      <LatePart onClose={onClose}>
        {opened?.kind === 'add' && <SourceDialog source={null} onClose={onClose} />}
        {opened !== null && opened.kind !== 'add' && source !== undefined && (
          <OpenedDialog kind={opened.kind} source={source} onClose={onClose} />
        )}
      </LatePart>
    </>
  )
}

interface OpenedDialogProps {
  readonly kind: SourceAction
  readonly source: Source
  readonly onClose: () => void
}

function OpenedDialog({ kind, source, onClose }: OpenedDialogProps) {
  if (kind === 'edit') return <SourceDialog source={source} onClose={onClose} />
  if (kind === 'last-run') return <LastRun source={source} onClose={onClose} />
  if (kind === 'dry-run') return <DryRun source={source} onClose={onClose} />
  return <DeleteSource source={source} onClose={onClose} />
}

function DeleteSource({ source, onClose }: Omit<OpenedDialogProps, 'kind'>) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this source?"
      consequence="Its documents stay with their user and are no longer kept in step. This cannot be undone."
      confirm="Delete source"
      names={[source.name]}
      onConfirm={async () => {
        await api('DELETE /admin/api/v1/sources/{id}', { params: { id: source.id }, of: source })
        await queryClient.invalidateQueries({ queryKey: resource.sources })
        toast('Deleted the source')
      }}
    />
  )
}

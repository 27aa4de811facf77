/** The table of sources, with the actions on each. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Source } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { wholeText } from '../../components/format.ts'
import { MenuItem } from '../../components/menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { CellName } from '../../components/row-name.tsx'
import { toast } from '../../components/toast.tsx'

/** What the page opens for a source. */
export type SourceAction = 'last-run' | 'dry-run' | 'edit' | 'delete'

export interface SourceTableProps {
  readonly sources: readonly Source[]
  readonly onAction: (action: SourceAction, source: Source) => void
}

export function SourceTable({ sources, onAction }: SourceTableProps) {
  return (
    <DataTable
      label="Sources"
      columns={[...columns, menuColumn<Source>((source) => <Actions source={source} onAction={onAction} />)]}
      rows={sources}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      onOpen={(source) => onAction('last-run', source)}
    />
  )
}

/** What people call the kinds. */
export const kindNames: Readonly<Record<Source['kind'], string>> = {
  s3: 'S3',
  webdav: 'WebDAV',
  git: 'Git',
  sitemap: 'Site',
}

const columns: readonly Column<Source>[] = [
  {
    id: 'name',
    header: 'Name',
    min: 240,
    narrow: 136,
    grow: 2,
    sortBy: ({ name }) => name,
    cell: ({ name, url }) => <CellName name={name} detail={url} title={url} />,
  },
  { id: 'kind', header: 'Kind', min: 88, priority: 4, sortBy: ({ kind }) => kind, cell: ({ kind }) => kindNames[kind] },
  { id: 'state', header: 'State', min: 104, priority: 1, cell: (source) => <State source={source} /> },
  {
    id: 'counts',
    header: 'Last run',
    min: 200,
    grow: 1,
    priority: 3,
    cell: ({ last_run: last }) => (last === null ? '–' : <span title={countsText(last)}>{countsText(last)}</span>),
  },
  {
    id: 'ended',
    header: 'Ended',
    min: 128,
    priority: 5,
    cell: ({ last_run: last }) => (last === null ? '–' : <RelativeTime at={last.ended_at} />),
  },
  {
    id: 'next',
    header: 'Next run',
    min: 128,
    priority: 2,
    cell: ({ enabled, next_run_at: at }) => (enabled ? <RelativeTime at={at} /> : '–'),
  },
]

function State({ source: { enabled, running_since: since, last_run: last } }: { readonly source: Source }) {
  if (since !== null) return <Badge tone="accent">running</Badge>
  if (!enabled) return <Badge>paused</Badge>
  if (last === null) return <Badge>waiting</Badge>
  if (last.outcome === 'failed') return <Badge tone="danger">failed</Badge>
  return last.failed > 0 ? <Badge tone="warning">with errors</Badge> : <Badge tone="success">in step</Badge>
}

/** What a run did, without what it did not. */
export function countsText({ imported, moved, deleted, failed, unchanged }: NonNullable<Source['last_run']>): string {
  const counts = { imported, moved, deleted, failed, unchanged }
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.length === 0 ? 'no files' : some.map(([what, count]) => `${wholeText(count)} ${what}`).join(', ')
}

interface ActionsProps {
  readonly source: Source
  readonly onAction: SourceTableProps['onAction']
}

function Actions({ source, onAction }: ActionsProps) {
  const queryClient = useQueryClient()
  const params = { id: source.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: resource.sources })
  const onError = (thrown: unknown): void => toast(asApiError(thrown).message)
  const run = useMutation({
    mutationFn: () => api('POST /admin/api/v1/sources/{id}/run', { params }),
    onSuccess: async () => {
      await refresh()
      toast('The source is looked at next')
    },
    onError,
  })
  const pause = useMutation({
    mutationFn: () =>
      api('PATCH /admin/api/v1/sources/{id}', { params, body: { enabled: !source.enabled }, of: source }),
    onSuccess: refresh,
    onError,
  })
  return (
    <RowMenu name={source.name}>
      <MenuItem onSelect={() => onAction('last-run', source)}>Last run…</MenuItem>
      {source.enabled && <MenuItem onSelect={() => run.mutate()}>Run now</MenuItem>}
      <MenuItem onSelect={() => onAction('dry-run', source)}>Dry run…</MenuItem>
      <MenuItem onSelect={() => onAction('edit', source)}>Edit…</MenuItem>
      <MenuItem onSelect={() => pause.mutate()}>{source.enabled ? 'Pause' : 'Resume'}</MenuItem>
      <MenuItem onSelect={() => onAction('delete', source)}>Delete…</MenuItem>
    </RowMenu>
  )
}

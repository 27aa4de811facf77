/** The table of endpoints, with the actions on each. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Webhook } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { MenuItem } from '../../components/menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { CellName } from '../../components/row-name.tsx'
import { toast } from '../../components/toast.tsx'
import { eventsText } from './event-types.ts'

/** What the page opens for an endpoint. */
export type WebhookAction = 'edit' | 'rotate' | 'log' | 'delete' | 'switch-off'

export interface WebhookTableProps {
  readonly webhooks: readonly Webhook[]
  readonly onAction: (action: WebhookAction, webhook: Webhook) => void
}

export function WebhookTable({ webhooks, onAction }: WebhookTableProps) {
  return (
    <DataTable
      label="Webhooks"
      columns={[...columns, menuColumn<Webhook>((webhook) => <Actions webhook={webhook} onAction={onAction} />)]}
      rows={webhooks}
      rowId={({ id }) => id}
      rowName={({ url }) => url}
      onOpen={(webhook) => onAction('log', webhook)}
    />
  )
}

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Address',
    min: 260,
    narrow: 216,
    grow: 2,
    sortBy: ({ url }) => url,
    cell: ({ url, description }) => <CellName name={url} detail={description} title={url} />,
  },
  { id: 'state', header: 'State', min: 110, priority: 1, cell: (webhook) => <State webhook={webhook} /> },
  {
    id: 'events',
    header: 'Events',
    min: 160,
    grow: 1,
    priority: 3,
    cell: ({ types }) => <span title={eventsText(types)}>{eventsText(types)}</span>,
  },
  {
    id: 'failing',
    header: 'Failing since',
    min: 128,
    priority: 2,
    cell: ({ failing_since: at }) => (at === null ? '–' : <RelativeTime at={at} />),
  },
]

function State({
  webhook: { enabled, disabled_reason: reason, failing_since: failing },
}: {
  readonly webhook: Webhook
}) {
  if (enabled) return failing === null ? <Badge tone="success">on</Badge> : <Badge tone="warning">failing</Badge>
  if (reason === 'gone') return <Badge tone="danger">off: gone</Badge>
  return reason === 'failing' ? <Badge tone="danger">off: failed</Badge> : <Badge>off</Badge>
}

interface ActionsProps {
  readonly webhook: Webhook
  readonly onAction: WebhookTableProps['onAction']
}

function Actions({ webhook, onAction }: ActionsProps) {
  const queryClient = useQueryClient()
  const params = { id: webhook.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: resource.webhooks })
  const onError = (thrown: unknown): void => toast(asApiError(thrown).message)
  const test = useMutation({
    mutationFn: () => api('POST /admin/api/v1/webhooks/{id}/test', { params }),
    onSuccess: ({ delivered, status, error }) =>
      toast(delivered ? `The test arrived: status ${status}` : `The test failed: ${error ?? `status ${status}`}`),
    onError,
  })
  const switchOn = useMutation({
    mutationFn: () => api('PATCH /admin/api/v1/webhooks/{id}', { params, body: { enabled: true }, of: webhook }),
    onSuccess: refresh,
    onError,
  })
  return (
    <RowMenu name={webhook.url}>
      <MenuItem onSelect={() => onAction('log', webhook)}>Deliveries…</MenuItem>
      <MenuItem onSelect={() => test.mutate()}>Send a test event</MenuItem>
      <MenuItem onSelect={() => onAction('edit', webhook)}>Edit…</MenuItem>
      <MenuItem onSelect={() => onAction('rotate', webhook)}>New secret…</MenuItem>
      {webhook.enabled ? (
        <MenuItem onSelect={() => onAction('switch-off', webhook)}>Switch off…</MenuItem>
      ) : (
        <MenuItem onSelect={() => switchOn.mutate()}>Switch on</MenuItem>
      )}
      <MenuItem onSelect={() => onAction('delete', webhook)}>Delete…</MenuItem>
    </RowMenu>
  )
}

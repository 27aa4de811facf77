/** The page of webhooks: where events are sent, whether they arrive, and what was sent. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Webhook } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { webhooksQuery } from './queries.ts'
import { RotateSecret, ShowWebhookSecret } from './secret-dialog.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookTable, type WebhookAction } from './webhook-table.tsx'

type Opened =
  | { readonly kind: 'add' }
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: WebhookAction; readonly webhook: Webhook }

export function WebhooksPage() {
  const { data, error, isPending, refetch } = useQuery(webhooksQuery)
  const [opened, setOpened] = useState<Opened | null>(null)
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Sluice sends events to these addresses: a document is ready, a budget is nearly spent, a provider is down."
        actions={
          <Button variant="primary" onClick={() => setOpened({ kind: 'add' })}>
            <Icon name="plus" />
            Add webhook
          </Button>
        }
      />
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading webhooks" />}
      {data?.length === 0 && (
        <EmptyState icon="upload" title="No webhooks yet">
          Add the address of a program that should hear of events. Its secret is shown once.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <WebhookTable webhooks={data} onAction={(kind, webhook) => setOpened({ kind, webhook })} />
      )}
      {opened !== null && <OpenedDialog opened={opened} onOpen={setOpened} />}
    </>
  )
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly onOpen: (next: Opened | null) => void
}

function OpenedDialog({ opened, onOpen }: OpenedDialogProps) {
  const onClose = (): void => onOpen(null)
  const showSecret = ({ secret }: { readonly secret: string }): void => onOpen({ kind: 'secret', secret })
  if (opened.kind === 'secret') return <ShowWebhookSecret secret={opened.secret} onClose={onClose} />
  if (opened.kind === 'add') return <WebhookDialog webhook={null} onClose={onClose} onAdded={showSecret} />
  const { kind, webhook } = opened
  if (kind === 'edit') return <WebhookDialog webhook={webhook} onClose={onClose} onAdded={showSecret} />
  if (kind === 'rotate') return <RotateSecret webhook={webhook} onClose={onClose} onRotated={showSecret} />
  if (kind === 'log') return <DeliveryLog webhook={webhook} onClose={onClose} />
  return <ConfirmChange kind={kind} webhook={webhook} onClose={onClose} />
}

const changes = {
  delete: {
    title: 'Delete this webhook?',
    consequence: 'Its log is deleted, too. Events that wait for it are not sent. This cannot be undone.',
    confirm: 'Delete webhook',
  },
  'switch-off': {
    title: 'Switch this webhook off?',
    consequence: 'Events that wait for it fail. They can be sent again after you switch it on.',
    confirm: 'Switch off',
  },
} as const

interface ConfirmChangeProps {
  readonly kind: keyof typeof changes
  readonly webhook: Webhook
  readonly onClose: () => void
}

function ConfirmChange({ kind, webhook, onClose }: ConfirmChangeProps) {
  const { id, url } = webhook
  const queryClient = useQueryClient()
  const params = { id }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      {...changes[kind]}
      names={[url]}
      onConfirm={async () => {
        await (kind === 'delete'
          ? api('DELETE /admin/api/v1/webhooks/{id}', { params, of: webhook })
          : api('PATCH /admin/api/v1/webhooks/{id}', { params, body: { enabled: false }, of: webhook }))
        await queryClient.invalidateQueries({ queryKey: resource.webhooks })
        toast(kind === 'delete' ? 'Deleted the webhook' : 'Switched the webhook off')
      }}
    />
  )
}

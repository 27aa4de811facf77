/** The deliveries of an endpoint: what came of the last attempt, the body, and sending one again. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { Webhook, WebhookDelivery } from '../../api/schema.d.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { deliveriesQuery, type DeliveryState } from './queries.ts'

export interface DeliveryLogProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

export function DeliveryLog({ webhook, onClose }: DeliveryLogProps) {
  const [opened, setOpened] = useState<WebhookDelivery | null>(null)
  const [state, setState] = useState<DeliveryState>()
  const { list, items, fetchMore } = useItems(deliveriesQuery(webhook.id, state))
  if (opened !== null) return <Delivery webhook={webhook} delivery={opened} onClose={() => setOpened(null)} />
  return (
    <Dialog open size="large" onClose={onClose} title="Deliveries" description={webhook.url}>
      <Field label="State">
        <Select value={state ?? ''} onChange={(event) => setState(states.find((each) => each === event.target.value))}>
          <option value="">All</option>
          {states.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
      </Field>
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={4} label="Loading deliveries" />}
      {list.data !== undefined && items.length === 0 && (
        <EmptyState icon="list" title="No deliveries">
          Events that are sent to this address appear here.
        </EmptyState>
      )}
      {items.length > 0 && (
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={items}
          rowId={({ id }) => id}
          rowName={({ type }) => type}
          onOpen={setOpened}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
        />
      )}
    </Dialog>
  )
}

const states: readonly DeliveryState[] = ['waiting', 'delivered', 'failed']
const tones: Readonly<Record<DeliveryState, BadgeTone>> = { waiting: 'warning', delivered: 'success', failed: 'danger' }

const columns: readonly Column<WebhookDelivery>[] = [
  { id: 'type', header: 'Event', min: 150, narrow: 110, grow: 1, cell: ({ type }) => <code>{type}</code> },
  {
    id: 'state',
    header: 'State',
    min: 96,
    cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
  },
  { id: 'status', header: 'Status', min: 80, priority: 3, cell: ({ status }) => status ?? '–' },
  { id: 'reason', header: 'Reason', min: 160, grow: 1, priority: 4, cell: ({ error }) => error ?? '–' },
  { id: 'time', header: 'Created', min: 128, priority: 2, cell: ({ created_at: at }) => <RelativeTime at={at} /> },
]

interface DeliveryProps extends DeliveryLogProps {
  readonly delivery: WebhookDelivery
}

/** One delivery. Only one that has ended can be sent again. */
function Delivery({ webhook, delivery, onClose }: DeliveryProps) {
  const queryClient = useQueryClient()
  async function replay(): Promise<void> {
    const params = { id: webhook.id, deliveryId: delivery.id }
    await api('POST /admin/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params })
    await queryClient.invalidateQueries({ queryKey: resource.webhooks })
    toast('The event is sent again')
    onClose()
  }
  const details = (
    <>
      <Facts>
        <Fact name="State">{delivery.state}</Fact>
        <Fact name="Status">{delivery.status ?? 'No answer'}</Fact>
        <Fact name="Reason">{delivery.error ?? '–'}</Fact>
        <Fact name="Attempts">{delivery.attempts}</Fact>
        <Fact name="Created">
          <RelativeTime at={delivery.created_at} />
        </Fact>
      </Facts>
      <CodeBlock language="JSON" code={indented(delivery.payload)} landmark={false} />
    </>
  )
  if (delivery.state === 'waiting') {
    return (
      <Dialog
        open
        size="large"
        title={delivery.type}
        onClose={onClose}
        actions={<Button onClick={onClose}>Back</Button>}
      >
        {details}
      </Dialog>
    )
  }
  return (
    <FormDialog
      size="large"
      title={delivery.type}
      submitLabel="Send again"
      onBack={onClose}
      onClose={onClose}
      onSubmit={replay}
    >
      {details}
    </FormDialog>
  )
}

function indented(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2)
  } catch {
    return payload
  }
}

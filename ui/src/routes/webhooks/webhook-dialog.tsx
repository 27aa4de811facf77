/** Adds an endpoint, or changes one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type AnswerOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Webhook } from '../../api/schema.d.ts'
import { CheckList } from '../../components/check-list.tsx'
import { FieldGroup } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { eventOptions, eventTypes } from './event-types.ts'

export interface WebhookDialogProps {
  /** The endpoint to change; null adds one. */
  readonly webhook: Webhook | null
  readonly onClose: () => void
  readonly onAdded: (added: AnswerOf<'POST /admin/api/v1/webhooks'>) => void
}

export function WebhookDialog({ webhook, onClose, onAdded }: WebhookDialogProps) {
  const queryClient = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set(webhook?.types ?? eventTypes))
  async function save(): Promise<void> {
    const body = {
      url: url.trim(),
      description: description.trim(),
      types: eventTypes.filter((type) => types.has(type)),
    }
    if (webhook === null) onAdded(await api('POST /admin/api/v1/webhooks', { body }))
    else {
      await api('PATCH /admin/api/v1/webhooks/{id}', { params: { id: webhook.id }, body, of: webhook })
      toast('Saved the webhook')
      onClose()
    }
    await queryClient.invalidateQueries({ queryKey: resource.webhooks })
  }
  return (
    <FormDialog
      title={webhook === null ? 'Add a webhook' : 'Edit the webhook'}
      submitLabel={webhook === null ? 'Add' : 'Save'}
      disabled={types.size === 0}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField
        label="Address"
        param="url"
        type="url"
        required
        value={url}
        hint="Events are sent here by POST. Use https."
        onChange={setUrl}
      />
      <TextField label="Description (optional)" param="description" value={description} onChange={setDescription} />
      <FieldGroup label="Events" param="types">
        <CheckList label="Events" options={eventOptions} chosen={types} onChange={setTypes} withAll />
      </FieldGroup>
    </FormDialog>
  )
}

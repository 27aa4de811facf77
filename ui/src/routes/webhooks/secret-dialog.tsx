/** Gives an endpoint a new secret, and shows a secret once. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type AnswerOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Webhook } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { NumberField } from '../../components/text-field.tsx'

type WithSecret = AnswerOf<'POST /admin/api/v1/webhooks'>

/** Shows the secret of an endpoint. Only its button closes the dialog. */
export function ShowWebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      persistent
      onClose={onClose}
      title="The secret of the webhook"
      actions={
        <Button variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <Notice tone="warning">
        Copy the secret now. It cannot be shown again. The receiver verifies events with it.
      </Notice>
      <CodeBlock language="Secret" code={secret} landmark={false} />
    </Dialog>
  )
}

export interface RotateSecretProps {
  readonly webhook: Webhook
  readonly onClose: () => void
  readonly onRotated: (rotated: WithSecret) => void
}

/** Asks how long the secret before stays valid, and makes a new one. */
export function RotateSecret({ webhook: { id, url }, onClose, onRotated }: RotateSecretProps) {
  const queryClient = useQueryClient()
  const [hours, setHours] = useState('24')
  async function rotate(): Promise<void> {
    const body = { overlap_hours: Number(hours) }
    const rotated = await api('POST /admin/api/v1/webhooks/{id}/rotate', { params: { id }, body })
    await queryClient.invalidateQueries({ queryKey: resource.webhooks })
    onRotated(rotated)
  }
  return (
    <FormDialog title="Make a new secret" description={url} submitLabel="Rotate" onClose={onClose} onSubmit={rotate}>
      <NumberField
        label="Hours with both secrets"
        param="overlap_hours"
        required
        min={0}
        value={hours}
        hint="Events carry a signature of each until then, so that the receiver can change in between."
        onChange={setHours}
      />
    </FormDialog>
  )
}

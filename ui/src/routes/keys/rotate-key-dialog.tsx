/** The dialog that gives a key another secret: it asks how long the old one works on, and shows the new one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource, type KeyOwner } from '../../api/queries.ts'
import type { ApiKey } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/input.tsx'
import { ShowSecret } from './show-secret.tsx'

export interface RotateKeyDialogProps {
  readonly apiKey: ApiKey
  readonly owner: KeyOwner
  readonly onClose: () => void
}

/** Hours and labels. */
const overlaps = [
  ['0', 'Ends at once'],
  ['1', 'Works for another hour'],
  ['24', 'Works for another day'],
  ['168', 'Works for another week'],
  ['720', 'Works for another 30 days'],
] as const

export function RotateKeyDialog({ apiKey, owner, onClose }: RotateKeyDialogProps) {
  const queryClient = useQueryClient()
  const [overlap, setOverlap] = useState<string>('24')
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) return <ShowSecret apiKey={apiKey} secret={secret} onClose={onClose} />
  async function rotate(): Promise<void> {
    const request = { of: apiKey, params: { id: apiKey.id }, body: { overlap_hours: Number(overlap) } }
    const key = await (owner === 'self'
      ? api('POST /admin/api/v1/me/keys/{id}/rotate', request)
      : api('POST /admin/api/v1/keys/{id}/rotate', request))
    await queryClient.invalidateQueries({ queryKey: resource.keys })
    setSecret(key.secret)
  }
  return (
    <FormDialog onClose={onClose} title={`Rotate the key “${apiKey.name}”`} submitLabel="Rotate" onSubmit={rotate}>
      <p>The key gets another secret. Its name, scopes, limits, budgets and usage stay.</p>
      <Field label="The secret of now" hint="Give programs time to change over; end at once what has leaked.">
        <Select value={overlap} onChange={(event) => setOverlap(event.target.value)}>
          {overlaps.map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  )
}

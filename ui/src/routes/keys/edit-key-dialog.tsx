/** Changes an API key: its name, its end, what it may be used for. The secret stays. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource, type KeyOwner } from '../../api/queries.ts'
import type { ApiKey, ApiKeyChange } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/input.tsx'
import { NameFields } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { expiryOf, ExpiryField, keepExpiry } from './expiry-field.tsx'
import { isChosen, scopesOf, scopesOnWire, ScopeFields } from './scope-fields.tsx'

export interface EditKeyDialogProps {
  readonly apiKey: ApiKey
  readonly owner: KeyOwner
  readonly onClose: () => void
}

const priorities = [
  ['interactive', 'Interactive: before all others'],
  ['normal', 'Normal'],
  ['batch', 'Batch: when nothing else waits'],
] as const satisfies readonly (readonly [ApiKey['priority'], string])[]

export function EditKeyDialog({ apiKey, owner, onClose }: EditKeyDialogProps) {
  const queryClient = useQueryClient()
  const isAdmin = useIsAdmin()
  const [fields, setFields] = useState({ name: apiKey.name, description: apiKey.description })
  const [days, setDays] = useState<string>(keepExpiry)
  const [priority, setPriority] = useState(apiKey.priority)
  const [scopes, setScopes] = useState(() => scopesOf(apiKey))
  async function save(): Promise<void> {
    const body: ApiKeyChange = {
      name: fields.name.trim(),
      description: fields.description.trim(),
      ...(days !== keepExpiry && { expires_at: expiryOf(days) }),
      ...(priority !== apiKey.priority && { priority }),
      scopes: scopesOnWire(scopes),
    }
    const request = { of: apiKey, params: { id: apiKey.id }, body }
    await (owner === 'self'
      ? api('PATCH /admin/api/v1/me/keys/{id}', request)
      : api('PATCH /admin/api/v1/keys/{id}', request))
    await queryClient.invalidateQueries({ queryKey: resource.keys })
    toast(`Saved ${body.name}`)
    onClose()
  }
  const offered = priorities.filter(([each]) => isAdmin || each !== 'interactive' || each === apiKey.priority)
  return (
    <FormDialog
      onClose={onClose}
      title={`The key “${apiKey.name}”`}
      description={
        <>
          <code>{apiKey.prefix}</code> Changes apply to the next request.
        </>
      }
      submitLabel="Save"
      disabled={!isChosen(scopes)}
      onSubmit={save}
    >
      <NameFields {...fields} onChange={(change) => setFields({ ...fields, ...change })} />
      <ExpiryField value={days} now={apiKey.expires_at} onChange={setDays} />
      <Field label="Priority" param="priority" hint="Which of the requests that wait for a busy model goes first.">
        <Select
          value={priority}
          onChange={({ target }) => setPriority(offered.find(([each]) => each === target.value)?.[0] ?? priority)}
        >
          {offered.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <ScopeFields scopes={scopes} isOwn={owner === 'self'} onChange={setScopes} />
    </FormDialog>
  )
}

/** Creates an API key and shows its secret once. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type AnswerOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ShowSecret } from './show-secret.tsx'
import { NameFields } from '../../components/text-field.tsx'
import { expiryOf, ExpiryField } from './expiry-field.tsx'
import { isChosen, scopesOnWire, ScopeFields, usualScopes } from './scope-fields.tsx'

type CreatedApiKey = AnswerOf<'POST /admin/api/v1/me/keys'>

export interface CreateKeyDialogProps {
  readonly onClose: () => void
  /** The initial name. */
  readonly suggestedName?: string
  readonly onCreated?: () => void
  /** Whose key it is; the own one when left out. */
  readonly owner?: User | undefined
}

export function CreateKeyDialog({ onClose, suggestedName = '', onCreated, owner }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  if (created !== null) return <ShowSecret apiKey={created} secret={created.secret} onClose={onClose} />
  return (
    <CreateForm
      suggestedName={suggestedName}
      owner={owner}
      onClose={onClose}
      onCreated={(key) => {
        setCreated(key)
        onCreated?.()
      }}
    />
  )
}

interface CreateFormProps {
  readonly suggestedName: string
  readonly owner: User | undefined
  readonly onClose: () => void
  readonly onCreated: (key: CreatedApiKey) => void
}

function CreateForm({ suggestedName, owner, onClose, onCreated }: CreateFormProps) {
  const queryClient = useQueryClient()
  const [fields, setFields] = useState({ name: suggestedName, description: '' })
  const [days, setDays] = useState('')
  const [scopes, setScopes] = useState(usualScopes)
  async function create(): Promise<void> {
    const body = {
      name: fields.name.trim(),
      description: fields.description.trim(),
      expires_at: expiryOf(days),
      scopes: scopesOnWire(scopes),
    }
    const key = await (owner === undefined
      ? api('POST /admin/api/v1/me/keys', { body })
      : api('POST /admin/api/v1/users/{id}/keys', { params: { id: owner.id }, body }))
    await queryClient.invalidateQueries({ queryKey: resource.keys })
    onCreated(key)
  }
  return (
    <FormDialog
      onClose={onClose}
      title={owner === undefined ? 'Create an API key' : `Create an API key of ${owner.email}`}
      submitLabel="Create"
      disabled={!isChosen(scopes)}
      onSubmit={create}
    >
      <NameFields
        {...fields}
        nameHint="What the key is for, such as a program or a machine."
        onChange={(change) => setFields({ ...fields, ...change })}
      />
      <ExpiryField value={days} onChange={setDays} />
      <ScopeFields scopes={scopes} isOwn={owner === undefined} onChange={setScopes} />
    </FormDialog>
  )
}

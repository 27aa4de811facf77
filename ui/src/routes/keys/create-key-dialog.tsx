/** Creates an API key and shows its secret once. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type AnswerOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/input.tsx'
import { ShowSecret } from './show-secret.tsx'
import { NameFields } from '../../components/text-field.tsx'
import { scopesOnWire, ScopeFields, usualScopes } from './scope-fields.tsx'

type CreatedApiKey = AnswerOf<'POST /admin/api/v1/me/keys'>

export interface CreateKeyDialogProps {
  readonly onClose: () => void
  /** The initial name. */
  readonly suggestedName?: string
  readonly onCreated?: () => void
  /** Whose key it is; the own one when left out. */
  readonly owner?: User | undefined
}

const dayMs = 86_400_000
const lifetimes = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

export function CreateKeyDialog({ onClose, suggestedName = '', onCreated, owner }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  if (created !== null) return <ShowSecret name={created.name} secret={created.secret} onClose={onClose} />
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
      expires_at: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
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
      onSubmit={create}
    >
      <NameFields
        {...fields}
        nameHint="What the key is for, such as a program or a machine."
        onChange={(change) => setFields({ ...fields, ...change })}
      />
      <Field label="Expires" param="expires_at">
        <Select value={days} onChange={(event) => setDays(event.target.value)}>
          {lifetimes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <ScopeFields scopes={scopes} isOwn={owner === undefined} onChange={setScopes} />
    </FormDialog>
  )
}

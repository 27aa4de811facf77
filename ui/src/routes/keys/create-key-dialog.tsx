/** Creates an API key and then shows its secret: once, here, and nowhere else. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError, type ApiError } from '../../api/api-error.ts'
import { api, type BodyOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input, Select, Textarea } from '../../components/input.tsx'
import styles from './create-key-dialog.module.css'
import { scopesOnWire, ScopeFields, usualScopes } from './scope-fields.tsx'

type Creation = BodyOf<'POST /admin/api/v1/me/keys'>

export interface CreateKeyDialogProps {
  readonly onClose: () => void
  /** The name that is filled in. */
  readonly suggestedName?: string
  readonly onCreated?: () => void
}

const dayMs = 86_400_000
const lifetimes = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

export function CreateKeyDialog({ onClose, suggestedName = '', onCreated }: CreateKeyDialogProps) {
  const queryClient = useQueryClient()
  const creating = useMutation({
    mutationFn: (body: Creation) => api('POST /admin/api/v1/me/keys', { body }),
    onSuccess: () => {
      onCreated?.()
      return queryClient.invalidateQueries({ queryKey: resource.keys })
    },
    // The secret is kept no longer than it is shown.
    gcTime: 0,
  })
  if (creating.data !== undefined) {
    return <ShowSecret name={creating.data.name} secret={creating.data.secret} onClose={onClose} />
  }
  return (
    <CreateForm
      suggestedName={suggestedName}
      error={creating.error === null ? null : asApiError(creating.error)}
      busy={creating.isPending}
      onClose={onClose}
      onCreate={(body) => creating.mutate(body)}
    />
  )
}

interface CreateFormProps {
  readonly suggestedName: string
  readonly error: ApiError | null
  readonly busy: boolean
  readonly onClose: () => void
  readonly onCreate: (body: Creation) => void
}

function CreateForm({ suggestedName, error, busy, onClose, onCreate }: CreateFormProps) {
  const formId = useId()
  const [name, setName] = useState(suggestedName)
  const [description, setDescription] = useState('')
  const [days, setDays] = useState('')
  const [scopes, setScopes] = useState(usualScopes)
  const errorOf = (param: string): string | null => (error?.param === param ? error.message : null)
  const named = error !== null && ['name', 'description', 'expires_at'].includes(error.param ?? '')

  function submit(): void {
    onCreate({
      name: name.trim(),
      description: description.trim(),
      expires_at: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      scopes: scopesOnWire(scopes),
    })
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Create an API key"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={busy}>
            Create
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {error !== null && !named && <ErrorNotice error={error} />}
        <Field label="Name" hint="What the key is for: a program, a machine." error={errorOf('name')}>
          <Input
            value={name}
            required
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Description (optional)" error={errorOf('description')}>
          <Textarea
            rows={2}
            value={description}
            maxLength={2000}
            autoComplete="off"
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <Field label="Expires" error={errorOf('expires_at')}>
          <Select value={days} onChange={(event) => setDays(event.target.value)}>
            {lifetimes.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <ScopeFields scopes={scopes} onChange={setScopes} />
      </form>
    </Dialog>
  )
}

function ShowSecret({
  name,
  secret,
  onClose,
}: {
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}) {
  return (
    <Dialog
      open
      persistent
      onClose={onClose}
      title={`The key “${name}”`}
      actions={
        <Button variant="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <p className={styles.warning}>
        Copy the key now. It is shown this once: the server keeps only a digest of it, and nobody can show it again.
      </p>
      <div className={styles.secret}>
        <code data-testid="secret">{secret}</code>
      </div>
      <CopyButton text={secret} what="API key" variant="secondary">
        Copy the key
      </CopyButton>
    </Dialog>
  )
}

/** Sets the in-flight limit of an account for a model. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { allModelsQuery, resource } from '../../api/queries.ts'
import type { ModelRecord, OwnInflightLimit, User } from '../../api/schema.d.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { NumberField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { UserPicker } from '../users/user-picker.tsx'

/** Adds a limit for an account and a model. */
export function AddLimitDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: models = [] } = useQuery(allModelsQuery)
  const [user, setUser] = useState<User | null>(null)
  const [model, setModel] = useState<ModelRecord | null>(null)
  return (
    <LimitForm
      title="Add a limit"
      target={user === null || model === null ? null : { user_id: user.id, user: user.email, model_id: model.id }}
      onClose={onClose}
    >
      <Field label="Account">
        <UserPicker label="Account" value={user} onChange={setUser} />
      </Field>
      <Field label="Model">
        <Combobox
          label="Model"
          placeholder="Choose a model…"
          options={models.map(({ name, aliases }) => ({ value: name, keywords: aliases }))}
          value={model?.name ?? null}
          onChange={(name) => setModel(models.find((each) => each.name === name) ?? null)}
        />
      </Field>
    </LimitForm>
  )
}

export interface ChangeLimitDialogProps {
  readonly limit: OwnInflightLimit
  readonly onClose: () => void
}

export function ChangeLimitDialog({ limit, onClose }: ChangeLimitDialogProps) {
  return (
    <LimitForm title={`Limit of ${limit.user}`} target={limit} before={limit} onClose={onClose}>
      <p>
        Model: <code>{limit.model}</code>
      </p>
    </LimitForm>
  )
}

type Target = Pick<OwnInflightLimit, 'user_id' | 'user' | 'model_id'>

interface LimitFormProps {
  readonly title: string
  /** Null until account and model are chosen. */
  readonly target: Target | null
  /** The limit as it is; absent for a new one. */
  readonly before?: OwnInflightLimit
  readonly onClose: () => void
  readonly children: ReactNode
}

function LimitForm({ title, target, before, onClose, children }: LimitFormProps) {
  const queryClient = useQueryClient()
  const [count, setCount] = useState(String(before?.limit ?? ''))
  async function save(): Promise<void> {
    if (target === null) return
    await api('PUT /admin/api/v1/models/{id}/inflight-limits/{userId}', {
      params: { id: target.model_id, userId: target.user_id },
      body: { limit: Number(count) },
      of: before ?? null,
    })
    await queryClient.invalidateQueries({ queryKey: resource.settings })
    toast(`Set the limit of ${target.user}`)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description="The limit applies to the next request, while limits are enforced."
      submitLabel="Set limit"
      disabled={target === null}
      onSubmit={save}
    >
      {children}
      <NumberField
        label="Requests in flight"
        hint="At the same time, across all keys of the account."
        param="limit"
        required
        min={1}
        max={1_000_000}
        value={count}
        onChange={setCount}
      />
    </FormDialog>
  )
}

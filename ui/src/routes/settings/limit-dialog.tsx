/** Sets an account's own in-flight limit for a model. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allModelsQuery, resource } from '../../api/queries.ts'
import type { ModelRecord, OwnInflightLimit, User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { toast } from '../../components/toast.tsx'
import { UserPicker } from '../users/user-picker.tsx'
import styles from './limits.module.css'

/** For an account and a model that are chosen here. */
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
    <LimitForm title={`Limit of ${limit.user}`} target={limit} before={limit.limit} onClose={onClose}>
      <p>
        Model: <code>{limit.model}</code>
      </p>
    </LimitForm>
  )
}

type Target = Pick<OwnInflightLimit, 'user_id' | 'user' | 'model_id'>

interface LimitFormProps {
  readonly title: string
  /** Null while it is not chosen. */
  readonly target: Target | null
  /** The limit as it is. */
  readonly before?: number
  readonly onClose: () => void
  readonly children: ReactNode
}

function LimitForm({ title, target, before, onClose, children }: LimitFormProps) {
  const formId = useId()
  const [count, setCount] = useState(String(before ?? ''))
  const saving = useSetLimit(onClose)
  const error = saving.error === null ? null : asApiError(saving.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description="It counts while limits are enforced, from the next request on."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={target === null}>
            Set limit
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (target !== null) saving.mutate({ target, limit: Number(count) })
        }}
      >
        {error !== null && error.param !== 'limit' && <ErrorNotice error={error} />}
        {children}
        <Field
          label="Requests in flight"
          hint="At the same time, over all keys of the account."
          error={error?.param === 'limit' ? error.message : null}
        >
          <Input
            type="number"
            required
            min={1}
            max={1_000_000}
            step={1}
            value={count}
            onChange={(event) => setCount(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}

function useSetLimit(onSet: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ target, limit }: { readonly target: Target; readonly limit: number }) =>
      api('PUT /admin/api/v1/models/{id}/inflight-limits/{userId}', {
        params: { id: target.model_id, userId: target.user_id },
        body: { limit },
      }),
    async onSuccess(_, { target }) {
      await queryClient.invalidateQueries({ queryKey: resource.settings })
      toast(`Set the limit of ${target.user}`)
      onSet()
    },
  })
}

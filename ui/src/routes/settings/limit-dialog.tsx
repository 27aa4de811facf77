/** Sets an account's own in-flight limit for a model. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
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

export interface LimitDialogProps {
  /** The one that is changed; null for a new one. */
  readonly limit: OwnInflightLimit | null
  readonly onClose: () => void
}

interface Target {
  readonly user: User | null
  readonly model: ModelRecord | null
}

export function LimitDialog({ limit, onClose }: LimitDialogProps) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [target, setTarget] = useState<Target>({ user: null, model: null })
  const [count, setCount] = useState(String(limit?.limit ?? ''))
  const userId = limit?.user_id ?? target.user?.id
  const modelId = limit?.model_id ?? target.model?.id
  const saving = useMutation({
    mutationFn: (params: { readonly id: string; readonly userId: string }) =>
      api('PUT /admin/api/v1/models/{id}/inflight-limits/{userId}', { params, body: { limit: Number(count) } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: resource.settings })
      toast(`Set the limit of ${limit?.user ?? target.user?.email ?? 'the account'}`)
      onClose()
    },
  })
  const error = saving.error === null ? null : asApiError(saving.error)
  const complete = userId !== undefined && modelId !== undefined
  return (
    <Dialog
      open
      onClose={onClose}
      title={limit === null ? 'Add a limit' : `Limit of ${limit.user}`}
      description="It counts while limits are enforced, from the next request on."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={!complete}>
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
          if (complete) saving.mutate({ id: modelId, userId })
        }}
      >
        {error !== null && error.param !== 'limit' && <ErrorNotice error={error} />}
        {limit === null ? <TargetFields target={target} onChange={setTarget} /> : <p>Model: {limit.model}</p>}
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

interface TargetFieldsProps {
  readonly target: Target
  readonly onChange: (target: Target) => void
}

function TargetFields({ target, onChange }: TargetFieldsProps) {
  const { data: models = [] } = useQuery(allModelsQuery)
  return (
    <>
      <Field label="Account">
        <UserPicker label="Account" value={target.user} onChange={(user) => onChange({ ...target, user })} />
      </Field>
      <Field label="Model">
        <Combobox
          label="Model"
          placeholder="Choose a model…"
          options={models.map(({ name, aliases }) => ({ value: name, keywords: aliases }))}
          value={target.model?.name ?? null}
          onChange={(name) => onChange({ ...target, model: models.find((model) => model.name === name) ?? null })}
        />
      </Field>
    </>
  )
}

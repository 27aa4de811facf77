/** Changes what is known of a user, and the groups. Only what was changed is sent. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { User, UserChange } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { toast } from '../../components/toast.tsx'
import { everyoneId } from '../groups/queries.ts'
import { refreshUsers } from './queries.ts'
import { changeGroups, UserFields, userParams, type UserDraft } from './user-fields.tsx'
import styles from './user-fields.module.css'

export function EditUserDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const formId = useId()
  const queryClient = useQueryClient()
  const ownGroups = user.groups.filter((id) => id !== everyoneId)
  const [draft, setDraft] = useState<UserDraft>({ ...user, groups: new Set(ownGroups) })
  const saving = useMutation({
    async mutationFn() {
      const body = changeOf(user, draft)
      if (Object.keys(body).length > 0) await api('PATCH /admin/api/v1/users/{id}', { params: { id: user.id }, body })
      await changeGroups(user.id, ownGroups, draft.groups)
    },
    onSettled: () => refreshUsers(queryClient),
    onSuccess() {
      toast(`Saved ${draft.email.trim()}`)
      onClose()
    },
  })
  const error = saving.error === null ? null : asApiError(saving.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={user.email}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate()
        }}
      >
        {error !== null && !userParams.includes(error.param ?? '') && <ErrorNotice error={error} />}
        <UserFields draft={draft} onChange={setDraft} error={error} declared={user.declared} />
      </form>
    </Dialog>
  )
}

function changeOf(user: User, draft: UserDraft): UserChange {
  const [email, name] = [draft.email.trim(), draft.name.trim()]
  return {
    ...(email !== user.email && { email }),
    ...(name !== user.name && { name }),
    ...(draft.role !== user.role && { role: draft.role }),
  }
}

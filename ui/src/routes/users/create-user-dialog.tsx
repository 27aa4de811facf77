/** Creates a user, with groups and, if wished, a first password. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { toast } from '../../components/toast.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { refreshUsers } from './queries.ts'
import { changeGroups, UserFields, userParams, type UserDraft } from './user-fields.tsx'
import styles from './user-fields.module.css'

const empty: UserDraft = { email: '', name: '', role: 'user', groups: new Set() }

export function CreateUserDialog({ onClose }: { readonly onClose: () => void }) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(empty)
  const [password, setPassword] = useState('')
  // A second try after a failed membership goes on with the user that was made.
  const made = useRef<string | null>(null)
  const creating = useMutation({
    async mutationFn() {
      const { email, name, role, groups } = draft
      const body = { email: email.trim(), name: name.trim(), role, ...(password !== '' && { password }) }
      made.current ??= (await api('POST /admin/api/v1/users', { body })).id
      await changeGroups(made.current, [], groups)
    },
    onSettled: () => refreshUsers(queryClient),
    onSuccess() {
      toast(`Created ${draft.email.trim()}`)
      onClose()
    },
  })
  const error = creating.error === null ? null : asApiError(creating.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create a user"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={creating.isPending}>
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
          creating.mutate()
        }}
      >
        {error !== null && !userParams.includes(error.param ?? '') && <ErrorNotice error={error} />}
        <UserFields draft={draft} onChange={setDraft} error={error} />
        <NewPasswordField
          label="Password (optional)"
          hint="At least 8 characters. Without one the user cannot sign in here, but keys work."
          error={error?.param === 'password' ? error.message : null}
          value={password}
          onChange={setPassword}
        />
      </form>
    </Dialog>
  )
}

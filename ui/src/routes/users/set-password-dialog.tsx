/** Sets a user's password, or takes it away. Either ends all sessions of the user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { toast } from '../../components/toast.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { refreshUsers } from './queries.ts'

export function SetPasswordDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  const saving = useMutation({
    mutationFn: (next: string | null) =>
      api('POST /admin/api/v1/users/{id}/password', { params: { id: user.id }, body: { password: next } }),
    async onSuccess(_, next) {
      await refreshUsers(queryClient)
      toast(next === null ? `${user.email} has no password now` : `Set the password of ${user.email}`)
      onClose()
    },
    // A password is kept no longer than it is needed.
    gcTime: 0,
  })
  const error = saving.error === null ? null : asApiError(saving.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Password of ${user.email}`}
      description="All sessions of the user end at once. API keys go on working."
      actions={
        <>
          {user.has_password && (
            <Button busy={saving.isPending} onClick={() => saving.mutate(null)}>
              Remove the password
            </Button>
          )}
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending}>
            Set password
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate(password)
        }}
      >
        <NewPasswordField
          label="New password"
          hint="At least 8 characters. Copy it now: nobody can read it afterwards."
          error={error?.param === 'password' ? error.message : null}
          required
          value={password}
          onChange={setPassword}
        />
      </form>
      {error !== null && error.param !== 'password' && <ErrorNotice error={error} />}
    </Dialog>
  )
}

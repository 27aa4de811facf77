/** Sets or removes a user's password. Both end all sessions of the user. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { refreshUsers } from './queries.ts'

export function SetPasswordDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const [password, setPassword] = useState('')
  async function save(next: string | null): Promise<void> {
    await api('POST /admin/api/v1/users/{id}/password', { params: { id: user.id }, body: { password: next } })
    await refreshUsers(queryClient)
    toast(next === null ? `Removed the password of ${user.email}` : `Set the password of ${user.email}`)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={`Password of ${user.email}`}
      description="All sessions of the user end at once. API keys continue to work."
      submitLabel="Set password"
      onSubmit={() => save(password)}
      {...(user.has_password && { secondary: { label: 'Remove the password', run: () => save(null) } })}
    >
      <NewPasswordField
        label="New password"
        hint="At least 12 characters. Copy it now: it cannot be read later. The user chooses another at the next sign-in."
        required
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  )
}

/** Creates a user, with groups and, if wanted, a first password. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { refreshUsers } from './queries.ts'
import { changeGroups, UserFields, type UserDraft } from './user-fields.tsx'

const empty: UserDraft = { email: '', name: '', role: 'user', kind: 'person', groups: new Set() }

export function CreateUserDialog({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(empty)
  const [password, setPassword] = useState('')
  // When adding to a group fails, the second try continues with the user that exists.
  const createdId = useRef<string | null>(null)
  async function create(): Promise<void> {
    const { email, name, role, kind, groups } = draft
    const hasPassword = kind === 'person' && password !== ''
    const body = { email: email.trim(), name: name.trim(), role, kind, ...(hasPassword && { password }) }
    try {
      createdId.current ??= (await api('POST /admin/api/v1/users', { body })).id
      await changeGroups(createdId.current, [], groups)
    } finally {
      await refreshUsers(queryClient)
    }
    toast(`Created ${body.email}`)
    onClose()
  }
  return (
    <FormDialog onClose={onClose} title="Create a user" submitLabel="Create" onSubmit={create}>
      <UserFields draft={draft} onChange={setDraft} />
      {draft.kind === 'person' && (
        <NewPasswordField
          label="Password (optional)"
          hint="At least 12 characters; the user chooses another at the first sign-in. Without a password the user cannot sign in here, but API keys work."
          value={password}
          onChange={setPassword}
        />
      )}
    </FormDialog>
  )
}

/** Changes a user's data and groups. Sends only what was changed. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { User, UserChange } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { everyoneId } from '../groups/queries.ts'
import { refreshUsers } from './queries.ts'
import { changeGroups, UserFields, type UserDraft } from './user-fields.tsx'

export function EditUserDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const ownGroups = user.groups.filter((id) => id !== everyoneId)
  const [draft, setDraft] = useState<UserDraft>({ ...user, groups: new Set(ownGroups) })
  async function save(): Promise<void> {
    const body = changeOf(user, draft)
    try {
      if (Object.keys(body).length > 0)
        await api('PATCH /admin/api/v1/users/{id}', { params: { id: user.id }, body, of: user })
      await changeGroups(user.id, ownGroups, draft.groups)
    } finally {
      await refreshUsers(queryClient)
    }
    toast(`Saved ${draft.email.trim()}`)
    onClose()
  }
  return (
    <FormDialog onClose={onClose} title={user.email} submitLabel="Save" onSubmit={save}>
      <UserFields draft={draft} onChange={setDraft} declared={user.declared} />
    </FormDialog>
  )
}

function changeOf(user: User, draft: UserDraft): UserChange {
  const [email, name] = [draft.email.trim(), draft.name.trim()]
  return {
    ...(email !== user.email && { email }),
    ...(name !== user.name && { name }),
    ...(draft.role !== user.role && { role: draft.role }),
    ...(draft.kind !== user.kind && { kind: draft.kind }),
  }
}

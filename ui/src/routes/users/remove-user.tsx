/** Disabling and deleting: each asks first and says what stops working. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { keysOfUserQuery, refreshUsers } from './queries.ts'

interface RemoveUserProps {
  readonly user: User
  readonly onClose: () => void
}

export function DisableUser({ user, onClose }: RemoveUserProps) {
  const queryClient = useQueryClient()
  const names = useWhatStops(user)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Disable ${user.email}?`}
      consequence="Nothing is deleted: everything works again once the user is enabled. Until then these are refused:"
      names={names}
      confirm="Disable"
      onConfirm={async () => {
        await api('PATCH /admin/api/v1/users/{id}', { params: { id: user.id }, body: { disabled: true } })
        await refreshUsers(queryClient)
        toast(`Disabled ${user.email}`)
      }}
    />
  )
}

export function DeleteUser({ user, onClose }: RemoveUserProps) {
  const queryClient = useQueryClient()
  const names = useWhatStops(user)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${user.email}?`}
      consequence="There is no way to get the user back. Usage records stay. What goes at once:"
      names={[`The user ${user.email}`, ...names]}
      confirm="Delete user"
      onConfirm={async () => {
        await api('DELETE /admin/api/v1/users/{id}', { params: { id: user.id } })
        await refreshUsers(queryClient)
        toast(`Deleted ${user.email}`)
      }}
    />
  )
}

/** The user's sessions and keys, by name. */
function useWhatStops({ id }: User): readonly string[] {
  const { data: keys } = useQuery(keysOfUserQuery(id))
  return ['All sessions in browsers', ...(keys ?? []).map(({ name, prefix }) => `API key “${name}” (${prefix})`)]
}

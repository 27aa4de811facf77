/** Disables or deletes a user, after listing what stops working. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { keysOfUserQuery, refreshUsers } from './queries.ts'

export interface RemoveUserProps {
  readonly user: User
  readonly how: 'disable' | 'delete'
  readonly onClose: () => void
  readonly onDeleted?: (() => void) | undefined
}

const texts = {
  disable: {
    verb: 'Disable',
    done: 'Disabled',
    consequence: 'Nothing is deleted: everything works again when you enable the user. Until then these are refused:',
  },
  delete: {
    verb: 'Delete',
    done: 'Deleted',
    consequence: 'This cannot be undone. Usage records are kept. These are deleted:',
  },
} as const

export function RemoveUser({ user, how, onClose, onDeleted }: RemoveUserProps) {
  const { id, email } = user
  const { verb, done, consequence } = texts[how]
  const queryClient = useQueryClient()
  const { data: keys = [] } = useQuery(keysOfUserQuery(id))
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${verb} ${email}?`}
      consequence={consequence}
      names={[
        ...(how === 'delete' ? [`The user ${email}`] : []),
        'All sessions in browsers',
        ...keys.map(({ name, prefix }) => `API key “${name}” (${prefix})`),
      ]}
      confirm={`${verb} user`}
      onConfirm={async () => {
        await (how === 'disable'
          ? api('PATCH /admin/api/v1/users/{id}', { params: { id }, body: { disabled: true }, of: user })
          : api('DELETE /admin/api/v1/users/{id}', { params: { id }, of: user }))
        // The page of a user who is gone is left before it is read again.
        if (how === 'delete') onDeleted?.()
        await refreshUsers(queryClient)
        toast(`${done} ${email}`)
      }}
    />
  )
}

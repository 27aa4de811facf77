/** The dialogs of one user, and what they are opened by: in the list of users and on the page of one. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState, type ReactNode } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { toast } from '../../components/toast.tsx'
import { refreshUsers } from './queries.ts'
import { RemoveUser } from './remove-user.tsx'
import type { UserAction } from './user-table.tsx'
import styles from './users-page.module.css'

// These load when they are opened.
const BudgetsDialog = lazyPart(() => import('../budgets/budget-panel.tsx'), 'BudgetsDialog')
const CreateKeyDialog = lazyPart(() => import('../keys/create-key-dialog.tsx'), 'CreateKeyDialog')
const EditUserDialog = lazyPart(() => import('./edit-user-dialog.tsx'), 'EditUserDialog')
const InviteUserDialog = lazyPart(() => import('./invite-dialog.tsx'), 'InviteUserDialog')
const SetPasswordDialog = lazyPart(() => import('./set-password-dialog.tsx'), 'SetPasswordDialog')

type Opened = { readonly what: Exclude<UserAction, 'enable'>; readonly user: User } | null

/** A function that does or asks what a menu says, and what has to be on the page for it. */
export function useUserActions(onDeleted?: () => void): {
  readonly act: (what: UserAction, user: User) => void
  readonly dialogs: ReactNode
} {
  const [opened, setOpened] = useState<Opened>(null)
  const { mutate: enable, error } = useEnable()
  const act = useCallback(
    (what: UserAction, user: User) => (what === 'enable' ? enable(user) : setOpened({ what, user })),
    [enable],
  )
  const dialogs = (
    <>
      {error !== null && (
        <div className={styles.notice}>
          <ErrorNotice error={asApiError(error)} />
        </div>
      )}
      <LatePart onClose={() => setOpened(null)}>
        <OpenedDialog opened={opened} onClose={() => setOpened(null)} onDeleted={onDeleted} />
      </LatePart>
    </>
  )
  return { act, dialogs }
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly onClose: () => void
  readonly onDeleted: (() => void) | undefined
}

function OpenedDialog({ opened, onClose, onDeleted }: OpenedDialogProps) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'edit':
      return <EditUserDialog user={opened.user} onClose={onClose} />
    case 'invite':
      return <InviteUserDialog user={opened.user} onClose={onClose} />
    case 'password':
      return <SetPasswordDialog user={opened.user} onClose={onClose} />
    case 'key':
      return <CreateKeyDialog owner={opened.user} onClose={onClose} />
    case 'budgets':
      return <BudgetsDialog target={{ scope: 'user', id: opened.user.id, name: opened.user.email }} onClose={onClose} />
    case 'disable':
    case 'delete':
      return <RemoveUser user={opened.user} how={opened.what} onClose={onClose} onDeleted={onDeleted} />
  }
}

/** Enables a user, without asking: nothing can be lost. */
function useEnable() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (user: User) =>
      api('PATCH /admin/api/v1/users/{id}', { params: { id: user.id }, body: { disabled: false }, of: user }),
    async onSuccess({ email }) {
      await refreshUsers(queryClient)
      toast(`Enabled ${email}`)
    },
  })
}

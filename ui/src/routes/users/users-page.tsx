/** The page of users: accounts, roles and groups. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useItems } from '../../api/use-items.ts'
import type { User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, SelectFilter, TextFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { BudgetsDialog } from '../budgets/budget-panel.tsx'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import type { UsersSearch } from '../search.ts'
import { CreateUserDialog } from './create-user-dialog.tsx'
import { EditUserDialog } from './edit-user-dialog.tsx'
import { refreshUsers, usersQuery } from './queries.ts'
import { RemoveUser } from './remove-user.tsx'
import { SetPasswordDialog } from './set-password-dialog.tsx'
import { UserTable, type UserAction } from './user-table.tsx'
import styles from './users-page.module.css'

const route = getRouteApi('/shell/users')

const kinds = [
  ['person', 'People'],
  ['service', 'Service accounts'],
] as const

type Opened = { readonly what: 'create' } | { readonly what: Exclude<UserAction, 'enable'>; readonly user: User } | null

export function UsersPage() {
  const { q = '', kind } = route.useSearch()
  const navigate = route.useNavigate()
  const { list, items: users, fetchMore } = useItems(usersQuery(q.trim(), kind))
  const { error, isPending, hasNextPage, refetch } = list
  const [opened, setOpened] = useState<Opened>(null)
  const enabling = useEnable()
  const { mutate: enable } = enabling
  const act = useCallback(
    (what: UserAction, user: User) => (what === 'enable' ? enable(user) : setOpened({ what, user })),
    [enable],
  )
  const find = (change: UsersSearch): void => void navigate({ search: { q, kind, ...change }, replace: true })
  const isFiltered = q !== '' || kind !== undefined
  return (
    <>
      <PageHeader
        title="Users"
        description="Accounts of people and programs. Groups decide which models a user can use."
        actions={
          <Button variant="primary" onClick={() => setOpened({ what: 'create' })}>
            <Icon name="plus" />
            Create user
          </Button>
        }
      />
      <FilterForm label="Filter users" onClear={isFiltered ? () => find({ q: undefined, kind: undefined }) : null}>
        <TextFilter
          label="Search users"
          placeholder="Search e-mail address…"
          value={q}
          onChange={(next) => find({ q: next })}
        />
        <SelectFilter
          label="Kind"
          all="People and programs"
          options={kinds}
          value={kind}
          onChange={(next) => find({ kind: next })}
        />
      </FilterForm>
      {enabling.error !== null && (
        <div className={styles.notice}>
          <ErrorNotice error={asApiError(enabling.error)} />
        </div>
      )}
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading users" />}
      {list.data !== undefined && users.length === 0 && (
        <EmptyState icon="search" title={q === '' ? 'No service accounts yet' : `No user matches “${q}”`}>
          {q === ''
            ? 'Create one for each program: it has keys of its own, and goes on when people leave.'
            : 'The search looks for a part of the e-mail address.'}
        </EmptyState>
      )}
      {users.length > 0 && <UserTable users={users} onAction={act} hasMore={hasNextPage} onEndNear={fetchMore} />}
      <OpenedDialog opened={opened} onClose={() => setOpened(null)} />
    </>
  )
}

function OpenedDialog({ opened, onClose }: { readonly opened: Opened; readonly onClose: () => void }) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'create':
      return <CreateUserDialog onClose={onClose} />
    case 'edit':
      return <EditUserDialog user={opened.user} onClose={onClose} />
    case 'password':
      return <SetPasswordDialog user={opened.user} onClose={onClose} />
    case 'key':
      return <CreateKeyDialog owner={opened.user} onClose={onClose} />
    case 'budgets':
      return <BudgetsDialog target={{ scope: 'user', id: opened.user.id, name: opened.user.email }} onClose={onClose} />
    case 'disable':
    case 'delete':
      return <RemoveUser user={opened.user} how={opened.what} onClose={onClose} />
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

/** All users: who may sign in, what they are, and which groups they are in. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { User } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { CreateUserDialog } from './create-user-dialog.tsx'
import { EditUserDialog } from './edit-user-dialog.tsx'
import { refreshUsers, usersQuery } from './queries.ts'
import { DeleteUser, DisableUser } from './remove-user.tsx'
import { SetPasswordDialog } from './set-password-dialog.tsx'
import { UserTable, type UserAction } from './user-table.tsx'
import styles from './users-page.module.css'

const route = getRouteApi('/shell/users')

type Opened = { readonly what: 'create' } | { readonly what: Exclude<UserAction, 'enable'>; readonly user: User } | null

export function UsersPage() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    usersQuery(q.trim()),
  )
  const users = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const [opened, setOpened] = useState<Opened>(null)
  const enabling = useEnable()
  const { mutate: enable } = enabling
  const act = useCallback(
    (what: UserAction, user: User) => (what === 'enable' ? enable(user) : setOpened({ what, user })),
    [enable],
  )
  const fetchMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const find = (typed: string): void => void navigate({ search: { q: typed || undefined }, replace: true })
  return (
    <>
      <PageHeader
        title="Users"
        description="Who may sign in and whose API keys work. Groups decide which models a user can use."
        actions={
          <Button variant="primary" onClick={() => setOpened({ what: 'create' })}>
            <Icon name="plus" />
            Create user
          </Button>
        }
      />
      <div className={styles.tools}>
        <Input
          type="search"
          aria-label="Search users"
          placeholder="Search e-mail address…"
          value={q}
          onChange={(event) => find(event.target.value)}
        />
      </div>
      {enabling.error !== null && (
        <div className={styles.notice}>
          <ErrorNotice error={asApiError(enabling.error)} />
        </div>
      )}
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading users" />}
      {data !== undefined && users.length === 0 && (
        <EmptyState
          icon="users"
          title={`No user matches “${q}”`}
          action={<Button onClick={() => find('')}>Clear the search</Button>}
        >
          A part of the e-mail address is searched. Create the user if it is a new one.
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
    case 'disable':
      return <DisableUser user={opened.user} onClose={onClose} />
    case 'delete':
      return <DeleteUser user={opened.user} onClose={onClose} />
  }
}

/** Lets a user in again; nothing is lost by it, so nothing is asked. */
function useEnable() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: User) => api('PATCH /admin/api/v1/users/{id}', { params: { id }, body: { disabled: false } }),
    async onSuccess({ email }) {
      await refreshUsers(queryClient)
      toast(`Enabled ${email}`)
    },
  })
}

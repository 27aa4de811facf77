/** The page of users: accounts of people and programs, one by one and many at once. */
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { useItems } from '../../api/use-items.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, SelectFilter, TextFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { orderOnWire, sortingOf } from '../list-order.ts'
import { userOrders, type UsersSearch } from '../search.ts'
import { useActivity } from '../usage/activity-cell.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { downloadUsers } from './download-users.ts'
import { usersQuery, type UserFilter } from './queries.ts'
import { useUserActions } from './user-dialogs.tsx'
import { UserTable } from './user-table.tsx'

// These load when they are opened.
const CreateUserDialog = lazyPart(() => import('./create-user-dialog.tsx'), 'CreateUserDialog')
const InvitePeopleDialog = lazyPart(() => import('./invite-dialog.tsx'), 'InvitePeopleDialog')

const route = getRouteApi('/shell/users')

const kinds = [
  ['person', 'People'],
  ['service', 'Service accounts'],
] as const

export function UsersPage() {
  const search = route.useSearch()
  const { q = '', kind } = search
  const navigate = route.useNavigate()
  const filter = filterOf(search)
  const { list, items: users, fetchMore, fetchAll } = useItems(usersQuery(filter))
  const { error, isPending, hasNextPage, refetch } = list
  const [isCreating, setCreating] = useState(false)
  const invite = (isOpen: boolean): void =>
    void navigate({ search: { ...search, new: isOpen ? true : undefined }, replace: true })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { act, dialogs } = useUserActions()
  const ids = useMemo(() => users.map(({ id }) => id), [users])
  const activity = useActivity('everyone', 'user', ids)
  const find = (change: UsersSearch): void => {
    setSelected(new Set())
    void navigate({ search: { ...search, ...change }, replace: true })
  }
  return (
    <>
      <PageHeader
        title="Users"
        description="Accounts of people and programs. Groups decide which models a user can use."
        actions={
          <>
            <ExportButton filter={filter} />
            <Button onClick={() => setCreating(true)}>Create user</Button>
            <Button variant="primary" onClick={() => invite(true)}>
              <Icon name="plus" />
              Invite people
            </Button>
          </>
        }
      />
      <FilterForm
        label="Filter users"
        onClear={q !== '' || kind !== undefined ? () => find({ q: undefined, kind: undefined }) : null}
        actions={<BulkBar users={users.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />}
      >
        <TextFilter
          label="Search users"
          placeholder="Search name or e-mail address…"
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
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading users" />}
      {list.data !== undefined && users.length === 0 && <NoUsers q={q} />}
      {users.length > 0 && (
        <UserTable
          users={users}
          activity={activity}
          onOpen={({ id }) => void navigate({ to: '/users/$id', params: { id } })}
          onAction={act}
          selection={{ selected, onChange: setSelected }}
          sorting={sortingOf(userOrders, search, find)}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
          onLoadAll={fetchAll}
        />
      )}
      {dialogs}
      <LatePart onClose={() => (isCreating ? setCreating(false) : invite(false))}>
        {isCreating && <CreateUserDialog onClose={() => setCreating(false)} />}
        {search.new === true && <InvitePeopleDialog onClose={() => invite(false)} />}
      </LatePart>
    </>
  )
}

function filterOf({ q = '', kind, ...order }: UsersSearch): UserFilter {
  const text = q.trim()
  return { ...(text !== '' && { q: text }), ...(kind !== undefined && { kind }), ...orderOnWire(order) }
}

function ExportButton({ filter }: { readonly filter: UserFilter }) {
  const exporting = useMutation({ mutationFn: () => downloadUsers(filter) })
  return (
    <>
      <Button busy={exporting.isPending} onClick={() => exporting.mutate()}>
        <Icon name="download" />
        Download CSV
      </Button>
      {exporting.error !== null && <ErrorNotice error={asApiError(exporting.error)} />}
    </>
  )
}

function NoUsers({ q }: { readonly q: string }) {
  return (
    <EmptyState icon="search" title={q === '' ? 'No service accounts yet' : `No user matches “${q}”`}>
      {q === ''
        ? 'Create one for each program: it has keys of its own, and goes on when people leave.'
        : 'The search looks for a part of the name or the e-mail address.'}
    </EmptyState>
  )
}

/** The table of users, with a menu of actions for each. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allGroupsQuery } from '../../api/queries.ts'
import type { Group, User } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column, type DataTableProps } from '../../components/data-table.tsx'
import { MenuItem, MenuText } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RowLink } from '../../components/row-name.tsx'
import { isOrdinary } from '../groups/queries.ts'
import { ActivityCell, type ActivityOf } from '../usage/activity-cell.tsx'
import styles from './user-table.module.css'

export type UserAction = 'edit' | 'invite' | 'password' | 'key' | 'budgets' | 'disable' | 'enable' | 'delete'

export interface UserTableProps extends Pick<
  DataTableProps<User>,
  'selection' | 'hasMore' | 'onEndNear' | 'onLoadAll' | 'sorting'
> {
  readonly users: readonly User[]
  readonly activity: ActivityOf
  readonly onOpen: (user: User) => void
  readonly onAction: (action: UserAction, user: User) => void
}

export function UserTable({ users, activity, onOpen, onAction, ...list }: UserTableProps) {
  const { data: groups } = useQuery(allGroupsQuery)
  const columns = columnsOf(groups ?? [], activity, onAction)
  return (
    <DataTable
      label="Users"
      columns={columns}
      rows={users}
      rowId={({ id }) => id}
      rowName={({ email }) => email}
      onOpen={onOpen}
      onRange={activity.onRange}
      {...list}
    />
  )
}

function columnsOf(
  groups: readonly Group[],
  activity: ActivityOf,
  onAction: UserTableProps['onAction'],
): readonly Column<User>[] {
  return [
    {
      id: 'user',
      header: 'User',
      min: 260,
      narrow: 146,
      grow: 3,
      sortKey: 'email',
      cell: ({ id, email, name }) => (
        <RowLink name={email} detail={name}>
          <Link to="/users/$id" params={{ id }} />
        </RowLink>
      ),
    },
    { id: 'role', header: 'Role', min: 116, priority: 1, cell: ({ role }) => roleNames[role] },
    {
      id: 'groups',
      header: 'Groups',
      min: 140,
      grow: 1,
      priority: 2,
      cell: (user) => {
        const names = groups
          .filter((group) => isOrdinary(group) && user.groups.includes(group.id))
          .map(({ name }) => name)
        return names.length === 0 ? '–' : <span title={names.join(', ')}>{names.join(', ')}</span>
      },
    },
    { id: 'state', header: 'State', min: 96, narrow: 88, cell: (user) => <UserState user={user} /> },
    {
      id: 'activity',
      header: '30 days',
      min: 160,
      priority: 5,
      cell: ({ id }) => <ActivityCell used={activity.of(id)} />,
    },
    {
      id: 'seen',
      header: 'Last seen',
      min: 128,
      priority: 4,
      sortKey: 'last_seen',
      cell: ({ last_seen_at: at }) => <RelativeTime at={at} />,
    },
    { id: 'more', header: 'Account', min: 150, priority: 3, cell: (user) => <AccountKind user={user} /> },
    {
      id: 'created',
      header: 'Created',
      min: 128,
      priority: 6,
      sortKey: 'created',
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    menuColumn((user) => <UserMenu user={user} onAction={onAction} />),
  ]
}

export const roleNames = { admin: 'Administrator', user: 'User' } as const

export function UserState({ user }: { readonly user: User }) {
  if (user.disabled) return <Badge tone="danger">disabled</Badge>
  return user.invited_until === null ? <Badge tone="success">active</Badge> : <Badge tone="warning">invited</Badge>
}

export function AccountKind({ user }: { readonly user: User }) {
  if (user.has_password && !user.declared) return '–'
  const isService = user.kind === 'service'
  return (
    <span className={styles.badges}>
      {isService && <Badge>service account</Badge>}
      {!isService && !user.has_password && <Badge>no password</Badge>}
      {user.declared && <Badge tone="accent">declared</Badge>}
    </span>
  )
}

function UserMenu({ user, onAction }: { readonly user: User; readonly onAction: UserTableProps['onAction'] }) {
  return (
    <RowMenu name={user.email}>
      <UserMenuItems user={user} onAction={onAction} />
    </RowMenu>
  )
}

/** What can be done with a user. */
export function UserMenuItems({
  user,
  onAction,
}: {
  readonly user: User
  readonly onAction: UserTableProps['onAction']
}) {
  return (
    <>
      {user.declared && <MenuText>The configuration file declares it. Change or delete it there.</MenuText>}
      <MenuItem onSelect={() => onAction('edit', user)}>{user.declared ? 'Groups…' : 'Edit…'}</MenuItem>
      {user.kind === 'person' && !user.disabled && (
        <MenuItem onSelect={() => onAction('invite', user)}>
          {user.has_password ? 'Link to reset the password…' : 'Link to invite…'}
        </MenuItem>
      )}
      {user.kind === 'person' && <MenuItem onSelect={() => onAction('password', user)}>Set password…</MenuItem>}
      <MenuItem onSelect={() => onAction('key', user)}>Create API key…</MenuItem>
      <MenuItem onSelect={() => onAction('budgets', user)}>Budgets and rates…</MenuItem>
      {!user.declared && (
        <>
          {user.disabled ? (
            <MenuItem onSelect={() => onAction('enable', user)}>Enable</MenuItem>
          ) : (
            <MenuItem onSelect={() => onAction('disable', user)}>Disable…</MenuItem>
          )}
          <MenuItem danger onSelect={() => onAction('delete', user)}>
            Delete…
          </MenuItem>
        </>
      )}
    </>
  )
}

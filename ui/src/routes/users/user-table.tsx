/** The table of users, with a menu of actions for each. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { allGroupsQuery } from '../../api/queries.ts'
import type { Group, User } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { MenuItem, MenuText } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RowName } from '../../components/row-name.tsx'
import { isOrdinary } from '../groups/queries.ts'
import styles from './user-table.module.css'

export type UserAction = 'edit' | 'password' | 'key' | 'budgets' | 'disable' | 'enable' | 'delete'

export interface UserTableProps {
  readonly users: readonly User[]
  readonly onAction: (action: UserAction, user: User) => void
  readonly hasMore: boolean
  readonly onEndNear: () => void
}

export function UserTable({ users, onAction, hasMore, onEndNear }: UserTableProps) {
  const { data: groups } = useQuery(allGroupsQuery)
  const columns = useMemo(() => columnsOf(groups ?? [], onAction), [groups, onAction])
  return (
    <DataTable
      label="Users"
      columns={columns}
      rows={users}
      rowId={({ id }) => id}
      rowName={({ email }) => email}
      onOpen={(user) => onAction('edit', user)}
      hasMore={hasMore}
      onEndNear={onEndNear}
    />
  )
}

function columnsOf(groups: readonly Group[], onAction: UserTableProps['onAction']): readonly Column<User>[] {
  return [
    {
      id: 'user',
      header: 'User',
      min: 260,
      narrow: 176,
      grow: 3,
      sortBy: ({ email }) => email,
      cell: (user) => <RowName name={user.email} onOpen={() => onAction('edit', user)} detail={user.name} />,
    },
    {
      id: 'role',
      header: 'Role',
      min: 124,
      priority: 1,
      sortBy: ({ role }) => role,
      cell: ({ role }) => roleNames[role],
    },
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
    { id: 'state', header: 'State', min: 96, cell: ({ disabled }) => <UserState disabled={disabled} /> },
    { id: 'more', header: 'Account', min: 188, priority: 4, cell: (user) => <AccountKind user={user} /> },
    {
      id: 'created',
      header: 'Created',
      min: 128,
      priority: 3,
      sortBy: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    menuColumn((user) => <UserMenu user={user} onAction={onAction} />),
  ]
}

const roleNames = { admin: 'Administrator', user: 'User' } as const

function UserState({ disabled }: { readonly disabled: boolean }) {
  return disabled ? <Badge tone="danger">disabled</Badge> : <Badge tone="success">active</Badge>
}

function AccountKind({ user }: { readonly user: User }) {
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
      {user.declared && <MenuText>The configuration file declares it. Change or delete it there.</MenuText>}
      <MenuItem onSelect={() => onAction('edit', user)}>{user.declared ? 'Groups…' : 'Edit…'}</MenuItem>
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
    </RowMenu>
  )
}

/** The table of API keys. It has no secrets: the server does not store them. */
import type { ApiKey } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column, type DataTableProps } from '../../components/data-table.tsx'
import { MenuItem } from '../../components/menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { CellName } from '../../components/row-name.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RecordName } from '../record-name.tsx'
import { ActivityCell, type ActivityOf } from '../usage/activity-cell.tsx'
import styles from './key-table.module.css'

export type KeyAction = 'edit' | 'rotate' | 'budgets' | 'delete'

export interface KeyTableProps extends Pick<
  DataTableProps<ApiKey>,
  'selection' | 'hasMore' | 'onEndNear' | 'onLoadAll' | 'sorting'
> {
  readonly keys: readonly ApiKey[]
  readonly withOwner: boolean
  readonly activity: ActivityOf
  /** Administrators set budgets. */
  readonly isAdmin: boolean
  readonly onAction: (action: KeyAction, key: ApiKey) => void
}

export function KeyTable({ keys, withOwner, activity, isAdmin, onAction, ...list }: KeyTableProps) {
  const shown = withOwner ? columnsOfAll : columns
  return (
    <DataTable
      label="API keys"
      columns={shown
        .flatMap((column) => (column.id === 'used' ? [activityColumn(activity), column] : [column]))
        .concat(actionsColumn(isAdmin, onAction))}
      rows={keys}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      onOpen={(key) => onAction('edit', key)}
      onRange={activity.onRange}
      {...list}
    />
  )
}

const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    min: 200,
    narrow: 118,
    grow: 2,
    sortKey: 'name',
    cell: ({ name, description }) => (
      <span className={styles.name}>
        <CellName name={name} detail={description} title={description === '' ? name : description} />
      </span>
    ),
  },
  { id: 'prefix', header: 'Key', min: 200, priority: 2, cell: (key) => <Prefix apiKey={key} /> },
  {
    id: 'scopes',
    header: 'Scopes',
    min: 140,
    grow: 1,
    priority: 5,
    cell: ({ scopes }) => <span title={scopeText(scopes)}>{scopeText(scopes)}</span>,
  },
  {
    id: 'used',
    header: 'Last used',
    min: 128,
    narrow: 100,
    sortKey: 'last_used',
    cell: ({ last_used_at: at }) => <RelativeTime at={at} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    min: 128,
    priority: 4,
    sortKey: 'expires',
    cell: (key) => <Expiry apiKey={key} />,
  },
  {
    id: 'created',
    header: 'Created',
    min: 128,
    priority: 6,
    sortKey: 'created',
    cell: (key) => <RelativeTime at={key.created_at} />,
  },
]

function activityColumn(activity: ActivityOf): Column<ApiKey> {
  return {
    id: 'activity',
    header: '30 days',
    min: 160,
    priority: 3,
    cell: ({ id }) => <ActivityCell used={activity.of(id)} />,
  }
}

function actionsColumn(isAdmin: boolean, onAction: KeyTableProps['onAction']): Column<ApiKey> {
  return menuColumn((key) => (
    <RowMenu name={key.name}>
      <MenuItem onSelect={() => onAction('edit', key)}>Edit…</MenuItem>
      <MenuItem onSelect={() => onAction('rotate', key)}>Rotate…</MenuItem>
      {isAdmin && <MenuItem onSelect={() => onAction('budgets', key)}>Budgets and rates…</MenuItem>}
      <MenuItem danger onSelect={() => onAction('delete', key)}>
        Delete…
      </MenuItem>
    </RowMenu>
  ))
}

/** The columns for keys of all users: the owner takes the place of less important columns. */
const columnsOfAll: readonly Column<ApiKey>[] = columns.flatMap((column): readonly Column<ApiKey>[] => {
  if (column.id === 'created') return []
  if (column.id === 'used') return [{ ...column, priority: 2 }]
  if (column.id !== 'name') return [column]
  return [
    column,
    {
      id: 'owner',
      header: 'User',
      min: 180,
      narrow: 100,
      grow: 1,
      cell: ({ user_id: userId }) => <RecordName kind="user" scope="everyone" id={userId} />,
    },
  ]
})

function Prefix({ apiKey: { prefix, previous } }: { readonly apiKey: ApiKey }) {
  const works = previous !== null && Date.parse(previous.until) > Date.now()
  return (
    <>
      <code>{prefix}</code>{' '}
      {works && (
        <span title={`${previous.prefix} works until ${new Date(previous.until).toLocaleString()}`}>
          <Badge>2 secrets</Badge>
        </span>
      )}
    </>
  )
}

function Expiry({ apiKey: { expires_at: at } }: { readonly apiKey: ApiKey }) {
  if (at !== null && Date.parse(at) <= Date.now()) return <Badge tone="danger">expired</Badge>
  return <RelativeTime at={at} />
}

function scopeText({ areas, models }: ApiKey['scopes']): string {
  if (areas === null && models === null) return 'everything'
  return [
    ...(areas ?? ['all scopes']),
    ...(models === null ? [] : [`only ${models.join(', ') || 'deleted models'}`]),
  ].join(', ')
}

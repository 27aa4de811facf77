/** The table of API keys. It has no secrets: the server does not store them. */
import type { ApiKey } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column, type Selection } from '../../components/data-table.tsx'
import { MenuItem } from '../../components/menu.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { CellName } from '../../components/row-name.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RecordName } from '../record-name.tsx'
import styles from './key-table.module.css'

export interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  readonly withOwner: boolean
  readonly selection: Selection
  readonly hasMore: boolean
  readonly onEndNear: () => void
  readonly onRotate: (key: ApiKey) => void
  /** Opens the budgets of a key; null for users, who do not see them. */
  readonly onBudgets: ((key: ApiKey) => void) | null
}

export function KeyTable({ keys, withOwner, selection, hasMore, onEndNear, onRotate, onBudgets }: KeyTableProps) {
  const shown = withOwner ? columnsOfAll : columns
  return (
    <DataTable
      label="API keys"
      columns={[...shown, actionsColumn(onRotate, onBudgets)]}
      rows={keys}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      selection={selection}
      hasMore={hasMore}
      onEndNear={onEndNear}
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
    sortBy: ({ name }) => name,
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
    priority: 4,
    cell: ({ scopes }) => <span title={scopeText(scopes)}>{scopeText(scopes)}</span>,
  },
  {
    id: 'used',
    header: 'Last used',
    min: 128,
    narrow: 100,
    sortBy: ({ last_used_at: at }) => at,
    cell: ({ last_used_at: at }) => <RelativeTime at={at} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    min: 128,
    priority: 3,
    sortBy: ({ expires_at: at }) => at,
    cell: (key) => <Expiry apiKey={key} />,
  },
  {
    id: 'created',
    header: 'Created',
    min: 128,
    priority: 5,
    sortBy: ({ created_at: at }) => at,
    cell: (key) => <RelativeTime at={key.created_at} />,
  },
]

function actionsColumn(onRotate: KeyTableProps['onRotate'], onBudgets: KeyTableProps['onBudgets']): Column<ApiKey> {
  return menuColumn((key) => (
    <RowMenu name={key.name}>
      <MenuItem onSelect={() => onRotate(key)}>Rotate…</MenuItem>
      {onBudgets !== null && <MenuItem onSelect={() => onBudgets(key)}>Budgets and rates…</MenuItem>}
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

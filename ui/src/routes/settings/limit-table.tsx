/** The table of in-flight limits of accounts. */
import type { OwnInflightLimit } from '../../api/schema.d.ts'
import { CellName } from '../../components/row-name.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { MenuItem } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'

export interface LimitTableProps {
  readonly limits: readonly OwnInflightLimit[]
  readonly onAction: (action: 'change' | 'remove', limit: OwnInflightLimit) => void
}

export function LimitTable({ limits, onAction }: LimitTableProps) {
  const columns: readonly Column<OwnInflightLimit>[] = [
    {
      id: 'user',
      header: 'Account',
      min: 200,
      narrow: 88,
      grow: 1,
      sortBy: ({ user }) => user,
      cell: ({ user }) => <CellName name={user} />,
    },
    {
      id: 'model',
      header: 'Model',
      min: 160,
      narrow: 86,
      grow: 1,
      sortBy: ({ model }) => model,
      cell: ({ model }) => <CellName name={model} />,
    },
    {
      id: 'limit',
      header: 'Limit',
      min: 84,
      narrow: 56,
      align: 'end',
      sortBy: ({ limit }) => limit,
      cell: ({ limit }) => limit.toLocaleString('en'),
    },
    menuColumn((limit) => (
      <RowMenu name={`${limit.user} and ${limit.model}`}>
        <MenuItem onSelect={() => onAction('change', limit)}>Change…</MenuItem>
        <MenuItem danger onSelect={() => onAction('remove', limit)}>
          Remove…
        </MenuItem>
      </RowMenu>
    )),
  ]
  return (
    <DataTable
      label="Limits of single accounts"
      columns={columns}
      rows={limits}
      rowId={({ user_id: user, model_id: model }) => `${user} ${model}`}
      rowName={({ user, model }) => `${user}, ${model}`}
      onOpen={(limit) => onAction('change', limit)}
    />
  )
}

/** The table of groups. */
import { Link } from '@tanstack/react-router'
import type { Group, ModelRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { MenuItem, MenuText } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RowLink } from '../../components/row-name.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import styles from './group-table.module.css'
import { isOrdinary } from './queries.ts'

export type GroupAction = 'open' | 'edit' | 'delete'

export interface GroupTableProps {
  readonly groups: readonly Group[]
  /** Null while they load. */
  readonly models: readonly ModelRecord[] | null
  readonly onAction: (action: GroupAction, group: Group) => void
}

export function GroupTable({ groups, models, onAction }: GroupTableProps) {
  const countOf = (id: string): number | null => models?.filter((model) => model.groups.includes(id)).length ?? null
  const columns: readonly Column<Group>[] = [
    {
      id: 'name',
      header: 'Name',
      min: 200,
      narrow: 160,
      grow: 1,
      sortBy: ({ name }) => name,
      cell: (group) => (
        <RowLink name={group.name} badge={group.declared && <Badge tone="accent">declared</Badge>}>
          <Link to="/groups/$id" params={{ id: group.id }} />
        </RowLink>
      ),
    },
    {
      id: 'description',
      header: 'Description',
      min: 220,
      grow: 2,
      priority: 1,
      cell: ({ id, description }) => (
        <span className={styles.muted} title={description}>
          {description || (isOrdinary({ id }) ? '–' : 'All users')}
        </span>
      ),
    },
    {
      id: 'models',
      header: 'Models',
      min: 88,
      align: 'end',
      sortBy: ({ id }) => countOf(id),
      cell: ({ id }) => countOf(id) ?? '…',
    },
    {
      id: 'created',
      header: 'Created',
      min: 128,
      priority: 2,
      sortBy: ({ created_at: at }) => at,
      cell: (group) => (isOrdinary(group) ? <RelativeTime at={group.created_at} /> : '–'),
    },
    menuColumn((group) => <GroupMenu group={group} onAction={onAction} />),
  ]
  return (
    <DataTable
      label="Groups"
      columns={columns}
      rows={groups}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      onOpen={(group) => onAction('open', group)}
    />
  )
}

function GroupMenu({ group, onAction }: { readonly group: Group; readonly onAction: GroupTableProps['onAction'] }) {
  const editable = isOrdinary(group) && !group.declared
  return (
    <RowMenu name={group.name}>
      {group.declared && <MenuText>The configuration file declares this group. Change or delete it there.</MenuText>}
      <MenuItem onSelect={() => onAction('open', group)}>Members, models, budgets and rates…</MenuItem>
      {editable && (
        <>
          <MenuItem onSelect={() => onAction('edit', group)}>Edit…</MenuItem>
          <MenuItem danger onSelect={() => onAction('delete', group)}>
            Delete…
          </MenuItem>
        </>
      )}
    </RowMenu>
  )
}

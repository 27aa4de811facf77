/** The usage of each model, user, key or group, the largest first. A row opens its requests. */
import type { UsageScope } from '../../api/queries.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { durationText, percentText, wholeText } from '../../components/format.ts'
import type { GroupSums } from './usage-groups.ts'
import { groupHeadings, OpenGroup } from './group-name.tsx'
import type { Grouping } from './queries.ts'
import styles from './group-table.module.css'

export interface GroupTableProps {
  readonly groups: readonly GroupSums[]
  /** Requests of all groups, those included that are not shown. */
  readonly all: number
  readonly by: Grouping
  readonly scope: UsageScope
  readonly onOpen: (group: string) => void
}

export function GroupTable({ groups, all, by, scope, onOpen }: GroupTableProps) {
  const columns: readonly Column<GroupSums>[] = [
    {
      id: 'name',
      header: groupHeadings[by],
      min: 220,
      narrow: 136,
      grow: 1,
      cell: ({ group }) => <OpenGroup by={by} scope={scope} group={group} onOpen={onOpen} />,
    },
    {
      id: 'requests',
      header: 'Requests',
      min: 92,
      align: 'end',
      sortBy: ({ requests }) => requests,
      cell: ({ requests }) => wholeText(requests),
    },
    {
      id: 'share',
      header: 'Share',
      min: 80,
      align: 'end',
      priority: 3,
      sortBy: ({ requests }) => requests,
      cell: ({ requests }) => percentText(requests / all),
    },
    {
      id: 'errors',
      header: 'Errors',
      min: 80,
      align: 'end',
      sortBy: ({ errors }) => errors,
      cell: ({ errors, requests }) => (
        <span title={percentText(errors / requests)} className={errors > 0 ? styles.errors : undefined}>
          {wholeText(errors)}
        </span>
      ),
    },
    {
      id: 'in',
      header: 'Tokens in',
      min: 110,
      align: 'end',
      priority: 1,
      sortBy: ({ promptTokens }) => promptTokens,
      cell: ({ promptTokens }) => wholeText(promptTokens),
    },
    {
      id: 'out',
      header: 'Tokens out',
      min: 110,
      align: 'end',
      priority: 2,
      sortBy: ({ completionTokens }) => completionTokens,
      cell: ({ completionTokens }) => wholeText(completionTokens),
    },
    {
      id: 'duration',
      header: 'Mean duration',
      min: 128,
      align: 'end',
      priority: 4,
      sortBy: ({ durationMs, requests }) => durationMs / requests,
      cell: ({ durationMs, requests }) => durationText(durationMs / requests),
    },
  ]
  return (
    <DataTable
      label={`Usage by ${groupHeadings[by].toLowerCase()}`}
      columns={columns}
      rows={groups}
      rowId={({ group }) => group ?? ''}
      rowName={({ group }) => group ?? ''}
      onOpen={({ group }) => {
        if (group !== null && by !== 'group') onOpen(group)
      }}
    />
  )
}

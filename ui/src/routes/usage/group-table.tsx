/** The usage of each model, user or key, the largest first. A row opens its requests. */
import type { UsageScope } from '../../api/queries.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { durationText, percentText, wholeText } from '../../components/format.ts'
import { RecordName } from '../record-name.tsx'
import type { GroupSums } from './usage-groups.ts'
import { unknownModel, type Grouping } from './queries.ts'
import styles from './group-table.module.css'

export interface GroupTableProps {
  readonly groups: readonly GroupSums[]
  /** Requests of all groups, those included that are not shown. */
  readonly all: number
  readonly by: Grouping
  readonly scope: UsageScope
  readonly onOpen: (group: string) => void
}

const headings = { model: 'Model', user: 'User', key: 'API key' } as const

export function GroupTable({ groups, all, by, scope, onOpen }: GroupTableProps) {
  const columns: readonly Column<GroupSums>[] = [
    {
      id: 'name',
      header: headings[by],
      cell: ({ group }) =>
        group === null ? (
          <span className={styles.unknown}>
            <GroupName by={by} scope={scope} group={group} />
          </span>
        ) : (
          <button type="button" className={styles.name} title="Show its requests" onClick={() => onOpen(group)}>
            <GroupName by={by} scope={scope} group={group} />
          </button>
        ),
    },
    { id: 'requests', header: 'Requests', width: '96px', align: 'end', cell: (row) => wholeText(row.requests) },
    {
      id: 'share',
      header: 'Share',
      width: '80px',
      align: 'end',
      hideBelow: 'medium',
      cell: ({ requests }) => percentText(requests / all),
    },
    {
      id: 'errors',
      header: 'Errors',
      width: '96px',
      align: 'end',
      cell: ({ errors, requests }) => (
        <span title={percentText(errors / requests)} className={errors > 0 ? styles.errors : undefined}>
          {wholeText(errors)}
        </span>
      ),
    },
    {
      id: 'in',
      header: 'Tokens in',
      width: '110px',
      align: 'end',
      hideBelow: 'small',
      cell: ({ promptTokens }) => wholeText(promptTokens),
    },
    {
      id: 'out',
      header: 'Tokens out',
      width: '110px',
      align: 'end',
      hideBelow: 'small',
      cell: ({ completionTokens }) => wholeText(completionTokens),
    },
    {
      id: 'duration',
      header: 'Mean duration',
      width: '120px',
      align: 'end',
      hideBelow: 'medium',
      cell: ({ durationMs, requests }) => durationText(durationMs / requests),
    },
  ]
  return (
    <DataTable
      label={`Usage by ${headings[by].toLowerCase()}`}
      columns={columns}
      rows={groups}
      rowId={({ group }) => group ?? ''}
      rowName={({ group }) => group ?? ''}
      onOpen={({ group }) => {
        if (group !== null) onOpen(group)
      }}
    />
  )
}

interface GroupNameProps extends Pick<GroupTableProps, 'by' | 'scope'> {
  readonly group: string | null
}

function GroupName({ by, scope, group }: GroupNameProps) {
  if (by === 'model') return group ?? unknownModel
  return <RecordName kind={by} scope={scope} id={group} />
}

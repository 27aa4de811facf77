/** The sums of each model, user or key, the largest first; a row leads to its requests. */
import { DataTable, type Column } from '../../components/data-table.tsx'
import type { GroupSums } from './groups.ts'
import type { Grouping } from './queries.ts'
import styles from './group-table.module.css'

export interface GroupTableProps {
  readonly groups: readonly GroupSums[]
  readonly by: Grouping
  readonly name: (group: string | null) => string
  readonly onOpen: (group: string) => void
}

const headings = { model: 'Model', user: 'User', key: 'API key' } as const
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export function GroupTable({ groups, by, name, onOpen }: GroupTableProps) {
  const all = groups.reduce((sum, { requests }) => sum + requests, 0)
  const columns: readonly Column<GroupSums>[] = [
    {
      id: 'name',
      header: headings[by],
      cell: ({ group }) =>
        group === null ? (
          <span className={styles.unknown}>{name(group)}</span>
        ) : (
          <button type="button" className={styles.name} title="Show its requests" onClick={() => onOpen(group)}>
            {name(group)}
          </button>
        ),
    },
    { id: 'requests', header: 'Requests', width: '96px', align: 'end', cell: (row) => whole.format(row.requests) },
    {
      id: 'share',
      header: 'Share',
      width: '80px',
      align: 'end',
      hideBelow: 'medium',
      cell: ({ requests }) => percent.format(requests / all),
    },
    {
      id: 'errors',
      header: 'Errors',
      width: '96px',
      align: 'end',
      cell: ({ errors, requests }) => (
        <span title={percent.format(errors / requests)} className={errors > 0 ? styles.errors : undefined}>
          {whole.format(errors)}
        </span>
      ),
    },
    {
      id: 'in',
      header: 'Tokens in',
      width: '110px',
      align: 'end',
      hideBelow: 'small',
      cell: ({ promptTokens }) => whole.format(promptTokens),
    },
    {
      id: 'out',
      header: 'Tokens out',
      width: '110px',
      align: 'end',
      hideBelow: 'small',
      cell: ({ completionTokens }) => whole.format(completionTokens),
    },
    {
      id: 'duration',
      header: 'Mean duration',
      width: '120px',
      align: 'end',
      hideBelow: 'medium',
      cell: ({ durationMs, requests }) => `${whole.format(durationMs / requests)} ms`,
    },
  ]
  return (
    <DataTable
      label={`Usage by ${headings[by].toLowerCase()}`}
      columns={columns}
      rows={groups}
      rowId={({ group }) => group ?? ''}
      rowName={({ group }) => name(group)}
      onOpen={({ group }) => {
        if (group !== null) onOpen(group)
      }}
    />
  )
}

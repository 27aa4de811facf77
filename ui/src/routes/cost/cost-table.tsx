/** What each model, user, key or group cost, the dearest first. A row opens its requests. */
import type { UsageScope } from '../../api/queries.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { compactText, percentText, wholeText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { groupHeadings, OpenGroup } from '../usage/group-name.tsx'
import type { Grouping } from '../usage/queries.ts'
import type { GroupSums } from '../usage/usage-groups.ts'
import type { CostBefore } from './queries.ts'
import { useUnpriced } from './unknown-prices.tsx'

export interface CostTableProps {
  readonly groups: readonly GroupSums[]
  /** The cost of all groups, those included that are not shown. */
  readonly all: number
  readonly currency: string
  /** Null while it loads. */
  readonly before: CostBefore | null
  readonly by: Grouping
  readonly scope: UsageScope
  readonly onOpen: (group: string) => void
}

export function CostTable({ groups, all, currency, before, by, scope, onOpen }: CostTableProps) {
  const beforeText = (group: string | null): string => {
    const cost = before?.costOf(group) ?? null
    return before === null ? '…' : cost === null ? '–' : moneyText(cost, currency)
  }
  const unpriced = new Set(useUnpriced().map(({ model }) => model))
  const costText = ({ group, cost }: GroupSums): string =>
    by === 'model' && cost === 0 && unpriced.has(group ?? '') ? 'unknown' : moneyText(cost, currency)
  const columns: readonly Column<GroupSums>[] = [
    {
      id: 'name',
      header: groupHeadings[by],
      min: 220,
      narrow: 136,
      grow: 1,
      cell: ({ group }) => <OpenGroup by={by} scope={scope} group={group} onOpen={onOpen} />,
    },
    { id: 'cost', header: 'Cost', min: 112, align: 'end', sortBy: ({ cost }) => cost, cell: costText },
    {
      id: 'share',
      header: 'Share',
      min: 80,
      align: 'end',
      priority: 2,
      sortBy: ({ cost }) => cost,
      cell: ({ cost }) => percentText(all === 0 ? 0 : cost / all),
    },
    {
      id: 'before',
      header: before?.heading ?? 'Before',
      min: 128,
      align: 'end',
      priority: 1,
      sortBy: ({ group }) => before?.costOf(group) ?? null,
      cell: ({ group }) => beforeText(group),
    },
    {
      id: 'requests',
      header: 'Requests',
      min: 96,
      align: 'end',
      priority: 3,
      sortBy: ({ requests }) => requests,
      cell: ({ requests }) => wholeText(requests),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      min: 96,
      align: 'end',
      priority: 4,
      sortBy: ({ promptTokens, completionTokens }) => promptTokens + completionTokens,
      cell: ({ promptTokens, completionTokens }) => compactText(promptTokens + completionTokens),
    },
  ]
  return (
    <DataTable
      label={`Cost by ${groupHeadings[by].toLowerCase()}`}
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

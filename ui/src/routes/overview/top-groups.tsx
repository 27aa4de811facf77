/** The models, users or keys with the most requests in the time range. Each leads to its requests. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope, UsageSpan } from '../../api/queries.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, countText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { Panel } from '../../components/panel.tsx'
import { Progress } from '../../components/progress.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Span } from '../search.ts'
import { useGroupNames } from '../usage/group-name.tsx'
import type { GroupSums } from '../usage/usage-groups.ts'
import { topGroupsQuery } from './queries.ts'
import styles from './panels.module.css'

const titles = { model: 'Models', user: 'Users', key: 'API keys' } as const

export interface TopGroupsProps {
  readonly by: keyof typeof titles
  readonly scope: UsageScope
  readonly span: Span
  readonly option: UsageSpan
  readonly currency: string
}

export function TopGroups({ by, scope, span, option, currency }: TopGroupsProps) {
  const groups = useQuery(topGroupsQuery(scope, by, option))
  const rows = groups.data ?? []
  const names = useGroupNames(
    { by, scope },
    rows.map(({ group }) => group),
  )
  const most = Math.max(1, ...rows.map(({ requests }) => requests))
  return (
    <Panel
      title={titles[by]}
      actions={
        <Link to="/usage" search={{ span, by }}>
          All
        </Link>
      }
    >
      {groups.error !== null && <ErrorNotice error={asApiError(groups.error)} />}
      {groups.isPending && <Skeleton lines={5} label={`Loading ${titles[by]}`} />}
      <ol className={styles.list}>
        {rows.map((row, index) => (
          <li key={row.group} className={styles.item}>
            <span className={styles.line}>
              <GroupLink by={by} span={span} group={row.group} name={names[index] ?? '…'} />
              <span className={styles.figure}>{figureText(row, currency)}</span>
            </span>
            <Progress label={`Share of ${names[index] ?? '…'}`} value={row.requests / most} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function figureText({ requests, errors, cost }: GroupSums, currency: string): string {
  const parts = [compactText(requests)]
  if (errors > 0) parts.push(countText(errors, 'error'))
  if (cost > 0) parts.push(moneyText(cost, currency))
  return parts.join(' · ')
}

interface GroupLinkProps {
  readonly by: keyof typeof titles
  readonly span: Span
  readonly group: string | null
  readonly name: string
}

function GroupLink({ by, span, group, name }: GroupLinkProps) {
  if (group === null) return <span className={styles.name}>{name}</span>
  return (
    <Link to="/requests" search={{ span, [by]: group }} className={styles.name} title={`Requests of ${name}`}>
      {name}
    </Link>
  )
}

/** The page of one group: what its members used, who they are, and which models and limits the group gives them. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Group } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { DeleteGroup } from '../groups/delete-group.tsx'
import { GroupDialog } from '../groups/group-dialog.tsx'
import { GroupMembers } from '../groups/group-members.tsx'
import { GroupModels } from '../groups/group-models.tsx'
import { groupQuery, isOrdinary } from '../groups/queries.ts'
import { groupTabs } from '../search.ts'
import styles from './group-page.module.css'
import { lazyPart } from '../../components/lazy-part.tsx'

const BudgetPanel = lazyPart(() => import('../budgets/budget-panel.tsx'), 'BudgetPanel')
const RatePanel = lazyPart(() => import('../budgets/rate-panel.tsx'), 'RatePanel')
const RecentUsage = lazyPart(() => import('../usage/recent-usage.tsx'), 'RecentUsage')

const route = getRouteApi('/shell/groups/$id')

export function GroupPage() {
  const { id } = route.useParams()
  const { data: group, error, refetch } = useQuery(groupQuery(id))
  if (error !== null) {
    return (
      <>
        <PageHeader title="Group" back={<Link to="/groups">Groups</Link>} />
        <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
      </>
    )
  }
  if (group === undefined) return <Skeleton lines={8} label="Loading the group" />
  return <Loaded group={group} />
}

function Loaded({ group }: { readonly group: Group }) {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const [opened, setOpened] = useState<'edit' | 'delete' | null>(null)
  const target = { scope: 'group', id: group.id, name: group.name } as const
  const canChange = !group.declared
  return (
    <>
      <PageHeader
        title={group.name}
        description={group.description || (isOrdinary(group) ? 'A group of users' : 'All users of this server')}
        back={<Link to="/groups">Groups</Link>}
        actions={
          <>
            {group.declared && <Badge tone="accent">declared</Badge>}
            {group.permissions.includes('documents.share') && <Badge>may share documents</Badge>}
            {canChange && <Button onClick={() => setOpened('edit')}>Edit</Button>}
            {canChange && isOrdinary(group) && <Button onClick={() => setOpened('delete')}>Delete…</Button>}
          </>
        }
      />
      <Tabs
        label="Group"
        value={tab ?? 'members'}
        onChange={(value) =>
          void navigate({ search: { tab: groupTabs.find((each) => each === value) }, replace: true })
        }
        tabs={[
          { value: 'members', label: 'Members', content: <GroupMembers group={group} /> },
          { value: 'models', label: 'Models', content: <GroupModels group={group} /> },
          {
            value: 'usage',
            label: 'Usage',
            content: (
              <div className={styles.stack}>
                <RecentUsage subject={{ kind: 'group', id: group.id }} />
              </div>
            ),
          },
          {
            value: 'limits',
            label: 'Limits',
            content: (
              <div className={styles.stack}>
                <BudgetPanel target={target} />
                <RatePanel target={target} />
              </div>
            ),
          },
        ]}
      />
      {opened === 'edit' && <GroupDialog group={group} onClose={() => setOpened(null)} />}
      {opened === 'delete' && (
        <DeleteGroup group={group} onClose={() => setOpened(null)} onDeleted={() => void navigate({ to: '/groups' })} />
      )}
    </>
  )
}

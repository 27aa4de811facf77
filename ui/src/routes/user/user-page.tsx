/** The page of one user: what they used, and their keys, limits, documents and sessions. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { allGroupsQuery } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu } from '../../components/menu.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { isOrdinary } from '../groups/queries.ts'
import { userTabs, type UserSearch } from '../search.ts'
import { RecentUsage } from '../usage/recent-usage.tsx'
import { userQuery } from '../users/queries.ts'
import { useUserActions } from '../users/user-dialogs.tsx'
import { roleNames, UserMenuItems, UserState } from '../users/user-table.tsx'
import styles from './user-page.module.css'
import { lazyPart } from '../../components/lazy-part.tsx'

// Each loads with its tab.
const KeyList = lazyPart(() => import('../keys/key-list.tsx'), 'KeyList')
const RatePanel = lazyPart(() => import('../budgets/rate-panel.tsx'), 'RatePanel')
const UserDocuments = lazyPart(() => import('./user-documents.tsx'), 'UserDocuments')
const UserLimits = lazyPart(() => import('./user-limits.tsx'), 'UserLimits')
const UserSessions = lazyPart(() => import('./user-sessions.tsx'), 'UserSessions')
const BudgetPanel = lazyPart(() => import('../budgets/budget-panel.tsx'), 'BudgetPanel')

const route = getRouteApi('/shell/users/$id')

export function UserPage() {
  const { id } = route.useParams()
  const { data: user, error, refetch } = useQuery(userQuery(id))
  if (error !== null) {
    return (
      <>
        <PageHeader title="User" back={<Link to="/users">Users</Link>} />
        <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
      </>
    )
  }
  if (user === undefined) return <Skeleton lines={8} label="Loading the user" />
  return <Loaded user={user} />
}

function Loaded({ user }: { readonly user: User }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { act, dialogs } = useUserActions(() => void navigate({ to: '/users' }))
  const change = (next: UserSearch): void => void navigate({ search: next, replace: true })
  const target = { scope: 'user', id: user.id, name: user.email } as const
  return (
    <>
      <PageHeader
        title={user.name || user.email}
        description={user.name === '' ? roleNames[user.role] : user.email}
        back={<Link to="/users">Users</Link>}
        actions={
          <>
            <Button onClick={() => act('key', user)}>
              <Icon name="plus" />
              Create API key
            </Button>
            <Menu
              trigger={
                <Button>
                  Actions
                  <Icon name="chevron" />
                </Button>
              }
            >
              <UserMenuItems user={user} onAction={act} />
            </Menu>
          </>
        }
      />
      <Tabs
        label="User"
        value={search.tab ?? 'usage'}
        onChange={(value) => change({ tab: userTabs.find((each) => each === value) })}
        tabs={[
          {
            value: 'usage',
            label: 'Overview',
            content: (
              <div className={styles.stack}>
                <UserFacts user={user} />
                <RecentUsage subject={{ kind: 'user', id: user.id }} />
              </div>
            ),
          },
          {
            value: 'keys',
            label: 'API keys',
            content: (
              <KeyList
                owner="anyone"
                user={user}
                search={search}
                onSearch={(next) => change({ ...next, tab: 'keys' })}
              />
            ),
          },
          {
            value: 'limits',
            label: 'Limits',
            content: (
              <div className={styles.stack}>
                <BudgetPanel target={target} />
                <RatePanel target={target} />
                <UserLimits user={user} />
              </div>
            ),
          },
          { value: 'documents', label: 'Documents', content: <UserDocuments user={user} /> },
          { value: 'sessions', label: 'Sessions', content: <UserSessions user={user} /> },
        ]}
      />
      {dialogs}
    </>
  )
}

function UserFacts({ user }: { readonly user: User }) {
  const { data: all = [] } = useQuery(allGroupsQuery)
  const groups = all.filter((group) => isOrdinary(group) && user.groups.includes(group.id))
  return (
    <Panel title="Account">
      <Facts>
        <Fact name="E-mail address">
          <CopiedFact text={user.email} what="e-mail address" />
        </Fact>
        <Fact name="State">
          <span className={styles.badges}>
            <UserState user={user} />
            <Badge>{roleNames[user.role]}</Badge>
            {user.kind === 'service' && <Badge>service account</Badge>}
            {user.kind === 'person' && !user.has_password && <Badge>no password</Badge>}
            {user.declared && <Badge tone="accent">declared</Badge>}
          </span>
        </Fact>
        <Fact name="Groups">
          <span className={styles.badges}>
            {groups.map(({ id, name }) => (
              <Link key={id} to="/groups/$id" params={{ id }}>
                {name}
              </Link>
            ))}
            {groups.length === 0 && 'only “everyone”'}
          </span>
        </Fact>
        <Fact name="Last seen">
          <RelativeTime at={user.last_seen_at} />
        </Fact>
        <Fact name="Created">
          <RelativeTime at={user.created_at} />
        </Fact>
        {user.invited_until !== null && (
          <Fact name="Invited">
            The link works until <RelativeTime at={user.invited_until} />
          </Fact>
        )}
        <Fact name="Id">
          <CopiedFact text={user.id} what="id" />
        </Fact>
      </Facts>
    </Panel>
  )
}

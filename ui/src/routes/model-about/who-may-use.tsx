/** Who may use a model: the own groups that open it, and for administrators all groups. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allGroupsQuery, allModelsQuery } from '../../api/queries.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/panel.tsx'
import { useIsAdmin, useSession } from '../../shell/use-session.ts'
import styles from './model-about-page.module.css'

export function WhoMayUse({ model }: { readonly model: UsableModel }) {
  const isAdmin = useIsAdmin()
  const { groups } = useSession()
  const own = groups.filter(({ id }) => model.groups.includes(id))
  return (
    <Panel title="Who may use it">
      {isAdmin ? (
        <AllGroups id={model.id} />
      ) : (
        <p className={styles.names}>
          {own.map((group) => (
            <Badge key={group.id}>{group.name}</Badge>
          ))}
        </p>
      )}
    </Panel>
  )
}

function AllGroups({ id }: { readonly id: string }) {
  const { data: models } = useQuery(allModelsQuery)
  const { data: all = [] } = useQuery(allGroupsQuery)
  const record = models?.find((each) => each.id === id)
  const groups = all.filter((group) => record?.groups.includes(group.id))
  return (
    <ul className={styles.names} aria-label="Groups">
      {groups.map((group) => (
        <li key={group.id}>
          <Link to="/groups/$id" params={{ id: group.id }} search={{ tab: 'members' }}>
            {group.name}
          </Link>
        </li>
      ))}
    </ul>
  )
}

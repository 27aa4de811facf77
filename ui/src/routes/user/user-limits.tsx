/** How many requests a user may have in flight on single models; what is not listed is as the model or the default has it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { User } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ownLimitsQuery } from '../settings/queries.ts'
import styles from './user-page.module.css'

export function UserLimits({ user }: { readonly user: User }) {
  const limits = useQuery(ownLimitsQuery)
  const own = limits.data?.filter(({ user_id: id }) => id === user.id)
  return (
    <Panel
      title="Requests in flight"
      actions={
        <Link to="/settings" search={{ tab: 'limits' }}>
          All limits
        </Link>
      }
    >
      {limits.error !== null && <ErrorNotice error={asApiError(limits.error)} onRetry={() => void limits.refetch()} />}
      {limits.isPending && <Skeleton lines={2} label="Loading limits" />}
      {own?.length === 0 && <p className={styles.none}>The limits of the models and the default apply.</p>}
      <ul className={styles.list}>
        {own?.map(({ model_id: id, model, limit }) => (
          <li key={id} className={styles.item}>
            <span className={styles.main}>{model}</span>
            <span>{limit} in flight</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

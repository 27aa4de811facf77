/** Says which models have no price, because their requests are missing from all costs; for administrators. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ModelPrice } from '../../api/schema.d.ts'
import { Notice } from '../../components/notice.tsx'
import { pricesQuery } from '../model/queries.ts'
import { useIsAdmin } from '../../shell/use-session.ts'
import styles from './cost-page.module.css'

const shownMax = 8

/** The models without a known price; empty for users, who do not see prices. */
export function useUnpriced(): readonly ModelPrice[] {
  const isAdmin = useIsAdmin()
  const { data } = useQuery({ ...pricesQuery, enabled: isAdmin })
  return (data?.data ?? []).filter(({ price }) => price === null)
}

export function UnknownPrices() {
  const unknown = useUnpriced()
  if (unknown.length === 0) return null
  const more = unknown.length - shownMax
  return (
    <Notice tone="warning">
      <p>No price is known for these models, so their requests are missing from the costs:</p>
      <p className={styles.models}>
        {unknown.slice(0, shownMax).map(({ model_id: id, model }) => (
          <Link key={id} to="/models/$id" params={{ id }} search={{ tab: 'cost' }}>
            {model}
          </Link>
        ))}
        {more > 0 && <span>and {more} more</span>}
      </p>
    </Notice>
  )
}

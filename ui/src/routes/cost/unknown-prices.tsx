/** Says which models have no price, because their requests are missing from all costs; for administrators. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { pricesQuery } from '../model/queries.ts'
import styles from './cost-page.module.css'

const shownMax = 8

export function UnknownPrices() {
  const { data } = useQuery(pricesQuery)
  const unknown = (data?.data ?? []).filter(({ price }) => price === null)
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

/** What a key, a user or a model was used in the last 30 days: small bars and a figure. */
import { useQueries } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { activityQuery, type UsageScope } from '../../api/queries.ts'
import type { Activity } from '../../api/schema.d.ts'
import { compactText, countText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { Sparkline } from '../../components/sparkline.tsx'
import styles from './activity-cell.module.css'

type Used = Activity['data'][number] & Pick<Activity, 'from' | 'currency'>

export interface ActivityOf {
  /** Null when it was not used; undefined while that is not known. */
  readonly of: (id: string) => Used | null | undefined
  /** For the table: which rows are visible. */
  readonly onRange: (first: number, last: number) => void
}

/** As many as one request may name. */
const chunkSize = 100

/** Reads the activity of the rows that come into view, a hundred at a time. */
export function useActivity(scope: UsageScope, kind: 'key' | 'user', ids: readonly string[]): ActivityOf {
  const [chunks, setChunks] = useState({ first: 0, last: 0 })
  const onRange = useCallback((first: number, last: number) => {
    const next = { first: Math.floor(first / chunkSize), last: Math.floor(last / chunkSize) }
    setChunks((before) => (before.first === next.first && before.last === next.last ? before : next))
  }, [])
  const wanted = useMemo(
    () =>
      Array.from({ length: chunks.last - chunks.first + 1 }, (_, index) => {
        const start = (chunks.first + index) * chunkSize
        return ids.slice(start, start + chunkSize)
      }).filter((some) => some.length > 0),
    [chunks, ids],
  )
  const results = useQueries({ queries: wanted.map((some) => activityQuery(scope, kind, some)) })
  const of = (id: string): Used | null | undefined => {
    const chunk = wanted.findIndex((some) => some.includes(id))
    const data = results[chunk]?.data
    return data === undefined ? undefined : (data.get(id) ?? null)
  }
  return { of, onRange }
}

export function ActivityCell({ used }: { readonly used: Used | null | undefined }) {
  if (used === undefined) return null
  if (used === null) return <span className={styles.none}>not used</span>
  const count = used.requests.reduce((sum, each) => sum + each, 0)
  return (
    <span className={styles.cell}>
      <Sparkline values={used.requests} label={activityText(used, count)} />
      <span className={styles.count}>{compactText(count)}</span>
    </span>
  )
}

function activityText({ errors, cost, currency }: Used, count: number): string {
  const parts = [`${countText(count, 'request')} in 30 days`]
  if (errors > 0) parts.push(countText(errors, 'error'))
  if (cost > 0) parts.push(moneyText(cost, currency))
  return parts.join(', ')
}

/** How the models of a provider are doing, in one word. */
import type { ProviderHealth } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import styles from './provider-table.module.css'

export interface HealthBadgeProps {
  readonly enabled: boolean
  readonly health: ProviderHealth | undefined
}

export function HealthBadge({ enabled, health }: HealthBadgeProps) {
  if (!enabled) return <Badge>off</Badge>
  const { out = 0, failing = 0, resting = 0, healthy = 0 } = health?.states ?? {}
  if (out > 0) return <Badge tone="danger">{out === 1 ? '1 model ejected' : `${out} models ejected`}</Badge>
  if (failing > 0) return <Badge tone="warning">failing</Badge>
  if (resting > 0) return <Badge tone="warning">rate-limited</Badge>
  if (healthy > 0) return <Badge tone="success">healthy</Badge>
  return (
    <span className={styles.muted} title="No requests yet">
      unknown
    </span>
  )
}

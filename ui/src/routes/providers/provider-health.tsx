/** How the models of a provider are doing, in one word. */
import type { ProviderHealth } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import styles from './provider-table.module.css'

export interface HealthBadgeProps {
  readonly enabled: boolean
  readonly health: ProviderHealth | undefined
}

const noStates = { out: 0, failing: 0, resting: 0, healthy: 0 }

export function HealthBadge({ enabled, health }: HealthBadgeProps) {
  if (!enabled) return <Badge>off</Badge>
  const { out, failing, resting, healthy } = { ...noStates, ...health?.states }
  if (out > 0) return <Badge tone="danger">{out === 1 ? '1 model ejected' : `${out} models ejected`}</Badge>
  const down = health?.servers.filter((server) => server.state === 'out') ?? []
  if (down.length > 0) return <ServersDown addresses={down.map(({ address }) => address)} />
  if (failing > 0) return <Badge tone="warning">failing</Badge>
  if (resting > 0) return <Badge tone="warning">rate-limited</Badge>
  if (healthy > 0) return <Badge tone="success">healthy</Badge>
  return (
    <span className={styles.muted} title="No requests yet">
      unknown
    </span>
  )
}

/** Its other servers go on. */
function ServersDown({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <span title={addresses.join('\n')}>
      <Badge tone="warning">{addresses.length === 1 ? '1 server out' : `${addresses.length} servers out`}</Badge>
    </span>
  )
}

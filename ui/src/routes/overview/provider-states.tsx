/** How each provider is doing: its health now, and its times in the time range. Those with a problem come first. For administrators. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { allProvidersQuery } from '../../api/queries.ts'
import type { Latency, Provider, ProviderHealth } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, countText, durationText } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { HealthBadge } from '../providers/provider-health.tsx'
import { providerHealthQuery } from '../providers/queries.ts'
import type { Span } from '../search.ts'
import { providerLatencyQuery } from './queries.ts'
import { spanOptions } from './span-options.ts'
import styles from './panels.module.css'

const shownMax = 8

export function ProviderStates({ span }: { readonly span: Span }) {
  const providers = useQuery({ ...allProvidersQuery, staleTime: 60_000 })
  const health = useQuery(providerHealthQuery)
  const latency = useQuery(providerLatencyQuery(spanOptions[span].spanMs)).data
  const latencies = new Map(latency?.map((each) => [each.group, each]))
  const states = new Map(health.data?.map((each) => [each.provider_id, each]))
  const worst = (providers.data ?? [])
    .filter(({ enabled }) => enabled)
    .map((provider) => ({ provider, health: states.get(provider.id) }))
    .toSorted((one, other) => trouble(other.health) - trouble(one.health))
  return (
    <Panel title="Providers" actions={<Link to="/providers">All</Link>}>
      {health.error !== null && <ErrorNotice error={asApiError(health.error)} />}
      {providers.data !== undefined && worst.length === 0 && <p className={styles.muted}>No provider is on.</p>}
      <ul className={styles.list}>
        {worst.slice(0, shownMax).map((each) => (
          <ProviderState key={each.provider.id} {...each} span={span} latency={latencies.get(each.provider.name)} />
        ))}
      </ul>
      {worst.length > shownMax && <p className={styles.muted}>and {worst.length - shownMax} more</p>}
    </Panel>
  )
}

interface ProviderStateProps {
  readonly provider: Provider
  readonly health: ProviderHealth | undefined
  readonly span: Span
  readonly latency: Latency['data'][number] | undefined
}

function ProviderState({ provider, health, span, latency }: ProviderStateProps) {
  const { in_flight: inFlight = 0, waiting = 0 } = health ?? {}
  const now = [
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
    ...(waiting > 0 ? [countText(waiting, 'waits', 'wait')] : []),
  ]
  return (
    <li className={styles.item}>
      <span className={styles.line}>
        <Link
          to="/requests"
          search={{ span, provider: provider.name }}
          className={styles.name}
          title={`Requests that ${provider.name} served`}
        >
          {provider.name}
        </Link>
        <span className={styles.figure}>{now.join(', ')}</span>
        <HealthBadge enabled health={health} />
      </span>
      {latency !== undefined && <span className={styles.muted}>{latencyText(latency)}</span>}
    </li>
  )
}

function latencyText({ requests, ...latency }: Latency['data'][number]): string {
  const pair = (name: string, p50: number | null, p95: number | null): string[] =>
    p50 === null || p95 === null ? [] : [`${name} ${durationText(p50)}, p95 ${durationText(p95)}`]
  return [
    `${compactText(requests)} answered`,
    ...pair('first token', latency.first_token_p50_ms, latency.first_token_p95_ms),
    ...pair('duration', latency.duration_p50_ms, latency.duration_p95_ms),
  ].join(' · ')
}

/** A provider with a model that is out comes before one that only fails. */
function trouble(health: ProviderHealth | undefined): number {
  const { out = 0, failing = 0, resting = 0, healthy = 0 } = health?.states ?? {}
  return out * 1e6 + failing * 1e4 + resting * 100 + Math.min(healthy, 1)
}

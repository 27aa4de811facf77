/** The health of a model's upstreams. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import type { UpstreamHealth } from '../../api/schema.d.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Panel } from '../../components/panel.tsx'
import styles from './health-panel.module.css'
import { healthQuery } from './queries.ts'

const states: Readonly<Record<UpstreamHealth['state'], readonly [BadgeTone, string]>> = {
  unknown: ['neutral', 'no requests yet'],
  healthy: ['success', 'healthy'],
  failing: ['warning', 'failing'],
  out: ['danger', 'ejected'],
  resting: ['warning', 'rate-limited'],
  off: ['neutral', 'off'],
}

export function HealthBadge({ health: { state } }: { readonly health: Pick<UpstreamHealth, 'state'> }) {
  const [tone, text] = states[state]
  return <Badge tone={tone}>{text}</Badge>
}

export function HealthPanel({ id }: { readonly id: string }) {
  const health = useQuery(healthQuery(id))
  return (
    <Panel title="Health">
      {health.error !== null && <ErrorNotice error={asApiError(health.error)} onRetry={() => void health.refetch()} />}
      {health.data?.length === 0 && <p className={styles.note}>It has no upstream. Requests are refused.</p>}
      <ul className={styles.list}>
        {health.data?.map((upstream) => (
          <li key={upstream.model_id} className={styles.upstream}>
            <span className={styles.name}>{upstream.model}</span>
            <HealthBadge health={upstream} />
            <span className={styles.note}>{[upstream.provider, ...factsOf(upstream)].join(' · ')}</span>
            {upstream.servers.length > 0 && (
              <ul className={styles.servers} aria-label={`Servers of ${upstream.model}`}>
                {upstream.servers.map((server) => (
                  <li key={server.address} className={styles.upstream}>
                    <code className={styles.name}>{server.address}</code>
                    <HealthBadge health={server} />
                    <span className={styles.note}>{factsOf(server).join(' · ')}</span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function factsOf(upstream: Omit<UpstreamHealth['servers'][number], 'address'>): readonly string[] {
  const { failures_in_row: failures, retry_in_ms: retryMs, first_byte_ms: firstMs, in_flight: running } = upstream
  return [
    ...(firstMs === null ? [] : [`first byte after ${firstMs} ms`]),
    ...(failures === 0 ? [] : [failures === 1 ? '1 failure' : `${failures} failures in a row`]),
    ...(retryMs === 0 ? [] : [`tried again in ${Math.ceil(retryMs / 1000)} s`]),
    ...(running === 0 ? [] : [`${running} running`]),
  ]
}

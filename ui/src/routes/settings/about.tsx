/** What this server is: the first things to say when something is reported. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import styles from './about.module.css'
import { aboutQuery } from './queries.ts'

const engines = { sqlite: 'SQLite, one process', postgres: 'PostgreSQL' } as const

export function About() {
  const { data, error, refetch } = useQuery(aboutQuery)
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={3} label="Loading" />
  return (
    <Panel title="Sluice">
      <dl className={styles.facts}>
        <dt>Version</dt>
        <dd>{data.version}</dd>
        <dt>Database</dt>
        <dd>{engines[data.database]}</dd>
        <dt>Started</dt>
        <dd>
          <RelativeTime at={data.started_at} />
        </dd>
        <dt>Address</dt>
        <dd>
          <code>{window.location.origin}</code>
        </dd>
        <dt>Read more</dt>
        <dd className={styles.links}>
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          <a href="/openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </a>
        </dd>
      </dl>
    </Panel>
  )
}

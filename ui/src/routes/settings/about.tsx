/** The version and environment of the server, for reports. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
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
      <Facts>
        <Fact name="Version">{data.version}</Fact>
        <Fact name="Database">{engines[data.database]}</Fact>
        <Fact name="Started">
          <RelativeTime at={data.started_at} />
        </Fact>
        <Fact name="Address">
          <code>{window.location.origin}</code>
        </Fact>
        <Fact name="Read more">
          <span className={styles.links}>
            <a href="/docs" target="_blank" rel="noreferrer">
              API reference
            </a>
            <a href="/openapi.json" target="_blank" rel="noreferrer">
              OpenAPI document
            </a>
            <a href="/font-license.txt" target="_blank" rel="noreferrer">
              Licence of the typeface
            </a>
          </span>
        </Fact>
      </Facts>
    </Panel>
  )
}

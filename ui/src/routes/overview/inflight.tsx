/** The requests in flight on each model, and the limit for one account. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { inflightQuery } from '../../api/queries.ts'
import type { InflightUse, ProcessAge } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import tableStyles from '../../components/figure-table.module.css'
import { Panel } from '../../components/panel.tsx'
import { modelQuery } from '../model/queries.ts'
import { settingsQuery } from '../settings/queries.ts'
import styles from './inflight.module.css'

export function Inflight() {
  const inflight = useQuery(inflightQuery)
  const { data: models = [], processes = [] } = inflight.data ?? {}
  const running = models.filter((model) => model.in_use > 0)
  const limits = useLimits(running)
  return (
    <Panel title="In flight now">
      <p className={styles.note}>
        {limits === null ? 'Requests of all accounts.' : limitText(limits)} {processes.length > 1 && ageText(processes)}{' '}
        <Link to="/settings" search={{ tab: 'limits' }}>
          Limits
        </Link>
      </p>
      {inflight.error !== null && <ErrorNotice error={asApiError(inflight.error)} />}
      {inflight.data !== undefined && running.length === 0 && <p>No requests are in flight.</p>}
      {running.length > 0 && (
        <table className={tableStyles.table} aria-label="Requests in flight">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Running</th>
              <th scope="col">Limit per account</th>
            </tr>
          </thead>
          <tbody>
            {running.map(({ model_id: id, model, in_use: inUse }, index) => (
              <tr key={id}>
                <th scope="row">{model}</th>
                <td>{inUse}</td>
                <td>{limits?.enforced === true ? (limits.ofModels[index] ?? limits.standard) : 'none'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

interface Limits {
  readonly enforced: boolean
  /** For models without a limit. */
  readonly standard: number
  /** The limit of each running model; null where the model has none. */
  readonly ofModels: readonly (number | null)[]
}

/** The limits that apply to accounts without a limit of their own; null until the settings are read. */
function useLimits(running: readonly InflightUse[]): Limits | null {
  const { data: settings } = useQuery({ ...settingsQuery, staleTime: 60_000 })
  const models = useQueries({ queries: running.map(({ model_id: id }) => ({ ...modelQuery(id), staleTime: 60_000 })) })
  if (settings === undefined) return null
  const valueOf = (name: string): unknown => settings.find((setting) => setting.name === name)?.value
  return {
    enforced: valueOf('limits.realtime_inflight.enforce') === true,
    standard: Number(valueOf('limits.realtime_inflight.default')),
    ofModels: models.map(({ data }) => data?.inflight_limit ?? null),
  }
}

/** The other processes say so with their heartbeats. */
function ageText(processes: readonly ProcessAge[]): string {
  const oldestMs = Math.max(...processes.map(({ age_ms: ageMs }) => ageMs))
  return `Added up over ${processes.length} processes; the oldest figure is ${(oldestMs / 1000).toFixed(1)} s old.`
}

function limitText({ enforced, standard }: Limits): string {
  return enforced
    ? `Each account may have ${standard} requests in flight on a model, unless the model or the account has its own limit.`
    : 'No limit is enforced.'
}

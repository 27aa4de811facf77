/** How many requests run now on each model, and how many one account may have there. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { inflightQuery, limitsQuery } from '../../api/queries.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Panel } from '../../components/panel.tsx'
import styles from './inflight.module.css'

export function Inflight() {
  const inflight = useQuery(inflightQuery)
  const limits = useQuery(limitsQuery)
  const running = (inflight.data ?? []).filter((model) => model.in_use > 0)
  return (
    <Panel title="In flight now">
      <p className={styles.note}>
        {limits.data === undefined ? 'Requests of all accounts.' : limitText(limits.data)}{' '}
        <Link to="/settings" search={{ tab: 'limits' }}>
          Limits
        </Link>
      </p>
      {inflight.error !== null && <ErrorNotice error={asApiError(inflight.error)} />}
      {inflight.data !== undefined && running.length === 0 && <p>No request is running.</p>}
      {running.length > 0 && (
        <table className={styles.table} aria-label="Requests in flight">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Running</th>
              <th scope="col">Limit per account</th>
            </tr>
          </thead>
          <tbody>
            {running.map(({ model_id: id, model, in_use: inUse }) => (
              <tr key={id}>
                <th scope="row">{model}</th>
                <td>{inUse}</td>
                <td>
                  {limits.data?.enforced === true ? (limits.data.ofModel.get(id) ?? limits.data.standard) : 'none'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

function limitText({ enforced, standard }: { readonly enforced: boolean; readonly standard: number }): string {
  return enforced
    ? `An account may have ${standard} requests in flight on a model, unless the model or the account has a limit of its own.`
    : 'No limit is enforced.'
}

/** What an administrator does first: the own password, a provider, and other people. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { buttonClass } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { foundProvidersQuery } from './queries.ts'
import styles from './welcome-page.module.css'

export function PasswordStep({ done }: { readonly done: boolean }) {
  return done ? (
    <p>
      Nobody else has chosen your password. You change it on the page <Link to="/account">Your account</Link>.
    </p>
  ) : (
    <div className={styles.step}>
      <p>Another person has chosen your password, or the first start did.</p>
      <div className={styles.actions}>
        <Link to="/account" className={buttonClass('primary')}>
          Change the password
        </Link>
      </div>
    </div>
  )
}

/** What was found on the server's machine, ready to add; and all others. */
export function ProviderStep({ done }: { readonly done: boolean }) {
  const found = useQuery(foundProvidersQuery)
  return (
    <div className={styles.step}>
      <p>A provider runs models: a vendor, or a server of your own. Practice models have no AI behind them.</p>
      {found.error !== null && <ErrorNotice error={asApiError(found.error)} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={1} label="Looking for model servers on this machine" />}
      {found.data !== undefined && found.data.length > 0 && (
        <ul className={styles.found} aria-label="Found on this machine">
          {found.data.map(({ preset, title, where, models }) => (
            <li key={preset}>
              <span>
                <strong>{title}</strong>{' '}
                {models === null
                  ? `has its key in the variable ${where}`
                  : `at ${where}, ${countText(models, 'model')}`}
              </span>
              <Link to="/providers" search={{ add: preset }} className={buttonClass()}>
                Connect {title}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {found.data?.length === 0 && <p>No model server was found on this machine, and no key of a vendor.</p>}
      <div className={styles.actions}>
        <Link to="/providers" search={{ add: 'any' }} className={buttonClass(done ? 'secondary' : 'primary')}>
          Connect a vendor or another server
        </Link>
      </div>
    </div>
  )
}

export function ColleagueStep({ done }: { readonly done: boolean }) {
  return (
    <div className={styles.step}>
      <p>Invitations are links that you pass on. Groups decide which models people may use.</p>
      <div className={styles.actions}>
        <Link to="/users" search={{ new: true }} className={buttonClass(done ? 'secondary' : 'primary')}>
          Invite people
        </Link>
      </div>
    </div>
  )
}

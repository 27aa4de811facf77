/** The way in through an OpenID Connect issuer, when there is one, and why it did not lead anywhere. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { resource } from '../api/queries.ts'
import { buttonClass } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { refusalText } from './sign-in-refusals.ts'
import styles from './sign-in.module.css'

export function SignInIssuer({
  returnPath,
  error,
}: {
  readonly returnPath: string | undefined
  readonly error: string | undefined
}) {
  const options = useQuery({
    queryKey: [...resource.session, 'options'],
    queryFn: ({ signal }) => api('GET /admin/api/v1/session/options', { signal }),
    staleTime: Infinity,
    // Without an answer there is still the password.
    retry: 1,
  })
  const oidc = options.data?.oidc ?? null
  return (
    <>
      {error !== undefined && (
        <Notice tone="danger" role="alert">
          {refusalText(error)}
        </Notice>
      )}
      {oidc !== null && (
        <>
          <a className={buttonClass('secondary')} href={addressOf(oidc.url, returnPath)}>
            Sign in with {oidc.label}
          </a>
          <p className={styles.or}>or</p>
        </>
      )}
    </>
  )
}

function addressOf(url: string, returnPath: string | undefined): string {
  return returnPath === undefined ? url : `${url}?return=${encodeURIComponent(returnPath)}`
}

/** A button for each OpenID Connect issuer that is configured, and the error of a failed sign-in. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { resource } from '../api/queries.ts'
import { buttonClass } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { signInErrorText } from './sign-in-errors.ts'
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
    // Sign-in with a password works without this answer.
    retry: 1,
  })
  const issuers = options.data?.issuers ?? []
  return (
    <>
      {error !== undefined && (
        <Notice tone="danger" role="alert">
          {signInErrorText(error)}
        </Notice>
      )}
      {issuers.map(({ label, url }) => (
        <a key={url} className={buttonClass('secondary')} href={addressOf(url, returnPath)}>
          Sign in with {label}
        </a>
      ))}
      {issuers.length > 0 && <p className={styles.or}>or</p>}
    </>
  )
}

function addressOf(url: string, returnPath: string | undefined): string {
  return returnPath === undefined ? url : `${url}?return=${encodeURIComponent(returnPath)}`
}

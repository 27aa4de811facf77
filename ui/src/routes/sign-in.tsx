/** The sign-in page: e-mail address and password, or OpenID Connect. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect, useState, type FormEvent } from 'react'
import { ApiError, asApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { resource, sessionQuery } from '../api/queries.ts'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Input } from '../components/input.tsx'
import { SignInIssuer } from './sign-in-issuer.tsx'
import styles from './sign-in.module.css'

const route = getRouteApi('/sign-in')
const yearMs = 365 * 86_400_000

export function SignInPage() {
  const router = useRouter()
  const queryClient = useQueryClient()
  const { return: returnPath, error } = route.useSearch()
  const signIn = useMutation({
    mutationFn: (body: { readonly email: string; readonly password: string }) =>
      api('POST /admin/api/v1/session', { body }),
    async onSuccess(session) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== resource.session[0] })
      queryClient.setQueryData(sessionQuery.queryKey, session)
      router.history.push(returnPath ?? (await firstPage()))
    },
  })
  const [waitSeconds, startWaiting] = useCountdown()
  useEffect(() => {
    document.title = 'Sign in · Sluice'
  }, [])

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string): string => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const body = { email: text('email'), password: text('password') }
    signIn.mutate(body, {
      onError: (thrown) => {
        if (thrown instanceof ApiError && thrown.retryAfterSeconds !== null) startWaiting(thrown.retryAfterSeconds)
      },
    })
  }

  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={onSubmit}>
        <span className={styles.brand}>
          <Icon name="brand" size={32} />
        </span>
        <h1>Sign in to Sluice</h1>
        <SignInIssuer returnPath={returnPath} error={error} />
        {signIn.error !== null && <ErrorNotice error={asApiError(signIn.error)} />}
        <Field label="E-mail address">
          <Input name="email" type="email" autoComplete="username" required autoFocus />
        </Field>
        <Field label="Password">
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
        <Button type="submit" variant="primary" busy={signIn.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Try again in ${waitSeconds} s` : 'Sign in'}
        </Button>
        <p className={styles.help}>
          The first start of the server prints the administrator’s e-mail address and password. If you forgot your
          password, ask an administrator to set a new one.
        </p>
      </form>
    </main>
  )
}

/** "Getting started" for an account that has never sent a request, otherwise the overview. */
async function firstPage(): Promise<string> {
  const query = { from: new Date(Date.now() - yearMs).toISOString() }
  const { requests } = await api('GET /admin/api/v1/me/usage', { query })
  return requests === 0 ? '/welcome' : '/'
}

/** The remaining seconds, and a function that starts the countdown. */
function useCountdown(): readonly [number, (seconds: number) => void] {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return [left, setLeft]
}

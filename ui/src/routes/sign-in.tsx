/**
 * The sign-in page: e-mail address and password, or OpenID Connect. A password that another person has chosen is replaced
 * here, before the first session begins.
 */
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
    mutationFn: (body: Credentials) => api('POST /admin/api/v1/session', { body }),
    async onSuccess(session) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== resource.session[0] })
      queryClient.setQueryData(sessionQuery.queryKey, session)
      router.history.push(returnPath ?? (await firstPage()))
    },
  })
  const [waitSeconds, startWaiting] = useCountdown()
  const [mustChoose, setMustChoose] = useState(false)
  const [differs, setDiffers] = useState(false)
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
    const isTwice = !mustChoose || text('new_password') === text('again')
    setDiffers(!isTwice)
    if (!isTwice) return
    const own = mustChoose ? { new_password: text('new_password') } : {}
    signIn.mutate(
      { email: text('email'), password: text('password'), ...own },
      {
        onError: (thrown) => {
          if (!(thrown instanceof ApiError)) return
          if (thrown.code === 'password_change_required') setMustChoose(true)
          if (thrown.retryAfterSeconds !== null) startWaiting(thrown.retryAfterSeconds)
        },
      },
    )
  }

  const thrown = signIn.error === null ? null : asApiError(signIn.error)
  // The form says the same by what it asks for now.
  const problem = thrown?.code === 'password_change_required' ? null : thrown
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={onSubmit}>
        <span className={styles.brand}>
          <Icon name="brand" size={32} />
        </span>
        <h1>Sign in to Sluice</h1>
        {!mustChoose && <SignInIssuer returnPath={returnPath} error={error} />}
        {problem !== null && <ErrorNotice error={problem} />}
        <Field label="E-mail address">
          <Input name="email" type="email" autoComplete="username" required autoFocus readOnly={mustChoose} />
        </Field>
        <Field label="Password">
          <Input name="password" type="password" autoComplete="current-password" required readOnly={mustChoose} />
        </Field>
        {mustChoose && <OwnPassword differs={differs} />}
        <Button type="submit" variant="primary" busy={signIn.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Try again in ${waitSeconds} s` : mustChoose ? 'Set password and sign in' : 'Sign in'}
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

interface Credentials {
  readonly email: string
  readonly password: string
  readonly new_password?: string
}

/** Asks for a password that nobody else knows. */
function OwnPassword({ differs }: { readonly differs: boolean }) {
  return (
    <>
      <p className={styles.help} role="status">
        This password was chosen for you. Choose one that only you know.
      </p>
      <Field label="New password" hint="At least 12 characters: a few words that do not belong together, for example.">
        <Input name="new_password" type="password" autoComplete="new-password" required minLength={12} autoFocus />
      </Field>
      <Field
        label="New password, again"
        error={differs ? 'The two new passwords differ. Type the same one twice.' : null}
      >
        <Input name="again" type="password" autoComplete="new-password" required />
      </Field>
    </>
  )
}

/**
 * The page of an invitation: the person chooses a password and is signed in. The token is in the part of the address
 * that the browser sends nowhere, and leaves it as soon as the page is there.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState, type FormEvent } from 'react'
import { asApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { resource, sessionQuery } from '../api/queries.ts'
import { Button, buttonClass } from '../components/button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Input } from '../components/input.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import styles from './sign-in.module.css'

export function InvitationPage() {
  const [token] = useState(() => window.location.hash.slice(1))
  const invited = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      api('POST /admin/api/v1/session/invitation/look', { body: { token }, signal, renew: false }),
    // What was true of a token is not kept.
    gcTime: 0,
    retry: false,
  })
  useEffect(() => {
    document.title = 'Choose a password · Sluice'
    // Nobody reads it from the address bar or finds it in the history.
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  return (
    <main className={styles.page}>
      {invited.isPending && <Skeleton lines={4} label="Looking at the invitation" />}
      {invited.error !== null && (
        <div className={styles.form}>
          <h1>This link does not work</h1>
          <ErrorNotice error={asApiError(invited.error)} />
          <a href="/sign-in" className={buttonClass('secondary')}>
            Go to the sign-in
          </a>
        </div>
      )}
      {invited.data !== undefined && <PasswordForm {...invited.data} token={token} />}
    </main>
  )
}

interface PasswordFormProps {
  readonly token: string
  readonly email: string
  readonly name: string
  readonly expires_at: string
}

function PasswordForm({ token, email, name, expires_at: until }: PasswordFormProps) {
  const router = useRouter()
  const queryClient = useQueryClient()
  const [differs, setDiffers] = useState(false)
  const accepting = useMutation({
    mutationFn: (password: string) =>
      api('POST /admin/api/v1/session/invitation', { body: { token, password }, renew: false }),
    onSuccess(session) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== resource.session[0] })
      queryClient.setQueryData(sessionQuery.queryKey, session)
      router.history.push('/welcome')
    },
    gcTime: 0,
  })
  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [password, again] = [form.get('new_password'), form.get('again')]
    setDiffers(password !== again)
    if (typeof password === 'string' && password === again) accepting.mutate(password)
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <span className={styles.brand}>
        <Icon name="brand" size={32} />
      </span>
      <h1>Welcome{name === '' ? '' : `, ${name}`}</h1>
      <p className={styles.help}>
        Choose a password for {email}. This link works once, until <RelativeTime at={until} />.
      </p>
      {accepting.error !== null && <ErrorNotice error={asApiError(accepting.error)} />}
      {/* For the password manager. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Field label="New password" hint="At least 12 characters: a few words that do not belong together, for example.">
        <Input name="new_password" type="password" autoComplete="new-password" required minLength={12} autoFocus />
      </Field>
      <Field
        label="New password, again"
        error={differs ? 'The two new passwords differ. Type the same one twice.' : null}
      >
        <Input name="again" type="password" autoComplete="new-password" required />
      </Field>
      <Button type="submit" variant="primary" busy={accepting.isPending}>
        Set password and sign in
      </Button>
    </form>
  )
}

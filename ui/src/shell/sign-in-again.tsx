/**
 * Asks for the password over the page when the session has ended, so that what was entered there stays. People who sign in by
 * another way do so in another tab; this one notices.
 */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Input } from '../components/input.tsx'
import type { Session } from './use-session.ts'

export interface SignInAgainProps {
  /** Whose session has ended. */
  readonly email: string
  /** There is a session now, of this user or another one. */
  readonly onSession: (session: Session) => void
  readonly onLeave: () => void
}

const formId = 'sign-in-again'

export function SignInAgain({ email, onSession, onLeave }: SignInAgainProps) {
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api('POST /admin/api/v1/session', { body: { email, password } }),
    onSuccess: onSession,
    gcTime: 0,
  })
  useEffect(() => {
    // Back from another tab, in which there may be a session now.
    const look = (): void => void api('GET /admin/api/v1/session', { renew: false }).then(onSession, () => undefined)
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [onSession])
  return (
    <Dialog
      open
      persistent
      onClose={onLeave}
      title="Your session has ended"
      description="Sign in again to go on. What you entered is still here."
      actions={
        <>
          <Button onClick={onLeave}>Leave the page</Button>
          <Button type="submit" form={formId} variant="primary" busy={signIn.isPending} disabled={password === ''}>
            Sign in
          </Button>
        </>
      }
    >
      <Form
        id={formId}
        error={signIn.error === null ? null : asApiError(signIn.error)}
        onSubmit={() => signIn.mutate()}
      >
        <Field label="E-mail address">
          <Input type="email" autoComplete="username" readOnly disabled value={email} />
        </Field>
        <Field label="Password">
          <Input
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <p>
          You use single sign-on?{' '}
          <a href="/sign-in" target="_blank" rel="noreferrer">
            Sign in in another tab
          </a>
          , then come back to this one.
        </p>
      </Form>
    </Dialog>
  )
}

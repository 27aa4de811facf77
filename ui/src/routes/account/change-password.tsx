/** Changes the user's own password. The server then ends all sessions, so the user signs in again. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSession } from '../../shell/use-session.ts'
import styles from './account-page.module.css'
import { useReturnToSignIn } from './use-return-to-sign-in.ts'

const newPassword = { type: 'password', required: true, autoComplete: 'new-password' } as const

export function ChangePassword() {
  const { user } = useSession()
  const leave = useReturnToSignIn()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [differs, setDiffers] = useState(false)
  const changing = useMutation({
    mutationFn: () => api('POST /admin/api/v1/me/password', { body: { current, new: next } }),
    onSuccess: () => leave('Your password is changed. Sign in with the new one.'),
    gcTime: 0,
  })
  const error = changing.error === null ? null : asApiError(changing.error)
  return (
    <Panel title="Password">
      <p className={styles.hint}>
        A new password ends all your sessions, including this one. API keys continue to work.
      </p>
      <div className={styles.form}>
        <Form
          error={error}
          onSubmit={() => {
            setDiffers(next !== again)
            if (next === again) changing.mutate()
          }}
        >
          {/* Tells password managers whose password it is. */}
          <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
          <TextField
            type="password"
            label="Current password"
            param="current"
            required
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
          <TextField
            {...newPassword}
            label="New password"
            hint="At least 12 characters."
            param="new"
            minLength={12}
            maxLength={1024}
            value={next}
            onChange={setNext}
          />
          <TextField
            {...newPassword}
            label="New password, again"
            error={differs ? 'The two new passwords differ. Type the same one twice.' : null}
            value={again}
            onChange={setAgain}
          />
          <div>
            <Button type="submit" variant="primary" busy={changing.isPending}>
              Change password
            </Button>
          </div>
        </Form>
      </div>
    </Panel>
  )
}

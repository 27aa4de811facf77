/** Ends all sessions of the user's own account, on every device. */
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import styles from './account-page.module.css'
import { useReturnToSignIn } from './use-return-to-sign-in.ts'

export function SignOutEverywhere() {
  const leave = useReturnToSignIn()
  const [asking, setAsking] = useState(false)
  return (
    <Panel title="Sessions">
      <p className={styles.hint}>This ends your sessions in all browsers. API keys continue to work.</p>
      <Button onClick={() => setAsking(true)}>Sign out everywhere</Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        consequence="You are signed out at once, in this browser and all others."
        names={['All your sessions']}
        confirm="Sign out everywhere"
        onConfirm={async () => {
          await api('DELETE /admin/api/v1/me/sessions')
          await leave('You are signed out everywhere.')
        }}
      />
    </Panel>
  )
}

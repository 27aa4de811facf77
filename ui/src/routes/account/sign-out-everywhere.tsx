/** Ends all sessions of the own account, on every device. */
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import styles from './account-page.module.css'
import { useLeave } from './use-leave.ts'

export function SignOutEverywhere() {
  const leave = useLeave()
  const [asking, setAsking] = useState(false)
  return (
    <Panel title="Sessions">
      <p className={styles.hint}>
        Somebody may still be signed in as you in another browser. API keys are not touched by this.
      </p>
      <Button onClick={() => setAsking(true)}>Sign out everywhere</Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        consequence="You are signed out at once in this and every other browser."
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

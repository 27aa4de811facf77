/** Shows the secret of a key, which is never shown again. */
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import styles from './show-secret.module.css'

export interface ShowSecretProps {
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}

export function ShowSecret({ name, secret, onClose }: ShowSecretProps) {
  return (
    <Dialog
      open
      persistent
      onClose={onClose}
      title={`The key “${name}”`}
      actions={
        <Button variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <Notice tone="warning">Copy the key now. It cannot be shown again: the server stores only a hash of it.</Notice>
      <div className={styles.secret}>
        <code data-testid="secret">{secret}</code>
      </div>
      <CopyButton text={secret} what="API key" variant="secondary">
        Copy the key
      </CopyButton>
    </Dialog>
  )
}

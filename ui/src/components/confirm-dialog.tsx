/** Asks before something is destroyed, and names what it is. Stays open with the server's message when that fails. */
import { useMutation } from '@tanstack/react-query'
import { asApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import styles from './confirm-dialog.module.css'

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** A question that says what happens: "Delete 3 API keys?" */
  readonly title: string
  /** What follows from it. */
  readonly consequence: string
  /** The names of what is destroyed. */
  readonly names: readonly string[]
  /** The verb: "Delete 3 keys". */
  readonly confirm: string
  /** The dialog closes when this has resolved. */
  readonly onConfirm: () => Promise<unknown>
}

const namesShownMax = 8

export function ConfirmDialog({ open, onClose, title, consequence, names, confirm, onConfirm }: ConfirmDialogProps) {
  const doing = useMutation({ mutationFn: onConfirm, onSuccess: close })
  function close(): void {
    doing.reset()
    onClose()
  }
  const hidden = names.length - namesShownMax
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      description={consequence}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="danger" busy={doing.isPending} onClick={() => doing.mutate()}>
            {confirm}
          </Button>
        </>
      }
    >
      <ul className={styles.names}>
        {names.slice(0, namesShownMax).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {hidden > 0 && <li className={styles.more}>and {hidden} more</li>}
      </ul>
      {doing.error !== null && <ErrorNotice error={asApiError(doing.error)} />}
    </Dialog>
  )
}

/** Asks before data is destroyed and lists it. Stays open with the error when the action fails. */
import { useMutation } from '@tanstack/react-query'
import { asApiError } from '../api/api-error.ts'
import { isTheirs } from '../api/conflict.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import styles from './confirm-dialog.module.css'

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** The question: "Delete 3 API keys?" */
  readonly title: string
  /** What happens next. */
  readonly consequence: string
  /** The names of the destroyed items. */
  readonly names: readonly string[]
  /** The label of the button: "Delete 3 keys". */
  readonly confirm: string
  /** The dialog closes when this resolves. */
  readonly onConfirm: () => Promise<unknown>
}

const namesShownMax = 8

export function ConfirmDialog({ open, onClose, title, consequence, names, confirm, onConfirm }: ConfirmDialogProps) {
  const doing = useMutation({
    mutationFn: onConfirm,
    onSuccess: close,
    onError: (thrown) => isTheirs(thrown) && close(),
  })
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

/**
 * A dialog with a form: its buttons, the pending request and the error. What was entered is not lost by
 * Escape, a click beside the dialog or a reload: it asks first. Cancel does not ask.
 */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { Form } from './form.tsx'
import styles from './form-dialog.module.css'

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'size' | 'onClose' | 'children'> {
  /** The text of the main button: "Create". */
  readonly submitLabel: string
  /** Submits the form, then closes the dialog or opens the next step. The dialog shows the error that it throws. */
  readonly onSubmit: () => Promise<unknown>
  /** The form cannot be submitted yet. */
  readonly disabled?: boolean
  readonly cancelLabel?: string
  /** Returns to the previous step. The button replaces Cancel. */
  readonly onBack?: () => void
  /** Another action on the same fields. Its errors are shown like those of `onSubmit`. */
  readonly secondary?: { readonly label: string; readonly run: () => Promise<unknown> }
}

type Action = 'submit' | 'secondary'

export function FormDialog(props: FormDialogProps) {
  const { title, description, size = 'medium', children, onClose, onBack, secondary } = props
  const { submitLabel, onSubmit, disabled = false, cancelLabel = 'Cancel' } = props
  const formId = useId()
  const sending = useMutation({
    mutationFn: async (action: Action) => (action === 'submit' ? onSubmit() : secondary?.run()),
    // Passwords and keys must not stay in memory after the dialog closes.
    gcTime: 0,
  })
  const [touched, setTouched] = useTouched()
  const [asking, setAsking] = useState(false)
  const isBusy = (action: Action): boolean => sending.isPending && sending.variables === action
  return (
    <Dialog
      open
      onClose={() => (touched && !asking ? setAsking(true) : onClose())}
      title={title}
      description={description}
      size={size}
      actions={
        asking ? (
          <AskToDiscard onKeep={() => setAsking(false)} onDiscard={onClose} />
        ) : (
          <>
            {onBack === undefined ? (
              <Button onClick={onClose}>{cancelLabel}</Button>
            ) : (
              <Button className={styles.back ?? ''} onClick={onBack}>
                Back
              </Button>
            )}
            {secondary !== undefined && (
              <Button busy={isBusy('secondary')} onClick={() => sending.mutate('secondary')}>
                {secondary.label}
              </Button>
            )}
            <Button type="submit" form={formId} variant="primary" busy={isBusy('submit')} disabled={disabled}>
              {submitLabel}
            </Button>
          </>
        )
      }
    >
      <div onChange={setTouched}>
        <Form
          id={formId}
          error={sending.error === null ? null : asApiError(sending.error)}
          onSubmit={() => sending.mutate('submit')}
        >
          {children}
        </Form>
      </div>
    </Dialog>
  )
}

/** Whether a field was changed. While it was, the browser asks before it leaves the page. */
function useTouched(): readonly [boolean, () => void] {
  const [touched, setTouched] = useState(false)
  useEffect(() => {
    if (!touched) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [touched])
  return [touched, () => setTouched(true)]
}

function AskToDiscard({ onKeep, onDiscard }: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  return (
    <>
      <p role="alert" className={styles.question}>
        Discard what you entered?
      </p>
      <Button autoFocus onClick={onKeep}>
        Keep editing
      </Button>
      <Button variant="danger" onClick={onDiscard}>
        Discard
      </Button>
    </>
  )
}

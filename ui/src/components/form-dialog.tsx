/**
 * A dialog with a form: its buttons, the pending request and the error. What was entered is not lost by
 * Escape, a click beside the dialog, the browser's buttons or a reload: it asks first. Cancel does not ask.
 */
import { useMutation } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { isTheirs } from '../api/conflict.ts'
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
  const [touched, setTouched] = useState(false)
  const [asking, setAsking] = useState(false)
  const sending = useMutation({
    mutationFn: async (action: Action) => {
      if (action === 'secondary') return secondary?.run()
      await onSubmit()
      // What was entered is saved, or the next step has it.
      setTouched(false)
    },
    onError: (thrown) => isTheirs(thrown) && onClose(),
    // Passwords and keys must not stay in memory after the dialog closes.
    gcTime: 0,
  })
  const leaving = useAskBeforeLeaving(touched && !sending.isPending)
  const isBusy = (action: Action): boolean => sending.isPending && sending.variables === action
  return (
    <Dialog
      open
      onClose={() => (touched && !asking ? setAsking(true) : onClose())}
      title={title}
      description={description}
      size={size}
      actions={
        asking || leaving.isAsked ? (
          <AskToDiscard
            onKeep={() => {
              setAsking(false)
              leaving.stay()
            }}
            onDiscard={() => {
              onClose()
              leaving.leave()
            }}
          />
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
      <div onChange={() => setTouched(true)}>
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

interface Leaving {
  /** The page is about to be left, by the browser's buttons or a link. */
  readonly isAsked: boolean
  readonly stay: () => void
  readonly leave: () => void
}

/** Asks before the page is left while there is something to lose; a reload the browser asks about itself. */
function useAskBeforeLeaving(hasChanges: boolean): Leaving {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasChanges && current.pathname !== next.pathname,
    enableBeforeUnload: () => hasChanges,
    withResolver: true,
  })
  return { isAsked: status === 'blocked', stay: () => reset?.(), leave: () => proceed?.() }
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

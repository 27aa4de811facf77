/**
 * A labelled form field. The control inside takes its id and description from the field, so screen
 * readers announce the label, hint and error with it.
 */
import { createContext, useContext, useId, type ReactNode } from 'react'
import styles from './field.module.css'
import { useFieldError } from './form-errors.tsx'

export interface FieldProps {
  readonly label: string
  /** What to enter, shown below the control. */
  readonly hint?: string | undefined
  /** The request parameter that the field fills. The field shows the server's error about it. */
  readonly param?: string | undefined
  /** An error that the console finds. Errors replace the hint. */
  readonly error?: string | null | undefined
  readonly children: ReactNode
}

interface ControlProps {
  readonly id?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

const FieldContext = createContext<ControlProps>({})

export function Field({ label, hint, param, error: ownError = null, children }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const error = useFieldError(param) ?? ownError
  const note = error ?? hint
  const control: ControlProps = {
    id,
    ...(note !== undefined && { 'aria-describedby': noteId }),
    ...(error !== null && { 'aria-invalid': true }),
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <FieldContext value={control}>{children}</FieldContext>
      {note !== undefined && (
        <p id={noteId} className={error === null ? styles.hint : styles.error}>
          {note}
        </p>
      )}
    </div>
  )
}

/** The attributes of a control inside a field; empty outside of a field. */
export function useFieldControl(): ControlProps {
  return useContext(FieldContext)
}

/** Several controls under one heading, such as checkboxes. */
export function FieldGroup({ label, hint, param, error: ownError = null, children }: FieldProps) {
  const error = useFieldError(param) ?? ownError
  const note = error ?? hint
  return (
    <fieldset className={styles.field}>
      <legend className={styles.label}>{label}</legend>
      {note !== undefined && <p className={error === null ? styles.hint : styles.error}>{note}</p>}
      {children}
    </fieldset>
  )
}

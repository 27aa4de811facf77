/** A form whose fields show the server's errors. Other errors are shown above the fields. */
import type { ReactNode } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { ErrorNotice } from './error-notice.tsx'
import { FormErrors } from './form-errors.tsx'
import styles from './form.module.css'

export interface FormProps {
  /** Set when the submit button is outside of the form. */
  readonly id?: string
  readonly error: ApiError | null
  readonly onSubmit: () => void
  readonly children: ReactNode
}

export function Form({ id, error, onSubmit, children }: FormProps) {
  return (
    <form
      id={id}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormErrors error={error}>
        {(isShown) => (
          <>
            {error !== null && !isShown && <ErrorNotice error={error} />}
            {children}
          </>
        )}
      </FormErrors>
    </form>
  )
}

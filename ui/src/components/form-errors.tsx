/** Passes the server's error from a form to the field that the error names. */
import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { fieldText } from './field-text.ts'

interface FormErrorsValue {
  readonly error: ApiError | null
  /** Registers a field that shows errors about a parameter. Returns a function that removes it. */
  readonly register: (param: string) => () => void
}

const FormErrorsContext = createContext<FormErrorsValue>({ error: null, register: () => () => undefined })

export interface FormErrorsProps {
  readonly error: ApiError | null
  /** @param isShown whether a field shows the error */
  readonly children: (isShown: boolean) => ReactNode
}

/** Provides the error to the fields inside. */
export function FormErrors({ error, children }: FormErrorsProps) {
  const [fields] = useState(() => new Set<{ readonly param: string }>())
  const register = useCallback(
    (param: string) => {
      const field = { param }
      fields.add(field)
      return () => void fields.delete(field)
    },
    [fields],
  )
  const isShown = [...fields].some(({ param }) => isAbout(error, param))
  return <FormErrorsContext value={{ error, register }}>{children(isShown)}</FormErrorsContext>
}

/** The form's error message when it is about this parameter; null otherwise. */
export function useFieldError(param: string | undefined): string | null {
  const { error, register } = useContext(FormErrorsContext)
  useEffect(() => (param === undefined ? undefined : register(param)), [param, register])
  return error !== null && param !== undefined && isAbout(error, param) ? fieldText(error.message, param) : null
}

/** True for an error of the parameter or of a part of it. */
function isAbout(error: ApiError | null, param: string): boolean {
  const found = error?.param ?? null
  return found !== null && (found === param || found.startsWith(`${param}.`))
}

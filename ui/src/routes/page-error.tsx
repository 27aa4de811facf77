/** Shown in place of a page that failed to load. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { asApiError } from '../api/api-error.ts'
import { ErrorNotice } from '../components/error-notice.tsx'

export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorNotice error={asApiError(error)} onRetry={reset} />
}

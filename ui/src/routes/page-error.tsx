/** Shown in place of a page that failed to load. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { asApiError } from '../api/api-error.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { PartError, PartFailed } from '../components/lazy-part.tsx'
import { PageHeader } from '../components/page-header.tsx'

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <>
      <PageHeader title="This page is not available" />
      {error instanceof PartError ? (
        <PartFailed error={error} onRetry={reset} reloads />
      ) : (
        <ErrorNotice error={asApiError(error)} onRetry={reset} />
      )}
    </>
  )
}

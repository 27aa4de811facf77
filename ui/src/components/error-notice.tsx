/** The server's error message, with the id by which an administrator finds the request in the log. */
import type { ApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import styles from './error-notice.module.css'
import { fieldText } from './field-text.ts'
import { Notice } from './notice.tsx'

export interface ErrorNoticeProps {
  readonly error: ApiError
  readonly onRetry?: () => void
}

/** Nobody has to look these up in a log: the message says it all. */
const ownMistakes: ReadonlySet<string> = new Set(['invalid_credentials'])

export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  return (
    <Notice tone="danger" role="alert">
      <p>{fieldText(error.message, '')}</p>
      {error.requestId !== null && !ownMistakes.has(error.code) && (
        <p className={styles.request}>
          Request id <code>{error.requestId}</code>
          <CopyButton text={error.requestId} what="request id" />
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </Notice>
  )
}

/** What the server said, word for word, with the id that an administrator finds the request by. */
import type { ApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import styles from './error-notice.module.css'

export function ErrorNotice({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
  return (
    <div role="alert" className={styles.notice}>
      <Icon name="warning" />
      <div className={styles.text}>
        <p>{error.message}</p>
        {error.requestId !== null && (
          <p className={styles.request}>
            Request id <code>{error.requestId}</code>
            <CopyButton text={error.requestId} what="request id" />
          </p>
        )}
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  )
}

/** The latest requests that failed in the time range. Each leads to its page. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope } from '../../api/queries.ts'
import { Badge } from '../../components/badge.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Span } from '../search.ts'
import { latestErrorsQuery } from './queries.ts'
import styles from './panels.module.css'

export interface LatestErrorsProps {
  readonly scope: UsageScope
  readonly span: Span
  readonly spanMs: number
}

export function LatestErrors({ scope, span, spanMs }: LatestErrorsProps) {
  const errors = useQuery(latestErrorsQuery(scope, spanMs))
  return (
    <Panel
      title="Latest errors"
      actions={
        <Link to="/requests" search={{ span, status: 'error' }}>
          All
        </Link>
      }
    >
      {errors.error !== null && <ErrorNotice error={asApiError(errors.error)} />}
      {errors.isPending && <Skeleton lines={5} label="Loading errors" />}
      {errors.data?.length === 0 && <p className={styles.muted}>No request failed.</p>}
      <ul className={styles.list}>
        {errors.data?.map(({ at, request_id: id, status, code, model, model_asked: asked }) => (
          <li key={`${at} ${id}`} className={styles.item}>
            <span className={styles.line}>
              <Link to="/requests/$id" params={{ id }} search={{ at }} className={styles.name} title={`Request ${id}`}>
                {code ?? 'error'}
              </Link>
              <Badge tone={status >= 500 ? 'danger' : 'warning'}>{status}</Badge>
            </span>
            <span className={styles.line}>
              <span className={styles.detail}>{model ?? asked ?? 'no model'}</span>
              <span className={styles.figure}>
                <RelativeTime at={at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The details of a request, in a panel beside the list. */
import { Link } from '@tanstack/react-router'
import type { UsageScope } from '../../api/queries.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { buttonClass } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { RequestFacts, RequestFigures, RequestOutcome } from './request-facts.tsx'
import { RequestLimits } from './request-limits.tsx'
import { dateText, timeText } from './time-text.ts'
import styles from './request-details.module.css'
import { Waterfall } from './waterfall.tsx'

export interface RequestDetailsProps {
  readonly request: RequestRecord
  readonly scope: UsageScope
  readonly onClose: () => void
}

export function RequestDetails({ request, scope, onClose }: RequestDetailsProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Request of ${dateText(request.at)}, ${timeText(request.at)}`}
      placement="side"
      actions={
        <Link
          to="/requests/$id"
          params={{ id: request.request_id }}
          search={{ at: request.at }}
          className={buttonClass()}
        >
          Open its page
        </Link>
      }
    >
      <div className={styles.parts}>
        <RequestOutcome request={request} />
        <Waterfall request={request} />
        <RequestFacts request={request} scope={scope} />
        <RequestFigures request={request} />
        <RequestLimits request={request} />
      </div>
    </Dialog>
  )
}

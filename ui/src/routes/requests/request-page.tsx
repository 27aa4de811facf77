/** The page of one request: its timeline, who asked for what, tokens and cost, and its content where that is logged. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import type { UsageScope } from '../../api/queries.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { loggedContentQuery, requestQuery } from './queries.ts'
import { RequestContent } from './request-content.tsx'
import { RequestFacts, RequestFigures, RequestOutcome } from './request-facts.tsx'
import { RequestLimits } from './request-limits.tsx'
import styles from './request-page.module.css'
import { dateText, timeText } from './time-text.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/shell/requests/$id')

export function RequestPage() {
  const scope: UsageScope = useIsAdmin() ? 'everyone' : 'self'
  const { id } = route.useParams()
  const { at } = route.useSearch()
  const { data, error, isFetching, refetch } = useQuery(requestQuery(scope, id, at))
  const refusal = error === null ? null : asApiError(error)
  return (
    <>
      <p className={styles.back}>
        <Link to="/requests">← Requests</Link>
      </p>
      {data !== undefined && <Found request={data} scope={scope} />}
      {data === undefined && refusal?.code === 'not_found' && (
        <>
          <PageHeader title="Request not found" />
          <EmptyState
            icon="list"
            title="No request has this id"
            action={
              <Button busy={isFetching} onClick={() => void refetch()}>
                Look again
              </Button>
            }
          >
            A request appears about a second after it ends, and its record is removed after some time.
            {scope === 'self' && ' You see your own requests only.'}
          </EmptyState>
        </>
      )}
      {refusal !== null && refusal.code !== 'not_found' && (
        <>
          <PageHeader title="Request" />
          <ErrorNotice error={refusal} onRetry={() => void refetch()} />
        </>
      )}
      {data === undefined && refusal === null && <Skeleton lines={8} label="Loading the request" />}
    </>
  )
}

function Found({ request, scope }: { readonly request: RequestRecord; readonly scope: UsageScope }) {
  const { data: logged } = useQuery({ ...loggedContentQuery(request.request_id), enabled: scope === 'everyone' })
  return (
    <>
      <PageHeader
        title={`Request of ${dateText(request.at)}, ${timeText(request.at)}`}
        {...(logged === null && { description: 'Its prompt and answer are not stored.' })}
        actions={<TryModel request={request} />}
      />
      <div className={styles.parts}>
        <div className={styles.card}>
          <RequestOutcome request={request} />
          <Waterfall request={request} />
        </div>
        <div className={styles.card}>
          <RequestFigures request={request} />
          <RequestLimits request={request} />
          <RequestFacts request={request} scope={scope} />
        </div>
      </div>
      {logged !== undefined && logged !== null && <RequestContent request={request} id={logged.id} />}
    </>
  )
}

/** Chooses the model there; a request whose content is logged has another button for the conversation. */
function TryModel({ request: { endpoint, model, model_asked: asked } }: { readonly request: RequestRecord }) {
  const name = asked ?? model
  if (name === null || !chatEndpoints.has(endpoint)) return null
  return (
    <Link to="/playground" search={{ model: name }} className={buttonClass()}>
      Try the model in the playground
    </Link>
  )
}

const chatEndpoints: ReadonlySet<string> = new Set(['chat/completions', 'messages', 'responses'])

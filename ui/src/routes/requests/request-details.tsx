/** Everything that is kept of one request, beside the list. */
import type { ReactNode } from 'react'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { byteText } from '../../components/byte-size.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { dateText, exactTimeText, secondsText, timeText } from './figures.ts'
import styles from './request-details.module.css'

export interface RequestDetailsProps {
  readonly request: RequestRecord
  readonly userName: string
  readonly keyName: string
  readonly onClose: () => void
}

export function RequestDetails({ request, userName, keyName, onClose }: RequestDetailsProps) {
  const { status, code, endpoint, model, model_asked: asked, streamed } = request
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Request of ${dateText(request.at)}, ${timeText(request.at)}`}
      placement="side"
    >
      <div className={styles.outcome}>
        <Badge tone={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'success'}>{status}</Badge>
        <code>{code ?? 'answered'}</code>
      </div>
      <Facts label="Request">
        <Fact name="Time">{exactTimeText(request.at)}</Fact>
        <Fact name="Request id">
          <span className={styles.copied}>
            <code>{request.request_id}</code>
            <CopyButton text={request.request_id} what="request id" />
          </span>
        </Fact>
        <Fact name="User">{userName}</Fact>
        <Fact name="API key">{keyName}</Fact>
        <Fact name="Endpoint">
          <code>{endpoint}</code>
        </Fact>
        <Fact name="Asked for">{asked ?? '–'}</Fact>
        <Fact name="Served by">{model ?? '–'}</Fact>
        <Fact name="Size">
          {byteText(request.request_bytes)} in, {byteText(request.response_bytes)} out
        </Fact>
        <Fact name="Answer">{streamed ? 'streamed' : 'whole'}</Fact>
      </Facts>
      <Attempts request={request} />
      <Facts label="Timing and tokens">
        <Fact name="First token">{request.first_token_ms === null ? 'none' : secondsText(request.first_token_ms)}</Fact>
        <Fact name="Duration">{secondsText(request.duration_ms)}</Fact>
        <Fact name="Tokens in">{request.prompt_tokens?.toLocaleString('en') ?? 'not told'}</Fact>
        <Fact name="Tokens out">{request.completion_tokens?.toLocaleString('en') ?? 'not told'}</Fact>
        {tokenRate(request) !== null && <Fact name="Speed">{tokenRate(request)} tokens/s</Fact>}
      </Facts>
    </Dialog>
  )
}

/** The calls to providers in their order: those that failed with their reason, and the last one. */
function Attempts({ request }: { readonly request: RequestRecord }) {
  const { attempts, attempt_reasons: failed, provider, upstream_model: upstream, upstream_status: answered } = request
  return (
    <section className={styles.section} aria-label="Attempts">
      <h3>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</h3>
      {attempts === 0 && <p className={styles.muted}>It was refused before any provider was called.</p>}
      <ol className={styles.attempts}>
        {failed.map(({ provider: name, reason }, index) => (
          // Attempts have no name; their order is what they are.
          <li key={index}>
            <Badge tone="danger">failed</Badge>
            <span>{name}</span>
            <code>{reason}</code>
          </li>
        ))}
        {attempts > failed.length && (
          <li>
            <Badge tone={request.status < 400 ? 'success' : 'warning'}>
              {request.status < 400 ? 'served' : 'ended'}
            </Badge>
            <span>{provider ?? '–'}</span>
            {upstream !== null && <code>{upstream}</code>}
            {answered !== null && <span className={styles.muted}>status {answered}</span>}
          </li>
        )}
      </ol>
    </section>
  )
}

function Facts({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={label}>
      <h3>{label}</h3>
      <dl className={styles.facts}>{children}</dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** Tokens a second once the first one was there; null when that cannot be told. */
function tokenRate({
  completion_tokens: tokens,
  first_token_ms: first,
  duration_ms: duration,
}: RequestRecord): string | null {
  if (tokens === null || first === null || duration <= first) return null
  return ((tokens / (duration - first)) * 1000).toFixed(1)
}

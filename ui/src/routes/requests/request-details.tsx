/** The details of a request, in a panel beside the list. */
import type { ReactNode } from 'react'
import type { UsageScope } from '../../api/queries.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { byteText, durationText } from '../../components/format.ts'
import { RecordName } from '../record-name.tsx'
import { tokenRate } from './token-rate.ts'
import { dateText, exactTimeText, timeText } from './time-text.ts'
import styles from './request-details.module.css'

export interface RequestDetailsProps {
  readonly request: RequestRecord
  readonly scope: UsageScope
  readonly onClose: () => void
}

export function RequestDetails({ request, scope, onClose }: RequestDetailsProps) {
  const { status, code, endpoint, model, model_asked: asked, streamed } = request
  const rate = tokenRate(request)
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
      <Section label="Request">
        <Fact name="Time">{exactTimeText(request.at)}</Fact>
        <Fact name="Request id">
          <CopiedFact text={request.request_id} what="request id" />
        </Fact>
        <Fact name="User">
          <RecordName kind="user" scope={scope} id={request.user_id} />
        </Fact>
        <Fact name="API key">
          <RecordName kind="key" scope={scope} id={request.key_id} />
        </Fact>
        <Fact name="Endpoint">
          <code>{endpoint}</code>
        </Fact>
        <Fact name="Asked for">{asked ?? '–'}</Fact>
        <Fact name="Served by">{model ?? '–'}</Fact>
        <Fact name="Size">
          {byteText(request.request_bytes)} in, {byteText(request.response_bytes)} out
        </Fact>
        <Fact name="Answer">{streamed ? 'streamed' : 'whole'}</Fact>
      </Section>
      <Attempts request={request} />
      <Section label="Timing and tokens">
        <Fact name="First token">
          {request.first_token_ms === null ? 'none' : durationText(request.first_token_ms)}
        </Fact>
        <Fact name="Duration">{durationText(request.duration_ms)}</Fact>
        <Fact name="Tokens in">{request.prompt_tokens?.toLocaleString('en') ?? 'unknown'}</Fact>
        <Fact name="Tokens out">{request.completion_tokens?.toLocaleString('en') ?? 'unknown'}</Fact>
        {rate !== null && <Fact name="Speed">{rate} tokens/s</Fact>}
      </Section>
    </Dialog>
  )
}

/** The attempts in order: failed ones with their reason, then the last one. */
function Attempts({ request }: { readonly request: RequestRecord }) {
  const { attempts, attempt_reasons: failed, provider, upstream_model: upstream, upstream_status: answered } = request
  return (
    <section className={styles.section} aria-label="Attempts">
      <h3>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</h3>
      {attempts === 0 && <p className={styles.muted}>The request was refused before a provider was called.</p>}
      <ol className={styles.attempts}>
        {failed.map(({ provider: name, reason }, index) => (
          // Attempts have no id; their order never changes.
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

function Section({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={label}>
      <h3>{label}</h3>
      <Facts>{children}</Facts>
    </section>
  )
}

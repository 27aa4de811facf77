/** What is recorded of a request, besides its timeline: who asked, for what, with which tokens, at which cost. */
import type { ReactNode } from 'react'
import type { UsageScope } from '../../api/queries.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { byteText, durationText, wholeText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { RecordName } from '../record-name.tsx'
import { tokenRate } from './token-rate.ts'
import { exactTimeText } from './time-text.ts'
import styles from './request-facts.module.css'

export interface RequestFactsProps {
  readonly request: RequestRecord
  readonly scope: UsageScope
}

export function RequestOutcome({ request: { status, code } }: Pick<RequestFactsProps, 'request'>) {
  return (
    <div className={styles.outcome}>
      <Badge tone={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'success'}>{status}</Badge>
      <code>{code ?? 'answered'}</code>
    </div>
  )
}

export function RequestFacts({ request, scope }: RequestFactsProps) {
  const { endpoint, model, model_asked: asked, streamed } = request
  return (
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
  )
}

export function RequestFigures({ request }: Pick<RequestFactsProps, 'request'>) {
  const { first_token_ms: firstToken, queue_ms: queued, cost, currency } = request
  const rate = tokenRate(request)
  return (
    <Section label="Timing, tokens and cost">
      {queued !== null && <Fact name="In the queue">{durationText(queued)}</Fact>}
      <Fact name="First token">{firstToken === null ? 'none' : durationText(firstToken)}</Fact>
      <Fact name="Duration">{durationText(request.duration_ms)}</Fact>
      {rate !== null && <Fact name="Speed">{rate} tokens/s</Fact>}
      <Fact name="Tokens in">
        {tokensText(request.prompt_tokens, [
          ['from a cache', request.cached_tokens],
          ['into a cache', request.cache_write_tokens],
        ])}
      </Fact>
      <Fact name="Tokens out">
        {tokensText(request.completion_tokens, [['of reasoning', request.reasoning_tokens]])}
      </Fact>
      <Fact name="Cost">{cost === null ? 'unknown' : moneyText(cost, currency)}</Fact>
    </Section>
  )
}

/** "1,200 (300 from a cache)". */
function tokensText(count: number | null, parts: readonly (readonly [what: string, count: number | null])[]): string {
  if (count === null) return 'unknown'
  const known = parts.flatMap(([what, part]) => (part === null || part === 0 ? [] : [`${wholeText(part)} ${what}`]))
  return wholeText(count) + (known.length === 0 ? '' : ` (${known.join(', ')})`)
}

/** A part of what is recorded, under its heading. */
export function Section({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={label}>
      <h2>{label}</h2>
      <Facts>{children}</Facts>
    </section>
  )
}

/** The figures of the chosen time range, against those of the one before. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { UsageScope } from '../../api/queries.ts'
import type { UsageTotals } from '../../api/schema.d.ts'
import { compactText, countText, durationText, percentText, wholeText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { Tile, Tiles } from '../../components/tile.tsx'
import { changeText } from '../cost/months.ts'
import type { Span } from '../search.ts'
import { meanFirstTokenMs, type Sums } from './buckets.ts'
import { latencyQuery, totalsBeforeQuery } from './queries.ts'
import { spanOptions } from './span-options.ts'

export interface TotalTilesProps {
  readonly totals: UsageTotals
  readonly scope: UsageScope
  readonly span: Span
}

/** The figures of the time range, against those of the one before. Each leads to what it counts. */
export function TotalTiles({ totals, scope, span }: TotalTilesProps) {
  const { spanMs, before: name } = spanOptions[span]
  const before = useQuery(totalsBeforeQuery(scope, spanMs)).data
  const change = (now: number, then: number | undefined): string | undefined => {
    const text = changeText(now, then ?? 0)
    return text === null ? undefined : `${text} than ${name}`
  }
  return (
    <Tiles>
      <Tile
        name={
          <Link to="/requests" search={{ span }}>
            Requests
          </Link>
        }
        value={wholeText(totals.requests)}
        note={change(totals.requests, before?.requests)}
      />
      <Tile
        name={
          <Link to="/requests" search={{ span, status: 'error' }}>
            Errors
          </Link>
        }
        value={wholeText(totals.errors)}
        note={errorText(totals, before)}
      />
      <Tile
        name={
          <Link to="/usage" search={{ span }}>
            Tokens
          </Link>
        }
        value={compactText(totals.prompt_tokens + totals.completion_tokens)}
        note={`${compactText(totals.prompt_tokens)} in, ${compactText(totals.completion_tokens)} out`}
      />
      {totals.cost > 0 && (
        <Tile
          name={
            <Link to="/cost" search={{ span }}>
              Cost
            </Link>
          }
          value={moneyText(totals.cost, totals.currency)}
          note={change(totals.cost, before?.cost)}
        />
      )}
      {scope === 'everyone' ? <LatencyTiles span={span} change={change} /> : <OwnLatencyTile totals={totals} />}
    </Tiles>
  )
}

function errorText(now: Sums, before: Sums | undefined): string {
  const share = percentText(now.errors / now.requests)
  return before === undefined || before.requests === 0
    ? share
    : `${share}, ${percentText(before.errors / before.requests)} before`
}

interface LatencyTilesProps {
  readonly span: Span
  readonly change: (now: number, then: number | undefined) => string | undefined
}

/** How long half of all answers took, and what 95 of 100 took at most. */
function LatencyTiles({ span, change }: LatencyTilesProps) {
  const { spanMs } = spanOptions[span]
  const now = useQuery(latencyQuery(spanMs)).data
  const before = useQuery(latencyQuery(spanMs, spanMs)).data
  if (now === undefined || now === null) return null
  const tile = (name: string, p50: number | null, p95: number | null, then: number | null | undefined) =>
    p50 !== null &&
    p95 !== null && (
      <Tile
        name={
          <Link to="/requests" search={{ span }}>
            {name}
          </Link>
        }
        value={`${durationText(p50)} · ${durationText(p95)}`}
        note={change(p95, then ?? undefined) ?? 'p50 · p95'}
      />
    )
  return (
    <>
      {tile('First token, p50 · p95', now.first_token_p50_ms, now.first_token_p95_ms, before?.first_token_p95_ms)}
      {tile('Duration, p50 · p95', now.duration_p50_ms, now.duration_p95_ms, before?.duration_p95_ms)}
    </>
  )
}

/** Percentiles are of all users: nobody keeps those of one. */
function OwnLatencyTile({ totals }: { readonly totals: UsageTotals }) {
  const firstTokenMs = meanFirstTokenMs(totals)
  return firstTokenMs === null ? (
    <Tile name="Mean duration" value={durationText(totals.duration_ms / totals.requests)} />
  ) : (
    <Tile
      name="Time to first token"
      value={durationText(firstTokenMs)}
      note={`mean of ${countText(totals.first_tokens, 'stream')}`}
    />
  )
}

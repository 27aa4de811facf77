/** How a model has done in the last 24 hours: figures, and each hour as a cell. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, durationText } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tile, Tiles } from '../../components/tile.tsx'
import { latencyText, speedText, uptimeText } from '../models/figures.tsx'
import type { Performance } from '../models/find-models.ts'
import { modelPerformanceQuery } from '../models/queries.ts'
import styles from './last-day.module.css'

const hourMs = 3_600_000
const hours = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

export function LastDay({ model }: { readonly model: string }) {
  const { data, error, refetch } = useQuery(modelPerformanceQuery(model))
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={3} label="Loading the last day" />
  const [performance = null] = data.data
  if (performance === null) return <p className={styles.unused}>Nobody has used it in the last 24 hours.</p>
  const from = Date.parse(data.from)
  const byHour = new Map(data.hours.map((hour) => [Date.parse(hour.at), hour]))
  const cells = Array.from({ length: (Date.parse(data.to) - from) / hourMs }, (_, index) => from + index * hourMs)
  return (
    <>
      <Tiles>
        <Tile
          name="Time to first token"
          value={latencyText(performance) ?? '–'}
          note={percentileNote(performance.first_token_p95_ms)}
        />
        {performance.duration_p50_ms !== null && (
          <Tile
            name="Duration"
            value={durationText(performance.duration_p50_ms)}
            note={percentileNote(performance.duration_p95_ms)}
          />
        )}
        <Tile name="Speed" value={speedText(performance) ?? '–'} note="mean, after the first token" />
        <Tile name="Uptime" value={uptimeText(performance) ?? '–'} note="without requests that the caller got wrong" />
        {performance.requests !== null && (
          <Tile name="Requests" value={compactText(performance.requests)} note="in 24 hours, of all users" />
        )}
      </Tiles>
      <Panel title="Last 24 hours">
        <ol className={styles.strip} aria-label="Uptime by hour">
          {cells.map((at) => (
            <HourCell key={at} at={at} hour={byHour.get(at)} />
          ))}
        </ol>
        <p className={styles.ends} aria-hidden="true">
          <span>{hours.format(from)}</span>
          <span>now</span>
        </p>
      </Panel>
    </>
  )
}

/** What a figure of its times is, and what 95 of 100 took at most. */
function percentileNote(p95: number | null): string {
  return p95 === null ? 'mean' : `p50; p95 is ${durationText(p95)}`
}

type Hour = Pick<Performance, 'uptime' | 'first_token_ms' | 'first_token_p50_ms' | 'tokens_per_second'>

function HourCell({ at, hour }: { readonly at: number; readonly hour: Hour | undefined }) {
  const text = `${hours.format(at)}: ${hourText(hour)}`
  return (
    <li className={`${styles.hour} ${styles[toneOf(hour)]}`} title={text}>
      <span className="visually-hidden">{text}</span>
    </li>
  )
}

function hourText(hour: Hour | undefined): string {
  if (hour === undefined || hour.uptime === null) return 'no requests'
  const [firstToken, speed] = [hour.first_token_p50_ms ?? hour.first_token_ms, hour.tokens_per_second]
  const parts = [`${uptimeText(hour)} up`]
  if (firstToken !== null) parts.push(`first token after ${firstToken} ms`)
  if (speed !== null) parts.push(`${Math.round(speed)} tokens/s`)
  return parts.join(', ')
}

function toneOf(hour: Hour | undefined): 'none' | 'up' | 'shaky' | 'down' {
  const uptime = hour?.uptime ?? null
  if (uptime === null) return 'none'
  return uptime >= 0.99 ? 'up' : uptime >= 0.9 ? 'shaky' : 'down'
}

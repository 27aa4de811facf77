/** The chosen time range as charts. A press on a point shows the requests of its time. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { UsageScope } from '../../api/queries.ts'
import type { Latency } from '../../api/schema.d.ts'
import { Chart } from '../../components/chart.tsx'
import type { ChartProps, ChosenRange } from '../../components/chart-props.ts'
import { compactText, durationText } from '../../components/format.ts'
import type { Span } from '../search.ts'
import { customRange } from '../time-range.ts'
import { meanFirstTokenMs, usagePoints, type UsageSeries } from './buckets.ts'
import { latencySeriesQuery } from './queries.ts'
import { spanOptions } from './span-options.ts'

type LatencyPoint = Latency['data'][number]

const route = getRouteApi('/shell/')

const hours = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const daysAndHours = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export interface UsageChartsProps {
  readonly series: UsageSeries
  readonly scope: UsageScope
  readonly span: Span
}

export function UsageCharts({ series, scope, span }: UsageChartsProps) {
  const points = usagePoints(series, spanOptions[span].bucketMs)
  const formatTime = (at: number): string =>
    (span === 'month' ? days : span === 'hour' ? hours : daysAndHours).format(at)
  const navigate = route.useNavigate()
  const onChoose = (range: ChosenRange): void =>
    void navigate({ to: '/requests', search: customRange(range.from, range.to) })
  const time = { formatTime, formatValue: compactText, kind: 'bar' as const, onChoose }
  return (
    <>
      <Chart
        {...time}
        title="Requests"
        series={[
          { name: 'answered', tone: 'accent' },
          { name: 'errors', tone: 'danger' },
        ]}
        points={points.map(({ at, sums }) => ({ at, values: [sums.requests - sums.errors, sums.errors] }))}
      />
      <Chart
        {...time}
        title="Tokens"
        series={[
          { name: 'in', tone: 'muted' },
          { name: 'out', tone: 'accent' },
        ]}
        points={points.map(({ at, sums }) => ({ at, values: [sums.prompt_tokens, sums.completion_tokens] }))}
      />
      {scope === 'everyone' ? (
        <LatencyCharts time={time} span={span} series={series} />
      ) : (
        points.some(({ sums }) => meanFirstTokenMs(sums) !== null) && (
          <Chart
            {...time}
            title="Time to first token"
            kind="line"
            series={[{ name: 'mean', tone: 'accent' }]}
            points={points.map(({ at, sums }) => ({ at, values: [meanFirstTokenMs(sums)] }))}
            formatValue={durationText}
          />
        )
      )}
    </>
  )
}

interface LatencyChartsProps {
  readonly time: Pick<ChartProps, 'formatTime' | 'onChoose'>
  readonly span: Span
  readonly series: UsageSeries
}

/** Percentiles over time, of all users. */
function LatencyCharts({ time, span, series }: LatencyChartsProps) {
  const latency = useQuery(latencySeriesQuery(spanOptions[span])).data ?? []
  const found = new Map(latency.map((point) => [Date.parse(point.at), point]))
  const points = usagePoints(series, spanOptions[span].bucketMs)
  const chart = (title: string, valuesOf: (point: LatencyPoint) => readonly [number | null, number | null]) =>
    latency.some((point) => valuesOf(point)[0] !== null) && (
      <Chart
        {...time}
        title={title}
        kind="line"
        series={[
          { name: 'p50', tone: 'accent' },
          { name: 'p95', tone: 'muted' },
        ]}
        points={points.map(({ at }) => {
          const point = found.get(at)
          return { at, values: point === undefined ? [null, null] : valuesOf(point) }
        })}
        formatValue={durationText}
      />
    )
  return (
    <>
      {chart('Time to first token', (point) => [point.first_token_p50_ms, point.first_token_p95_ms])}
      {chart('Duration', (point) => [point.duration_p50_ms, point.duration_p95_ms])}
    </>
  )
}

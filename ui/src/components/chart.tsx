/**
 * A chart of values over time as SVG, in the width of its container. A button shows the same numbers
 * as a table.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Panel } from './panel.tsx'
import styles from './chart.module.css'
import tableStyles from './figure-table.module.css'

export interface ChartSeries {
  /** Not unique: names may be unknown at first. */
  readonly name: string
  /** The numbered tones are for groups without a meaning of their own. */
  readonly tone: 'accent' | 'danger' | 'muted' | 'second' | 'third' | 'fourth' | 'fifth'
}

export interface ChartPoint {
  /** Start of the bucket, in milliseconds since 1970, or what else `formatTime` takes. */
  readonly at: number
  /** One value for each series; null = unknown. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  readonly kind: 'bar' | 'line'
  readonly series: readonly ChartSeries[]
  readonly points: readonly ChartPoint[]
  readonly formatValue: (value: number) => string
  readonly formatTime: (at: number) => string
}

const height = 150
const plot = { top: 18, bottom: 20 } as const
const plotHeight = height - plot.top - plot.bottom

export function Chart(props: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <Panel
      title={props.title}
      actions={
        <Button
          variant="quiet"
          icon
          aria-pressed={asTable}
          aria-label={`${props.title} as a table`}
          title="Show as a table"
          onClick={() => setAsTable(!asTable)}
        >
          <Icon name={asTable ? 'chart' : 'table'} />
        </Button>
      }
    >
      {asTable ? <ChartTable {...props} /> : <ChartDrawing {...props} />}
    </Panel>
  )
}

function ChartDrawing(props: ChartProps) {
  const { title, series, points, kind, formatValue, formatTime } = props
  const [ref, width] = useWidth()
  const sums = points.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0))
  // Bars are stacked, lines are not.
  const heights = kind === 'bar' ? sums : points.flatMap(({ values }) => values.map((value) => value ?? 0))
  const highest = Math.max(0, ...heights)
  const max = niceMaximum(highest)
  const first = points[0]
  const last = points.at(-1)
  return (
    <div ref={ref} className={styles.drawing}>
      <Legend series={series} />
      <svg width={width} height={height} role="img" aria-label={`${title}: at most ${formatValue(highest)}`}>
        <line className={styles.grid} x1={0} x2={width} y1={plot.top} y2={plot.top} />
        <line className={styles.grid} x1={0} x2={width} y1={plot.top + plotHeight} y2={plot.top + plotHeight} />
        {kind === 'bar' ? <Bars {...props} width={width} max={max} /> : <Lines {...props} width={width} max={max} />}
        <text x={0} y={plot.top - 5} className={styles.label}>
          {formatValue(max)}
        </text>
        {first !== undefined && last !== undefined && (
          <>
            <text x={0} y={height - 4} className={styles.label}>
              {formatTime(first.at)}
            </text>
            <text x={width} y={height - 4} textAnchor="end" className={styles.label}>
              {formatTime(last.at)}
            </text>
          </>
        )}
      </svg>
    </div>
  )
}

interface DrawnProps extends ChartProps {
  readonly width: number
  readonly max: number
}

function Bars({ points, series, width, max, formatValue, formatTime }: DrawnProps) {
  const step = width / Math.max(1, points.length)
  return points.map((point, index) => {
    let base = plot.top + plotHeight
    return (
      <g key={point.at}>
        <title>{pointText(point, series, { formatValue, formatTime })}</title>
        <rect className={styles.touch} x={index * step} y={plot.top} width={step} height={plotHeight} />
        {series.map(({ tone }, nth) => {
          const barHeight = ((point.values[nth] ?? 0) / max) * plotHeight
          base -= barHeight
          return (
            <rect
              key={nth}
              className={toneClass(tone)}
              x={index * step + step * 0.15}
              y={base}
              width={Math.max(1, step * 0.7)}
              height={barHeight}
            />
          )
        })}
      </g>
    )
  })
}

function Lines({ points, series, width, max, formatValue, formatTime }: DrawnProps): ReactNode {
  const step = width / Math.max(1, points.length)
  const x = (index: number): number => (index + 0.5) * step
  const y = (value: number): number => plot.top + plotHeight * (1 - value / max)
  return (
    <>
      {series.map(({ tone }, nth) => {
        const known = points.flatMap(({ values }, index) => {
          const value = values[nth] ?? null
          return value === null ? [] : [{ index, value }]
        })
        const path = known
          .map(({ index, value }, order) => `${order === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`)
          .join('')
        return (
          <g key={nth} className={toneClass(tone)}>
            <path d={path} className={styles.line} />
            {known.map(({ index, value }) => (
              <circle key={index} cx={x(index)} cy={y(value)} r={known.length > 40 ? 1 : 2.5} />
            ))}
          </g>
        )
      })}
      {points.map((point, index) => (
        <rect key={point.at} className={styles.touch} x={index * step} y={plot.top} width={step} height={plotHeight}>
          <title>{pointText(point, series, { formatValue, formatTime })}</title>
        </rect>
      ))}
    </>
  )
}

function Legend({ series }: Pick<ChartProps, 'series'>) {
  if (series.length < 2) return null
  return (
    <ul className={styles.legend}>
      {series.map(({ name, tone }, nth) => (
        <li key={nth}>
          <span className={`${styles.swatch} ${toneClass(tone)}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}

function ChartTable({ title, series, points, formatValue, formatTime }: ChartProps) {
  return (
    <div className={styles.tableScroller} tabIndex={0} role="region" aria-label={`${title}, table`}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }, nth) => (
              <th key={nth} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">{formatTime(at)}</th>
              {series.map((_, nth) => (
                <td key={nth}>{valueText(values[nth] ?? null, formatValue)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The current width of an element. */
function useWidth(): [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(600)
  const [element, setElement] = useState<HTMLElement | null>(null)
  const set = useRef(setElement)
  useEffect(() => {
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(1, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [set.current, width]
}

function pointText(
  { at, values }: ChartPoint,
  series: readonly ChartSeries[],
  { formatValue, formatTime }: Pick<ChartProps, 'formatValue' | 'formatTime'>,
): string {
  const texts = series.map(({ name }, nth) => `${name} ${valueText(values[nth] ?? null, formatValue)}`)
  return `${formatTime(at)}: ${texts.join(', ')}`
}

function valueText(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value)
}

function toneClass(tone: ChartSeries['tone']): string {
  return `${styles.tone} ${styles[tone]}`
}

/** The next round number that is not below the value. */
function niceMaximum(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power
}

/** The drawing of a chart: axes, one path for each series, and a cursor that mouse, finger and keyboard move. */
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { labelledPoints, pointAfter, pointAt, valueText, valueTicks } from './chart-scale.ts'
import type { ChartPoint, ChartProps, ChartSeries } from './chart-props.ts'
import styles from './chart.module.css'
import { useWidth } from './use-width.ts'

const height = 170
const plot = { top: 8, bottom: 22, right: 4 } as const
const plotHeight = height - plot.top - plot.bottom
/** About the width of a character of a label. */
const characterWidth = 6.6

interface Scale {
  /** Where the plot begins, right of the labels of values. */
  readonly left: number
  readonly width: number
  /** The width of a point. */
  readonly step: number
  readonly y: (value: number) => number
}

export function ChartDrawing(props: ChartProps) {
  const { title, series, points, formatValue } = props
  const ref = useRef<HTMLDivElement>(null)
  const width = useWidth(ref)
  const highest = highestOf(props)
  const ticks = valueTicks(highest)
  const labels = ticks.map(formatValue)
  const left = Math.ceil(Math.max(...labels.map(({ length }) => length)) * characterWidth) + 6
  const plotWidth = Math.max(1, width - left - plot.right)
  const max = ticks.at(-1) ?? 1
  const scale: Scale = {
    left,
    width: plotWidth,
    step: plotWidth / Math.max(1, points.length),
    y: (value) => plot.top + plotHeight * (1 - value / max),
  }
  const [active, setActive] = useState<number | null>(null)
  const shown = active !== null && active < points.length ? active : null
  return (
    <div ref={ref} className={styles.drawing}>
      <Legend series={series} />
      <div className={styles.stage}>
        <svg width={width} height={height} role="img" aria-label={`${title}: at most ${formatValue(highest)}`}>
          {ticks.map((tick, index) => (
            <g key={tick}>
              <line className={styles.grid} x1={left} x2={width} y1={scale.y(tick)} y2={scale.y(tick)} />
              <text className={styles.label} x={left - 6} y={scale.y(tick) + 4} textAnchor="end">
                {labels[index]}
              </text>
            </g>
          ))}
          <TimeAxis {...props} scale={scale} />
          {shown !== null && (
            <rect
              className={styles.cursor}
              x={left + shown * scale.step}
              y={plot.top}
              width={scale.step}
              height={plotHeight}
            />
          )}
          {series.map(({ tone }, nth) => (
            <path
              key={nth}
              className={`${toneClass(tone)} ${props.kind === 'line' ? styles.line : ''}`}
              d={props.kind === 'bar' ? barsOf(points, nth, scale) : lineOf(points, nth, scale)}
            />
          ))}
        </svg>
        <Cursor {...props} scale={scale} active={shown} onActive={setActive} />
        {shown !== null && <Tooltip {...props} scale={scale} index={shown} />}
      </div>
    </div>
  )
}

function highestOf({ kind, points }: ChartProps): number {
  const sums = points.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0))
  const heights = kind === 'bar' ? sums : points.flatMap(({ values }) => values.map((value) => value ?? 0))
  return Math.max(0, ...heights)
}

function TimeAxis({ points, formatTime, scale }: ChartProps & { readonly scale: Scale }) {
  const longest = Math.max(0, ...points.map(({ at }) => formatTime(at).length))
  const labelled = labelledPoints(points.length, scale.width, longest * characterWidth + 12)
  const end = scale.left + scale.width
  return labelled.map((index) => {
    const text = formatTime(points[index]?.at ?? 0)
    const x = scale.left + index * scale.step
    // A label that would stick out is left out: the cursor names each point.
    if (index > 0 && x + text.length * characterWidth > end + plot.right) return null
    return (
      <text key={index} className={styles.label} x={x} y={height - 5}>
        {text}
      </text>
    )
  })
}

interface CursorProps extends ChartProps {
  readonly scale: Scale
  readonly active: number | null
  readonly onActive: (index: number | null) => void
}

/** What takes the pointer and the keys. As a slider it tells screen readers the values of the point that it is on. */
function Cursor({ title, series, points, formatValue, formatTime, onChoose, scale, active, onActive }: CursorProps) {
  /** A finger first shows a point; a second touch of the same chooses it. */
  const touched = useRef<number | null>(null)
  const indexAt = (event: PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return pointAt(event.clientX - box.left, box.width, points.length)
  }
  function choose(index: number | null): void {
    const point = index === null ? undefined : points[index]
    if (index === null || point === undefined || onChoose === undefined) return
    const length = points.length < 2 ? 0 : (points[1]?.at ?? 0) - (points[0]?.at ?? 0)
    onChoose({ from: point.at, to: points[index + 1]?.at ?? point.at + length })
  }
  function onKeyDown(event: KeyboardEvent): void {
    const next = pointAfter(event.key, active, points.length)
    if (next !== null) onActive(next)
    else if (event.key === 'Enter') choose(active)
    else if (event.key === 'Escape' && active !== null) onActive(null)
    else return
    event.preventDefault()
  }
  if (points.length === 0) return null
  const at = active ?? points.length - 1
  const point = points[at]
  return (
    <div
      className={onChoose === undefined ? styles.pad : `${styles.pad} ${styles.chooses}`}
      style={{ left: scale.left, width: scale.width, top: plot.top, height: plotHeight }}
      role="slider"
      tabIndex={0}
      aria-label={`${title} at a time`}
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={at}
      aria-valuetext={point && pointText(point, series, { formatValue, formatTime })}
      onKeyDown={onKeyDown}
      onBlur={() => onActive(null)}
      onPointerMove={(event) => event.pointerType === 'mouse' && onActive(indexAt(event))}
      onPointerLeave={(event) => event.pointerType === 'mouse' && onActive(null)}
      onPointerDown={(event) => {
        const index = indexAt(event)
        touched.current = event.pointerType === 'mouse' ? index : active
        onActive(index)
      }}
      onClick={() => active === touched.current && choose(active)}
    />
  )
}

/** The point under the cursor in words, beside it and within the chart. */
function Tooltip(props: ChartProps & { readonly scale: Scale; readonly index: number }) {
  const { series, points, kind, formatValue, formatTime, onChoose, scale, index } = props
  const point = points[index]
  if (point === undefined) return null
  const x = scale.left + (index + 0.5) * scale.step
  const isRight = index > points.length / 2
  const sum = point.values.reduce<number>((all, value) => all + (value ?? 0), 0)
  return (
    <div
      className={styles.tooltip}
      style={isRight ? { right: `calc(100% - ${x - scale.step}px)` } : { left: x + scale.step }}
      aria-hidden="true"
    >
      <strong>{formatTime(point.at)}</strong>
      <ul>
        {series.map(({ name, tone }, nth) => (
          <li key={nth}>
            <span className={`${styles.swatch} ${toneClass(tone)}`} />
            <span className={styles.tipName}>{name}</span>
            <span className={styles.tipValue}>{valueText(point.values[nth] ?? null, formatValue)}</span>
          </li>
        ))}
        {kind === 'bar' && series.length > 1 && (
          <li>
            <span className={styles.tipName}>together</span>
            <span className={styles.tipValue}>{formatValue(sum)}</span>
          </li>
        )}
      </ul>
      {onChoose !== undefined && <span className={styles.tipHint}>Press to show this time</span>}
    </div>
  )
}

/** The bars of one series, each on top of those of the series before, as one path. */
function barsOf(points: readonly ChartPoint[], nth: number, { left, step, y }: Scale): string {
  const width = Math.max(1, step * 0.72)
  return points
    .map(({ values }, index) => {
      const value = values[nth] ?? 0
      if (value <= 0) return ''
      const base = values.slice(0, nth).reduce<number>((sum, each) => sum + (each ?? 0), 0)
      const x = left + index * step + (step - width) / 2
      return `M${x.toFixed(1)} ${y(base).toFixed(1)}V${y(base + value).toFixed(1)}h${width.toFixed(1)}V${y(base).toFixed(1)}z`
    })
    .join('')
}

/** The line of one series through its known values; one that stands alone is a dot. */
function lineOf(points: readonly ChartPoint[], nth: number, { left, step, y }: Scale): string {
  const known = points.flatMap(({ values }, index) => {
    const value = values[nth] ?? null
    return value === null ? [] : [`${(left + (index + 0.5) * step).toFixed(1)} ${y(value).toFixed(1)}`]
  })
  return known.length === 1
    ? `M${known[0]}h0.1`
    : known.map((place, order) => `${order === 0 ? 'M' : 'L'}${place}`).join('')
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

function pointText(
  { at, values }: ChartPoint,
  series: readonly ChartSeries[],
  { formatValue, formatTime }: Pick<ChartProps, 'formatValue' | 'formatTime'>,
): string {
  const texts = series.map(({ name }, nth) => `${name} ${valueText(values[nth] ?? null, formatValue)}`)
  return `${formatTime(at)}: ${texts.join(', ')}`
}

function toneClass(tone: ChartSeries['tone']): string {
  return `${styles.tone} ${styles[tone]}`
}

/** A row of small bars for a cell: one for each day, the highest as high as the cell. */
import styles from './sparkline.module.css'

export interface SparklineProps {
  readonly values: readonly number[]
  /** What it shows, in words: "12 requests in 30 days". */
  readonly label: string
}

const [barWidth, gap, height] = [2, 1, 20]

export function Sparkline({ values, label }: SparklineProps) {
  const most = Math.max(1, ...values)
  const width = values.length * (barWidth + gap) - gap
  // One path for all bars; a day without requests has a line that is hardly there.
  const bars = values
    .map((value, index) => {
      const barHeight = value === 0 ? 0 : Math.max(2, Math.round((value / most) * height))
      return barHeight === 0 ? '' : `M${index * (barWidth + gap)} ${height}v-${barHeight}h${barWidth}v${barHeight}z`
    })
    .join('')
  return (
    <svg className={styles.line} width={width} height={height} role="img" aria-label={label}>
      <title>{label}</title>
      <path className={styles.base} d={`M0 ${height - 0.5}h${width}`} />
      <path className={styles.bars} d={bars} />
    </svg>
  )
}

/** What a chart shows. */

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
  /** Bars are stacked, lines are not. */
  readonly kind: 'bar' | 'line'
  readonly series: readonly ChartSeries[]
  readonly points: readonly ChartPoint[]
  readonly formatValue: (value: number) => string
  readonly formatTime: (at: number) => string
  /** A press on a point, or Enter, filters by its time: from `at` to the next point. */
  readonly onChoose?: (range: ChosenRange) => void
}

export interface ChosenRange {
  readonly from: number
  readonly to: number
}

/** Which columns of a table a width has room for, and how wide each is. Nothing here touches the page. */

export interface ColumnSize {
  readonly id: string
  /** Its least width in pixels, padding included. */
  readonly min: number
  /** A smaller least width, for when every column that can be left out is left out. */
  readonly narrow?: number
  /** Its part of the width that is left over; without it the column stays at its least width. */
  readonly grow?: number
  /** Columns with a priority are left out when the width is short, the highest number first. */
  readonly priority?: number
}

/**
 * The ids of the columns that are shown, with their widths in pixels. They fill the width. Columns
 * without a priority are always shown; if they alone need more than the width, the table scrolls.
 */
export function fitColumns(columns: readonly ColumnSize[], width: number): ReadonlyMap<string, number> {
  const shown = new Set(columns.filter(({ priority }) => priority === undefined))
  let used = total([...shown], ({ min }) => min)
  const byPriority = columns
    .filter(({ priority }) => priority !== undefined)
    .toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
  for (const column of byPriority) {
    // A less important column never takes the room of a more important one.
    if (used + column.min > width) break
    shown.add(column)
    used += column.min
  }
  const fitting = columns.filter((column) => shown.has(column))
  const least = ({ min, narrow = min }: ColumnSize): number => (used > width ? narrow : min)
  const rest = Math.max(0, width - total(fitting, least))
  const parts = total(fitting, ({ grow = 0 }) => grow)
  return new Map(
    fitting.map((column) => [column.id, least(column) + (parts === 0 ? 0 : (rest * (column.grow ?? 0)) / parts)]),
  )
}

function total(columns: readonly ColumnSize[], of: (column: ColumnSize) => number): number {
  return columns.reduce((sum, column) => sum + of(column), 0)
}

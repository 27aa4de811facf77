/** The order of a table's rows: by the values of one column, up or down. */

/** What a column is sorted by; null stands last in both directions. */
export type SortValue = string | number | null

export interface SortOrder {
  readonly column: string
  readonly descending: boolean
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** A sorted copy; rows of equal value keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  descending: boolean,
): readonly Row[] {
  return rows.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    const order =
      typeof first === 'number' && typeof second === 'number'
        ? first - second
        : words.compare(String(first), String(second))
    return descending ? -order : order
  })
}

/** The order after a press on a column's header: up, down, as the list came. */
export function nextOrder(order: SortOrder | null, column: string): SortOrder | null {
  if (order?.column !== column) return { column, descending: false }
  return order.descending ? null : { column, descending: true }
}

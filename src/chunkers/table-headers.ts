/** Which table's header a piece of a table needs beside it: the rows that name its columns. */
import type { Reading, TableMark } from '#readers/reading.ts'

/**
 * The header of the table in whose body an offset lies; null elsewhere, and where `repeats` says that it is too large
 * to be repeated in every piece. Asked once for each table.
 */
export function tableHeaders(
  { text, tables }: Reading,
  repeats: (header: string) => boolean,
): (offset: number) => string | null {
  const headers = new Map<TableMark, string | null>()
  return (offset) => {
    const table = tableAt(tables, offset)
    if (table === undefined || offset < table.headerEnd || table.headerEnd === table.start) return null
    const known = headers.get(table)
    if (known !== undefined) return known
    const header = text.slice(table.start, table.headerEnd).trimEnd()
    const repeated = repeats(header) ? header : null
    headers.set(table, repeated)
    return repeated
  }
}

/** Binary search: tables are sorted and do not overlap. */
function tableAt(tables: readonly TableMark[], offset: number): TableMark | undefined {
  let low = 0
  let high = tables.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tables[middle]?.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const table = tables[low]
  return table !== undefined && table.start <= offset ? table : undefined
}

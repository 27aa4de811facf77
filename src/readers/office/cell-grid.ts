/**
 * Rows with merged cells, made into rows of plain cells: what is merged across columns stands in the
 * first of them, what is merged across rows is repeated when it is short, so that each row says
 * everything about itself.
 */

import { ReadFailure } from '../reading.ts'

export interface GridCell {
  readonly text: string
  /** How many columns it takes; 1 when it is not merged, or when the others follow as cells of their own. */
  readonly columns: number
  /** Continues the cell above it. */
  readonly above: boolean
}

/** Limit on columns: nobody reads a table with more. */
const columnsMax = 1_000
const repeatedCharactersMax = 100

/** Letters up to which the cells of a single row are a table; longer ones are columns of a page. */
export const shortCellMax = 80

/** Limit on the cells of one table, empty ones included: a merged cell may claim to be as wide as it likes. */
const cellsMax = 2_000_000

/** The same rows with one text for each column. Throws ReadFailure `too_complex` when there are too many. */
export function spreadCells(rows: Iterable<readonly GridCell[]>): string[][] {
  const spread: string[][] = []
  let cells = 0
  let previous: string[] = []
  for (const merged of rows) {
    const row: string[] = []
    for (const cell of merged) {
      const above = cell.above ? (previous[row.length] ?? '') : cell.text
      row.push(above.length > repeatedCharactersMax && cell.above ? '' : above)
      for (let column = 1; column < cell.columns && row.length < columnsMax; column += 1) row.push('')
      if (row.length >= columnsMax) break
    }
    cells += row.length
    if (cells > cellsMax) {
      throw new ReadFailure('too_complex', `A table has more than ${cellsMax} cells. Divide it into smaller ones.`)
    }
    spread.push(row)
    previous = row
  }
  return spread
}

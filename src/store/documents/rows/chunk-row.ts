/**
 * How a chunk is numbered: its set, then its place in the document. So the chunks of a set are one
 * range of rows, neighbours are neighbouring numbers, and the search needs to keep no row numbers.
 */

/** Rows of a set; sets may count up to 2^33. */
export const rowsPerSet = 2 ** 20

/** Chunks that one transaction stages: a few milliseconds of SQLite's write lock. */
export const sliceMax = 25

/** Most chunks of a document. The last row of a set is not a chunk's: it is that of the document's name and title. */
export const chunksMax = rowsPerSet - 1

/** The row of a chunk. */
export function chunkRow(setRow: number, ordinal: number): number {
  if (ordinal < 0 || ordinal >= chunksMax) throw new RangeError(`A document has at most ${chunksMax} chunks.`)
  return setRow * rowsPerSet + ordinal
}

/** The row of a document's name and title in the index of words. */
export function nameRow(setRow: number): number {
  return setRow * rowsPerSet + chunksMax
}

/** Whether the row is that of a name and title. */
export function isNameRow(row: number): boolean {
  return row % rowsPerSet === chunksMax
}

/** The set that a row belongs to. */
export function setOf(row: number): number {
  return Math.floor(row / rowsPerSet)
}

/** The place of a row in its document, from 0. */
export function ordinalOf(row: number): number {
  return row % rowsPerSet
}

/** First row of a set, and the first that no longer belongs to it. */
export function rowsOf(setRow: number): { readonly from: number; readonly to: number } {
  return { from: setRow * rowsPerSet, to: (setRow + 1) * rowsPerSet }
}

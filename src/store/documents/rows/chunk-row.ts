/**
 * How a chunk is numbered: its set, then its place in the document. So the chunks of a set are one
 * range of rows, neighbours are neighbouring numbers, and the search needs to keep no row numbers.
 */

/** Most chunks of a document; sets may count up to 2^33. */
export const chunksMax = 2 ** 20

/** The place in a set that is not a chunk's: the row of the document's name and title in the index of words. */
export const nameOrdinal = chunksMax - 1

/** The row of a chunk. */
export function chunkRow(setRow: number, ordinal: number): number {
  if (ordinal < 0 || ordinal >= chunksMax) throw new RangeError(`A document has at most ${chunksMax} chunks.`)
  return setRow * chunksMax + ordinal
}

/** The set that a row belongs to. */
export function setOf(row: number): number {
  return Math.floor(row / chunksMax)
}

/** The place of a row in its document, from 0. */
export function ordinalOf(row: number): number {
  return row % chunksMax
}

/** First row of a set, and the first that no longer belongs to it. */
export function rowsOf(setRow: number): { readonly from: number; readonly to: number } {
  return { from: setRow * chunksMax, to: (setRow + 1) * chunksMax }
}

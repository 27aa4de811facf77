/**
 * Usage rows that wait for the database, as pieces of text: rows that were made together are one piece. An object for
 * each row would outlive several collections of garbage before it is written, which costs more than making it.
 */

/** Rows that follow each other in the journal. */
export interface Piece {
  /** A line of usage-record.ts for each row, each with its line feed. */
  readonly text: string
  readonly rows: number
  /** Place of the first row in the journal; 0 without one. */
  readonly first: number
  /** A budget counts them: they are never dropped. */
  readonly isCounted: boolean
  /** Numbers of those that were written ahead. */
  readonly aheads: readonly number[]
}

/** A row with what decides about its piece. */
export interface WaitingRow {
  /** Without a line feed. */
  readonly line: string
  readonly isCounted: boolean
  /** Its number among the records that were written ahead; 0 for none. */
  readonly ahead: number
}

export class UsageQueue {
  readonly #enter: (text: string, rows: number) => number
  #pieces: Piece[] = []
  /** All that wait, those of the next piece included. */
  #rows = 0
  /** The piece that is being made. */
  #lines: string[] = []
  #aheads: number[] = []
  #isCounted = false

  /** @param enter writes the text of so many rows into the journal and returns the place of the first; 0 without one */
  constructor(enter: (text: string, rows: number) => number) {
    this.#enter = enter
  }

  /** How many rows wait. */
  get rows(): number {
    return this.#rows
  }

  /** Adds a row, which nobody gets before it is sealed. */
  add({ line, isCounted, ahead }: WaitingRow): void {
    if (isCounted !== this.#isCounted) this.seal()
    this.#isCounted = isCounted
    this.#lines.push(line)
    this.#rows += 1
    if (ahead > 0) this.#aheads.push(ahead)
  }

  /** Makes a piece of the rows that were added since the last time. */
  seal(): void {
    const rows = this.#lines.length
    if (rows === 0) return
    const text = `${this.#lines.join('\n')}\n`
    const first = this.#enter(text, rows)
    this.#pieces.push({ text, rows, first, isCounted: this.#isCounted, aheads: this.#aheads })
    this.#lines = []
    this.#aheads = []
  }

  /** Takes the first pieces, of no more than `rowsMax` rows unless it is one, as far as they follow each other in the journal. */
  take(rowsMax: number): readonly Piece[] {
    const taken: Piece[] = []
    let rows = 0
    let next = this.#pieces[0]?.first ?? 0
    for (const piece of this.#pieces) {
      if (taken.length > 0 && (rows + piece.rows > rowsMax || piece.first !== next)) break
      taken.push(piece)
      rows += piece.rows
      next = piece.first === 0 ? 0 : piece.first + piece.rows
    }
    this.#pieces.splice(0, taken.length)
    this.#rows -= rows
    return taken
  }

  /** Puts rows back to the front while no more than `rowsMax` wait, and returns those that no longer fit. */
  putBack(pieces: readonly Piece[], rowsMax: number): readonly Piece[] {
    const kept: Piece[] = []
    const dropped: Piece[] = []
    let room = Math.max(0, rowsMax - this.#rows)
    for (const piece of pieces) {
      const [fits, rest] = piece.isCounted || piece.rows <= room ? [piece, null] : split(piece, room)
      if (fits !== null) kept.push(fits)
      if (rest !== null) dropped.push(rest)
      room = Math.max(0, room - piece.rows)
    }
    this.#pieces = [...kept, ...this.#pieces]
    this.#rows += rowsOf(kept)
    return dropped
  }
}

/** How many rows they are. */
export function rowsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0)
}

/** The first rows of a piece and the others; null for none. */
function split(piece: Piece, rows: number): readonly [Piece | null, Piece] {
  if (rows === 0) return [null, piece]
  let end = 0
  for (let row = 0; row < rows; row += 1) end = piece.text.indexOf('\n', end) + 1
  const first = piece.first === 0 ? 0 : piece.first + rows
  return [
    { ...piece, text: piece.text.slice(0, end), rows },
    { ...piece, text: piece.text.slice(end), rows: piece.rows - rows, first, aheads: [] },
  ]
}

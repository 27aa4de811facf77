/**
 * A table of an HTML page while it is read: which cell a block belongs to, what spans do, and in the end whether it is
 * a table of data or only the page's layout.
 *
 * Not here: tags and text (html-blocks.ts). Invariant: every block that was put in comes out once, as part of a cell
 * of the table or, from layout, by itself.
 */
import type { TextBuilder } from '../text-builder.ts'

/** What HTML comes down to; replayed on a TextBuilder. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'item'; readonly text: string; readonly depth: number; readonly marker: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

/** The block as text of a builder. */
export function buildBlock(builder: TextBuilder, block: Block): void {
  switch (block.kind) {
    case 'paragraph':
      return builder.paragraph(block.text)
    case 'heading':
      return builder.heading(block.level, block.text)
    case 'item':
      return builder.listItem(block.text, block.depth, block.marker)
    case 'code':
      return builder.code(block.text)
    case 'table':
      return builder.table(block.rows)
  }
}

const columnsMax = 1_000
const rowSpanMax = 1_000
/** Longer cells are running text that was put into a table. */
const cellTextMax = 2_000
const lineCellMax = 200

interface Cell {
  readonly columns: number
  readonly rows: number
  readonly blocks: Block[]
}

interface Carried {
  rowsLeft: number
  readonly text: string
}

function textOf(cell: Cell): string {
  return cell.blocks.map((block) => (block.kind === 'table' ? '' : block.text)).join(' ')
}

/** One table; nested ones are blocks of its cells. */
export class HtmlTable {
  readonly #isPresentation: boolean
  readonly #rows: Cell[][] = []
  /** Blocks outside of cells: captions, misplaced text. */
  readonly #loose: Block[] = []
  #cell: Cell | null = null

  constructor(isPresentation: boolean) {
    this.#isPresentation = isPresentation
  }

  openRow(): void {
    this.#cell = null
    this.#rows.push([])
  }

  openCell(columns: number, rows: number): void {
    const row = this.#rows.at(-1) ?? []
    if (this.#rows.length === 0) this.#rows.push(row)
    this.#cell = {
      columns: Math.min(Math.max(columns, 1), columnsMax),
      rows: Math.min(Math.max(rows, 1), rowSpanMax),
      blocks: [],
    }
    row.push(this.#cell)
  }

  closeCell(): void {
    this.#cell = null
  }

  /** Whether text now belongs to a cell. */
  get inCell(): boolean {
    return this.#cell !== null
  }

  add(block: Block): void {
    const blocks = this.#cell?.blocks ?? this.#loose
    blocks.push(block)
  }

  /** What the finished table comes down to: itself, or the blocks of its cells when it only served the layout. */
  blocks(): readonly Block[] {
    const rows = this.#rows.filter((row) => row.some((cell) => cell.blocks.length > 0))
    if (!this.#isPresentation && isData(rows)) return [...this.#loose, { kind: 'table', rows: grid(rows) }]
    return [...this.#loose, ...rows.flatMap((row) => (this.#isPresentation ? blocksOf(row) : lineOf(row)))]
  }
}

function blocksOf(row: readonly Cell[]): readonly Block[] {
  return row.flatMap((cell) => cell.blocks)
}

function isPlain(block: Block): boolean {
  return block.kind === 'paragraph' || block.kind === 'item'
}

/** A row of short cells says something together, such as a name and its value, also within a page's layout. */
function lineOf(row: readonly Cell[]): readonly Block[] {
  const texts = row.map(textOf).filter((text) => text !== '')
  const isLine = texts.length > 1 && texts.every((text) => text.length <= lineCellMax) && blocksOf(row).every(isPlain)
  return isLine ? [{ kind: 'paragraph', text: texts.join(' | ') }] : blocksOf(row)
}

function isData(rows: readonly (readonly Cell[])[]): boolean {
  if (rows.length < 2 || !rows.some((row) => row.length > 1)) return false
  for (const cell of rows.flat()) {
    let length = 0
    for (const block of cell.blocks) {
      if (block.kind !== 'paragraph' && block.kind !== 'item') return false
      length += block.text.length
    }
    if (length > cellTextMax) return false
  }
  return true
}

/** Cells by column. A cell over several rows is repeated in each, so that every row can be read by itself. */
function grid(rows: readonly (readonly Cell[])[]): readonly (readonly string[])[] {
  let carried: (Carried | undefined)[] = []
  return rows.map((cells) => {
    const line: string[] = []
    const next: (Carried | undefined)[] = []
    const takeCarried = (): void => {
      for (let held = carried[line.length]; held !== undefined; held = carried[line.length]) {
        if (held.rowsLeft > 1) next[line.length] = { ...held, rowsLeft: held.rowsLeft - 1 }
        line.push(held.text)
      }
    }
    for (const cell of cells) {
      takeCarried()
      const text = textOf(cell)
      for (let column = 0; column < cell.columns && line.length < columnsMax; column += 1) {
        const shown = column === 0 ? text : ''
        if (cell.rows > 1) next[line.length] = { rowsLeft: cell.rows - 1, text: shown }
        line.push(shown)
      }
    }
    takeCarried()
    carried = next
    return line
  })
}

/**
 * A text document as a list of blocks, in between its format and the text that is made of it, since
 * whether its page breaks count can only be decided when all of them are known.
 */

import { ReadFailure } from '../reading.ts'
import type { ReadLimits } from '../reading.ts'
import type { TextBuilder } from '../text-builder.ts'

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'item'; readonly text: string; readonly depth: number; readonly marker: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** `rendered`: where the software that wrote the file last began a page; else where its author asked for one. */
  | { readonly kind: 'break'; readonly rendered: boolean }

export interface BlockList {
  readonly all: readonly Block[]
  /** Throws ReadFailure `too_complex` when the text is longer than the limit. */
  add(blocks: readonly Block[]): void
}

/** What fits on a page in small print. */
const pageCharactersMax = 6_000

/** Collects blocks within the limit on text, so that a document that repeats itself is stopped while it is collected. */
export function openBlocks({ textMax }: Pick<ReadLimits, 'textMax'>): BlockList {
  const all: Block[] = []
  let characters = 0
  return {
    all,
    add(blocks) {
      for (const block of blocks) {
        characters += charactersOf(block)
        if (characters > textMax) {
          throw new ReadFailure(
            'too_complex',
            `The file holds more than ${textMax} characters of text. Divide it into smaller files.`,
          )
        }
        all.push(block)
      }
    },
  }
}

/**
 * Writes all blocks. Page numbers are given only where they are those that a reader of the document sees: at breaks
 * that were rendered, or at breaks that the author set when no text between two of them is longer than a page.
 */
export function writeBlocks(builder: TextBuilder, blocks: readonly Block[]): void {
  const rendered = blocks.some((block) => block.kind === 'break' && block.rendered)
  const paged = rendered || areShortPages(blocks)
  if (paged) builder.page()
  for (const block of blocks) {
    if (block.kind === 'paragraph') builder.paragraph(block.text)
    else if (block.kind === 'heading') builder.heading(block.level, block.text)
    else if (block.kind === 'item') builder.listItem(block.text, block.depth, block.marker)
    else if (block.kind === 'table') builder.table(block.rows)
    else if (paged && block.rendered === rendered) builder.page()
  }
}

/** A block as part of a table's cell. */
export function inlineText(block: Block): string {
  if (block.kind === 'break') return ''
  if (block.kind === 'table') return block.rows.map((row) => row.filter((cell) => cell !== '').join(', ')).join('; ')
  return block.kind === 'item' && block.text.trim() !== '' ? `${block.marker} ${block.text}` : block.text
}

function areShortPages(blocks: readonly Block[]): boolean {
  let characters = 0
  let breaks = 0
  for (const block of blocks) {
    if (block.kind === 'break') {
      breaks += 1
      characters = 0
      continue
    }
    characters += charactersOf(block)
    if (characters > pageCharactersMax) return false
  }
  return breaks > 0
}

function charactersOf(block: Block): number {
  if (block.kind === 'break') return 0
  if (block.kind !== 'table') return block.text.length
  let characters = 0
  for (const row of block.rows) for (const cell of row) characters += cell.length
  return characters
}

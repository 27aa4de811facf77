/**
 * Reads a text that grows, as a stream does: blocks that can no longer change are kept, so that each step costs what has
 * come since and no more. Also bounds what is shown at once: hostile or endless text could make a million elements.
 */
import { markdownLines, placedBlocks, type Block, type Item } from './markdown-blocks.ts'

/** The last two blocks may change: a line that has not ended can still belong to the block before it. */
const unsettledBlocks = 2

export class MarkdownReader {
  #text = ''
  #settled: readonly Block[] = []
  /** Where the text after the settled blocks begins. */
  #settledAt = 0
  #blocks: readonly Block[] = []

  /** The blocks of the text. Those that a text before had, too, are the same objects. */
  read(text: string): readonly Block[] {
    if (text === this.#text) return this.#blocks
    if (!text.startsWith(this.#text)) {
      this.#settled = []
      this.#settledAt = 0
    }
    this.#text = text
    const rest = text.slice(this.#settledAt)
    const placed = placedBlocks(markdownLines(rest))
    const open = placed.at(-unsettledBlocks)
    const settled = placed.slice(0, -unsettledBlocks).map(({ block }) => block)
    if (settled.length > 0 && open !== undefined) {
      this.#settled = [...this.#settled, ...settled]
      this.#settledAt += lineStart(rest, open.line)
    }
    this.#blocks = [...this.#settled, ...placed.slice(settled.length).map(({ block }) => block)]
    return this.#blocks
  }
}

function lineStart(text: string, line: number): number {
  let at = 0
  for (let count = 0; count < line; count += 1) at = text.indexOf('\n', at) + 1
  return at
}

/** The first blocks that together make no more than a number of elements, and whether that is all of them. */
export function firstBlocks(
  blocks: readonly Block[],
  elementsMax: number,
): { readonly blocks: readonly Block[]; readonly isAll: boolean } {
  let left = elementsMax
  for (const [at, block] of blocks.entries()) {
    left -= elementsOf(block)
    if (left < 0) {
      const part = firstOf(block, left + elementsOf(block))
      return { blocks: [...blocks.slice(0, at), ...(part === null ? [] : [part])], isAll: false }
    }
  }
  return { blocks, isAll: true }
}

/** The beginning of a block that is too large; null for one that has no parts. */
function firstOf(block: Block, elementsMax: number): Block | null {
  switch (block.kind) {
    case 'list': {
      const items = firstItems(block.items, elementsMax)
      return items.length === 0 ? null : { ...block, items }
    }
    case 'quote':
      return { ...block, blocks: firstBlocks(block.blocks, elementsMax).blocks }
    case 'table':
      return { ...block, rows: firstItems(block.rows, elementsMax) }
    case 'paragraph':
    case 'heading':
      // One element of the text for each mark, at most: as many characters as elements are left make no more.
      return { kind: 'paragraph', text: block.text.slice(0, Math.max(200, elementsMax)) }
    default:
      return null
  }
}

function firstItems<Each extends Item | readonly string[]>(
  items: readonly Each[],
  elementsMax: number,
): readonly Each[] {
  let left = elementsMax
  const end = items.findIndex((item) => (left -= itemElements(item)) < 0)
  return end === -1 ? items : items.slice(0, end)
}

const counted = new WeakMap<object, number>()

/** About how many elements a block makes. */
export function elementsOf(block: Block): number {
  const known = counted.get(block)
  if (known !== undefined) return known
  const count = countElements(block)
  counted.set(block, count)
  return count
}

function countElements(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return textElements(block.text)
    case 'quote':
      return 1 + sum(block.blocks, elementsOf)
    case 'list':
      return 1 + sum(block.items, itemElements)
    case 'table':
      return 1 + sum(block.header, textElements) + sum(block.rows, itemElements)
    case 'code':
      return codeElements
    case 'math':
      return formulaElements + Math.ceil(block.text.length / 4)
    case 'rule':
      return 1
  }
}

/** The box, its button, and some coloured words. */
const codeElements = 20
/** A formula has an element for each sign, and takes longer than other elements. */
const formulaElements = 30

function itemElements(item: Item | readonly string[]): number {
  return 1 + ('blocks' in item ? sum(item.blocks, elementsOf) : sum(item, textElements))
}

/** A mark makes an element or a half; a bracket can hold the numbers of several sources. */
const markElements: Readonly<Record<string, number>> = { $: formulaElements / 2, '\\': formulaElements / 2, '[': 5 }

const inlineMark = /[`*_~[$\\]|https?:/g
function textElements(text: string): number {
  let count = 1
  inlineMark.lastIndex = 0
  for (let match = inlineMark.exec(text); match !== null; match = inlineMark.exec(text))
    count += markElements[match[0]] ?? 1
  return count
}

function sum<Each>(all: readonly Each[], count: (each: Each) => number): number {
  let total = 0
  for (const each of all) total += count(each)
  return total
}

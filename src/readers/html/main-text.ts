/**
 * Which blocks of a web page are its text, and which surround it: menus, notices, lists of links to other pages. By the marks
 * that pages have (`main`, `article`), by the names of their parts, and by how much of a block is links, as the reader views
 * of browsers do it. What is doubtful is kept.
 */
import type { Block } from './html-table.ts'

/** A block and where it was found. */
export interface PlacedBlock {
  readonly block: Block
  /** Within `main`, or within an `article`. */
  readonly within: 'main' | 'article' | null
  /** How much of its text is the text of links, from 0 to 1. */
  readonly linkShare: number
}

/** Less text than this is more probably a mistake of ours than the whole text of a page. */
const enough = 250
const linkedShare = 0.8
/** As many blocks of links after each other are a list of other pages. */
const linkedRun = 3

const partTags: ReadonlySet<string> = new Set(['div', 'section', 'ul', 'ol', 'form', 'header', 'table', 'dialog'])
const namesOfSurroundings =
  /(?:^|[\s_-])(?:advert\w*|banner|breadcrumbs?|comments?|consent|cookies?|disqus|footer|masthead|menu|navbar|navigation|newsletter|pagination|pager|popup|promo|related|share|sharing|sidebar|skip-?links?|social|sponsor\w*|subscribe|toolbar)(?:$|[\s_-])/i
const namesOfContent = /article|body|column|content|main|post/i
const namesMax = 300

/** Whether a part of a page is called by its class or id as something that is not its text. */
export function isSurroundings(tag: string, names: string): boolean {
  if (tag === 'aside') return true
  if (names === '' || !partTags.has(tag)) return false
  const looked = names.slice(0, namesMax)
  return namesOfSurroundings.test(looked) && !namesOfContent.test(looked)
}

/** The blocks of the text, in their order; null when too little is left to be it. */
export function mainBlocks(blocks: readonly PlacedBlock[]): readonly Block[] | null {
  const lengthOf = (some: readonly PlacedBlock[]): number => some.reduce((sum, { block }) => sum + textLength(block), 0)
  const all = withoutLinkRuns(blocks)
  const within = (['main', 'article'] as const).map((place) => all.filter((each) => each.within === place))
  // Several articles without a `main` around them are a list of them, with all their texts.
  const kept = [...within, all].find((some) => lengthOf(some) >= enough)
  return kept === undefined ? null : kept.map(({ block }) => block)
}

/** Lists of links within `main` are its content: indexes, references. */
function withoutLinkRuns(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const kept: PlacedBlock[] = []
  let run: PlacedBlock[] = []
  const endRun = (): void => {
    if (run.length < linkedRun) kept.push(...run)
    run = []
  }
  for (const each of blocks) {
    if (each.within === null && each.linkShare >= linkedShare) run.push(each)
    else {
      endRun()
      kept.push(each)
    }
  }
  endRun()
  return kept
}

function textLength(block: Block): number {
  return block.kind === 'table' ? block.rows.flat().reduce((sum, cell) => sum + cell.length, 0) : block.text.length
}

/**
 * From tags and text to blocks: paragraphs, headings, list items, tables, code. What a page shows around its content
 * (navigation, scripts, forms' buttons, what is hidden) is left out, and so are addresses of links.
 *
 * Not here: reading the markup (html.ts). Invariant: each tag costs the same however deep it is; nesting of lists and
 * tables past a fixed depth is ignored and its text kept.
 */
import type { Block } from './html-table.ts'
import { HtmlTable } from './html-table.ts'
import { isSurroundings, type PlacedBlock } from './main-text.ts'

const listDepthMax = 512
const tableDepthMax = 32

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

const blockTags = words(
  'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup hr html legend main menu p search section summary tbody tfoot thead optgroup option',
)
const skippedTags = words(
  'annotation audio button canvas datalist iframe map nav noembed noframes noscript object script select style svg template textarea video',
)
/** Which may stand without an end tag, so that hiding one could hide the rest of the page. */
const endsWithoutTag = words(
  'area base body br col dd dt embed head hr html img input li link meta option p param source tbody td tfoot th thead tr track wbr',
)
const contentTags = words('article main section')

/** Values of the attributes that mean something here. */
export type Attributes = ReadonlyMap<string, string>

const wanted = words('alt aria-hidden colspan hidden role rowspan start style value')
const wantedOfPages = words('alt aria-hidden class colspan hidden id role rowspan start style value')
const wantedOfHeads = words('content href name rel')

function isHidden(attributes: Attributes): boolean {
  return (
    attributes.has('hidden') ||
    attributes.get('aria-hidden') === 'true' ||
    attributes.get('role') === 'navigation' ||
    /display:\s?none/i.test(attributes.get('style') ?? '')
  )
}

function count(value: string | undefined): number {
  const number = Number.parseInt(value ?? '', 10)
  return Number.isSafeInteger(number) ? number : 1
}

interface List {
  /** Number of the next item; null for a list without an order. */
  next: number | null
}

/** What a page states about itself in its head. */
export interface PageHead {
  canonicalUrl: string
  author: string
}

/** Takes tags and text in the order of the page; hands each block on as soon as it is complete. */
export class HtmlBlocks {
  readonly #emit: (block: Block, place: Omit<PlacedBlock, 'block'>) => void
  readonly #isPage: boolean
  readonly #lists: List[] = []
  readonly #tables: HtmlTable[] = []
  #inline = ''
  #title: string | null = null
  #inTitle = false
  #inCode = false
  #headingLevel = 0
  /** The marker of the list item whose text has not begun. */
  #marker: string | null = null
  #listsTooDeep = 0
  #tablesTooDeep = 0
  #contentDepth = 0
  #headerDepth = 0
  #skippedTag: string | null = null
  #skippedDepth = 0
  #mainDepth = 0
  /** The tag that `role="main"` is on. */
  #mainTag = 'main'
  #articleDepth = 0
  #linkDepth = 0
  /** Characters of `#inline` that are the text of links. */
  #linked = 0
  /** That of the block that was read last. */
  #linkShare = 0
  readonly head: PageHead = { canonicalUrl: '', author: '' }

  /** @param isPage of the web, of which what surrounds its text is left out, too */
  constructor(emit: (block: Block, place: Omit<PlacedBlock, 'block'>) => void, isPage = false) {
    this.#emit = emit
    this.#isPage = isPage
  }

  /** The attributes of a tag that are asked for; others need not be collected. */
  wantedOf(tag: string): ReadonlySet<string> {
    if (!this.#isPage) return wanted
    return tag === 'link' || tag === 'meta' ? wantedOfHeads : wantedOfPages
  }

  /** Text of the page's `title`, once it was seen. */
  get title(): string | null {
    return this.#title
  }

  text(text: string): void {
    if (this.#skippedTag !== null) return
    if (this.#inTitle) this.#title = `${this.#title ?? ''}${text}`
    else {
      this.#inline += text
      if (this.#linkDepth > 0) this.#linked += text.trim().length
    }
  }

  open(tag: string, attributes: Attributes): void {
    if (this.#skippedTag !== null) {
      if (tag === this.#skippedTag) this.#skippedDepth += 1
    } else if (this.#isSkipped(tag, attributes)) {
      if (!blockTags.has(tag)) this.#inline += ' '
      else this.#flush()
      this.#skippedTag = tag
      this.#skippedDepth = 1
    } else if (!this.#openTextTag(tag, attributes) && !this.#openTablePart(tag, attributes))
      this.#openBlock(tag, attributes)
  }

  /** Tags within a block, and in the head. */
  #openTextTag(tag: string, attributes: Attributes): boolean {
    if (tag === 'title') this.#inTitle = this.#title === null
    else if (tag === 'a') this.#linkDepth = 1
    else if (tag === 'br') this.#inline += this.#inCode ? '\n' : '\v'
    else if (tag === 'img') {
      const alternative = attributes.get('alt')?.trim() ?? ''
      if (alternative !== '') this.#inline += ` ${alternative} `
    } else if (tag === 'link' || tag === 'meta') this.#noteHead(attributes)
    else return false
    return true
  }

  close(tag: string): void {
    if (this.#skippedTag !== null) {
      if (tag !== this.#skippedTag) return
      this.#skippedDepth -= 1
      if (this.#skippedDepth === 0) this.#skippedTag = null
    } else if (tag === 'title') this.#inTitle = false
    else if (tag === 'a') this.#linkDepth = 0
    else if (tag === 'p' || blockTags.has(tag)) this.#closeBlock(tag)
    else if (tag === 'ul' || tag === 'ol') this.#closeList()
    else if (tag === 'table') this.#closeTable()
    else if (tag === 'td' || tag === 'th' || tag === 'tr') this.#closeCell()
    else this.#closeTextTag(tag)
  }

  /** Hands on what is still open. */
  end(): void {
    this.#flush()
    while (this.#tables.length > 0) this.#closeTable()
  }

  #isSkipped(tag: string, attributes: Attributes): boolean {
    if (skippedTags.has(tag)) return true
    // The footer of an article belongs to it; that of the page repeats on every page of the site.
    if (tag === 'footer' && this.#contentDepth === 0) return true
    // Lists in a header are menus, also where nobody has marked them as navigation.
    if (this.#headerDepth > 0 && (tag === 'ul' || tag === 'ol')) return true
    if (this.#isPage && isSurroundings(tag, `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`.trim()))
      return true
    return attributes.size > 0 && !endsWithoutTag.has(tag) && isHidden(attributes)
  }

  #openBlock(tag: string, attributes: Attributes): void {
    if (blockTags.has(tag)) {
      this.#flush()
      this.#openContent(tag, attributes)
      if (contentTags.has(tag)) this.#contentDepth += 1
      else if (tag === 'header') this.#headerDepth += 1
    } else if (tag === 'ul' || tag === 'ol') {
      this.#flush()
      if (this.#lists.length >= listDepthMax) this.#listsTooDeep += 1
      else this.#lists.push({ next: tag === 'ol' ? count(attributes.get('start')) : null })
    } else if (tag === 'li') this.#openItem(attributes)
    else if (tag === 'pre' || tag === 'xmp' || tag === 'listing') {
      this.#flush()
      this.#inCode = true
    } else if (/^h[1-6]$/.test(tag)) {
      this.#flush()
      this.#marker = null
      this.#headingLevel = Number(tag.slice(1))
    }
  }

  /** Notes that the text of the page begins here. */
  #openContent(tag: string, attributes: Attributes): void {
    if (tag === 'article') this.#articleDepth += 1
    if (tag === 'main' || (this.#mainDepth > 0 && tag === this.#mainTag)) this.#mainDepth += 1
    else if (attributes.get('role') === 'main') {
      this.#mainTag = tag
      this.#mainDepth += 1
    }
  }

  #closeBlock(tag: string): void {
    this.#flush()
    if ((tag === 'main' || tag === this.#mainTag) && this.#mainDepth > 0) this.#mainDepth -= 1
    if (tag === 'article' && this.#articleDepth > 0) this.#articleDepth -= 1
    if (contentTags.has(tag) && this.#contentDepth > 0) this.#contentDepth -= 1
    else if (tag === 'header' && this.#headerDepth > 0) this.#headerDepth -= 1
  }

  #closeTextTag(tag: string): void {
    if (tag === 'li') {
      this.#flush()
      this.#marker = null
    } else if (tag === 'pre' || tag === 'xmp' || tag === 'listing') {
      this.#flush()
      this.#inCode = false
    } else if (/^h[1-6]$/.test(tag)) {
      this.#flush()
      this.#headingLevel = 0
    }
  }

  #openItem(attributes: Attributes): void {
    this.#flush()
    const list = this.#lists.at(-1)
    if (list === undefined || list.next === null) this.#marker = '-'
    else {
      const number = attributes.has('value') ? count(attributes.get('value')) : list.next
      this.#marker = `${number}.`
      list.next = number + 1
    }
  }

  #closeList(): void {
    this.#flush()
    this.#marker = null
    if (this.#listsTooDeep > 0) this.#listsTooDeep -= 1
    else this.#lists.pop()
  }

  #openTablePart(tag: string, attributes: Attributes): boolean {
    const table = this.#tables.at(-1)
    if (tag === 'table') {
      this.#flush()
      const role = attributes.get('role')
      if (this.#tables.length >= tableDepthMax) this.#tablesTooDeep += 1
      else this.#tables.push(new HtmlTable(role === 'presentation' || role === 'none'))
    } else if (tag === 'tr' || tag === 'td' || tag === 'th') {
      this.#flush()
      if (table === undefined || this.#tablesTooDeep > 0) return true
      if (tag === 'tr') table.openRow()
      else table.openCell(count(attributes.get('colspan')), count(attributes.get('rowspan')))
    } else return false
    return true
  }

  #closeCell(): void {
    this.#flush()
    if (this.#tablesTooDeep === 0) this.#tables.at(-1)?.closeCell()
  }

  #closeTable(): void {
    this.#flush()
    if (this.#tablesTooDeep > 0) {
      this.#tablesTooDeep -= 1
      return
    }
    const table = this.#tables.pop()
    if (table !== undefined) for (const block of table.blocks()) this.#put(block)
  }

  /** Ends the block that is being read, if it has any text. */
  #flush(): void {
    const inline = this.#inline
    if (inline === '') return
    this.#inline = ''
    this.#linkShare = this.#linked / Math.max(1, inline.trim().length)
    this.#linked = 0
    if (this.#inCode) {
      if (inline.trim() !== '') this.#put({ kind: 'code', text: inline.replaceAll('\v', '\n') })
      return
    }
    const text = inline
      .replace(/[ \t\n\r\f\u00a0]+/g, ' ')
      .replace(/ ?\v ?/g, '\n')
      .trim()
    if (text === '') return
    if (this.#headingLevel > 0) this.#put({ kind: 'heading', text, level: this.#headingLevel })
    else if (this.#marker !== null) {
      this.#put({ kind: 'item', text, depth: Math.max(1, this.#lists.length), marker: this.#marker })
      this.#marker = null
    } else this.#put({ kind: 'paragraph', text })
  }

  #put(block: Block): void {
    const table = this.#tables.at(-1)
    if (table !== undefined) table.add(block)
    else this.#emit(block, { within: this.#within, linkShare: block.kind === 'table' ? 0 : this.#linkShare })
  }

  get #within(): PlacedBlock['within'] {
    if (this.#mainDepth > 0) return 'main'
    return this.#articleDepth > 0 ? 'article' : null
  }

  #noteHead(attributes: Attributes): void {
    const value = (name: string): string => attributes.get(name)?.trim() ?? ''
    if (value('rel').toLowerCase() === 'canonical') this.head.canonicalUrl ||= value('href')
    else if (value('name').toLowerCase() === 'author') this.head.author ||= value('content')
  }
}

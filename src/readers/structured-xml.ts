/**
 * Books and papers as XML: FictionBook, DocBook, JATS and OPML. They differ in names only, so one walk reads all of
 * them by a table of what each name means; unknown elements are part of the text around them.
 *
 * Invariant: what a file carries beside its text (binaries, data about it) never becomes text. Sources: FictionBook
 * 2.1, DocBook 5.1, JATS 1.3, OPML 2.0.
 */
import { type Reader, ReadFailure, type ReadRequest, type Reading } from './reading.ts'
import { TextBuilder } from './text-builder.ts'
import { attributeOf, childrenOf, decodeXml, descendantsOf, parseXml, textOf, type XmlElement } from './xml.ts'

type Role =
  | 'section'
  | 'title'
  | 'block'
  | 'list'
  | 'numbered'
  | 'item'
  | 'table'
  | 'code'
  | 'outline'
  | 'note'
  | 'skipped'

const roles = new Map<string, Role>(
  Object.entries<string>({
    section:
      'section sect1 sect2 sect3 sect4 sect5 simplesect chapter appendix preface part article book sec app refsect1 refsect2 glossary bibliography abstract ref-list ack',
    title: 'title article-title subtitle book-title bridgehead',
    block:
      'p para simpara v text-author epigraph annotation stanza label caption disp-quote disp-formula equation term def mixed-citation element-citation bibliomixed attribution phrase blockquote cite poem body textobject mediaobject alt-text alt',
    list: 'itemizedlist variablelist list simplelist def-list',
    numbered: 'orderedlist procedure',
    item: 'listitem list-item step varlistentry def-item member ref',
    table: 'table informaltable',
    code: 'programlisting screen literallayout synopsis preformat code',
    outline: 'outline',
    note: 'footnote fn',
    skipped:
      'binary stylesheet description info bookinfo articleinfo chapterinfo sectioninfo front-stub journal-meta article-id pub-date permissions history contrib-group aff author-notes kwd-group counts custom-meta-group indexterm index toc imagedata graphic inline-graphic tex-math self-uri related-article funding-group volume issue fpage lpage elocation-id article-categories pub-history processing-meta floats-group',
  }).flatMap(([role, names]) => names.split(' ').map((name): [string, Role] => [name, role as Role])),
)

/** Code that is part of a sentence. */
const inlineCode = new Set(['code'])
const rows = new Set(['tr', 'row'])
const cells = new Set(['td', 'th', 'entry'])
const roots = new Set(['FictionBook', 'article', 'book', 'chapter', 'section', 'part', 'opml', 'set'])

/** Reads books and papers written as XML. */
export const structuredXmlReader: Reader = { name: 'structured-xml', read: async (request) => readStructured(request) }

function readStructured({ bytes, mediaType, limits }: ReadRequest): Reading {
  // Files name their document type, which is not fetched, and may define names of characters, which are left out.
  const root = parseXml(decodeXml(bytes), { doctypeAllowed: true })
  if (!roots.has(root.name)) {
    throw new ReadFailure('damaged', 'The file is XML, but neither FictionBook, DocBook, JATS nor OPML.')
  }
  const builder = new TextBuilder(limits)
  const title = titleOf(root)
  if (title !== '') builder.heading(1, title)
  const walk = new StructuredWalk(builder, title)
  for (const annotation of root.name === 'FictionBook' ? descendantsOf(root, 'annotation') : []) walk.read(annotation)
  walk.read(root)
  walk.flush()
  return builder.reading({ mediaType, title: title === '' ? null : title })
}

/** The first title of the whole, wherever the format has it. */
function titleOf(root: XmlElement): string {
  const [named] = root.name === 'FictionBook' ? descendantsOf(root, 'book-title') : descendantsOf(root, 'article-title')
  const first = named ?? descendantsOf(root, 'title')[0]
  return first === undefined ? '' : textOf(first).replace(/\s+/g, ' ').trim()
}

interface ListPlace {
  readonly depth: number
  next: number | null
}

class StructuredWalk {
  readonly #builder: TextBuilder
  readonly #title: string
  #titleLeft = true
  #inline = ''
  #section = 1
  #item: { readonly marker: string; readonly depth: number } | null = null
  #list: ListPlace | null = null

  constructor(builder: TextBuilder, title: string) {
    this.#builder = builder
    this.#title = title
  }

  /** Reads what is in the element; the text at its end waits for `flush`. */
  read(element: XmlElement): void {
    for (const child of element.children) {
      if (typeof child === 'string') this.#inline += child
      else this.#readElement(child)
    }
  }

  /** Writes what was collected, as the item that is open or as a paragraph. */
  flush(): void {
    const text = this.#inline.replace(/\s+/g, ' ').trim()
    this.#inline = ''
    if (text === '') return
    if (this.#item === null) this.#builder.paragraph(text)
    else this.#builder.listItem(text, this.#item.depth, this.#item.marker)
    if (this.#item !== null) this.#item = { ...this.#item, marker: '-' }
  }

  #readElement(element: XmlElement): void {
    const role = roles.get(element.name)
    if (role === 'skipped') return
    if (role === undefined || (inlineCode.has(element.name) && !textOf(element).includes('\n'))) {
      if (element.name === 'alternatives') return this.#readFirst(element)
      return this.read(element)
    }
    if (role === 'note') {
      this.#inline += ` (${textOf(element).replace(/\s+/g, ' ').trim()}) `
      return
    }
    this.flush()
    this.#readBlock(element, role)
  }

  /** The same thing in several forms. */
  #readFirst(element: XmlElement): void {
    const first = childrenOf(element).find(({ name }) => roles.get(name) !== 'skipped')
    if (first !== undefined) this.#readElement(first)
  }

  #readBlock(element: XmlElement, role: Role): void {
    switch (role) {
      case 'section':
        return this.#readSection(element)
      case 'title':
        return this.#readTitle(element)
      case 'list':
      case 'numbered':
        return this.#readList(element, role === 'numbered' || attributeOf(element, 'list-type') === 'order')
      case 'item':
        return this.#readItem(element)
      case 'table':
        return this.#readTable(element)
      case 'code':
        return this.#builder.code(textOf(element))
      case 'outline':
        return this.#readOutline(element)
      default:
        this.read(element)
        this.flush()
    }
  }

  #readSection(element: XmlElement): void {
    this.#section += 1
    this.read(element)
    this.flush()
    this.#section -= 1
  }

  #readTitle(element: XmlElement): void {
    const text = textOf(element).replace(/\s+/g, ' ').trim()
    if (this.#titleLeft && text === this.#title) this.#titleLeft = false
    else this.#builder.heading(this.#section, text)
  }

  #readList(element: XmlElement, isNumbered: boolean): void {
    const [list, item] = [this.#list, this.#item]
    this.#list = { depth: (list?.depth ?? 0) + 1, next: isNumbered ? 1 : null }
    this.read(element)
    this.flush()
    this.#list = list
    this.#item = item
  }

  #readItem(element: XmlElement): void {
    const list = this.#list
    const [item] = [this.#item]
    const marker = list === null || list.next === null ? '-' : `${list.next}.`
    if (list !== null && list.next !== null) list.next += 1
    this.#item = { marker, depth: list?.depth ?? 1 }
    this.read(element)
    this.flush()
    this.#item = item
  }

  #readTable(element: XmlElement): void {
    for (const caption of childrenOf(element).filter(({ name }) => name === 'title' || name === 'caption')) {
      this.#builder.paragraph(textOf(caption).replace(/\s+/g, ' '))
    }
    const found: string[][] = []
    collectRows(element, found)
    this.#builder.table(found)
  }

  #readOutline(element: XmlElement): void {
    const depth = (this.#list?.depth ?? 0) + 1
    const text = attributeOf(element, 'text') ?? attributeOf(element, 'title') ?? ''
    const note = attributeOf(element, '_note') ?? ''
    this.#builder.listItem(note === '' ? text : `${text}\n${note}`, depth)
    const list = this.#list
    this.#list = { depth, next: null }
    this.read(element)
    this.#list = list
  }
}

function collectRows(element: XmlElement, found: string[][]): void {
  for (const child of childrenOf(element)) {
    if (rows.has(child.name)) {
      const own = childrenOf(child).filter(({ name }) => cells.has(name))
      found.push(own.map((cell) => textOf(cell)))
    } else collectRows(child, found)
  }
}

/**
 * What the control words of RTF mean for its text: paragraphs, headings, lists, tables, letters.
 *
 * Not here: the syntax (rtf-tokens.ts). Groups that hold no text of the document, such as fonts and pictures, are passed
 * over, and so is every group marked as optional whose meaning is not known here. Source: Rich Text Format
 * Specification 1.9.1.
 */
import { ReadFailure } from '../reading.ts'
import { commentText, PageEdges } from '../marked-text.ts'
import type { TextBuilder } from '../text-builder.ts'
import { codePageOf, decodeCodePage, symbolCharset } from './rtf-charset.ts'
import type { RtfEvents } from './rtf-tokens.ts'

const deepestGroup = 1000

/** Where the text of a group goes. */
type Destination =
  | 'body'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'marker'
  | 'note'
  | 'comment'
  | 'author'
  | 'header'
  | 'footer'

interface Group {
  readonly destination: Destination
  readonly codePage: number
  readonly isSymbol: boolean
  /** Characters that follow a `\u` for readers that do not know it. */
  readonly fallbackLength: number
  readonly isHidden: boolean
}

const skipped: ReadonlySet<string> = new Set(
  (
    'colortbl listtable listoverridetable revtbl rsidtbl pict object objdata xmlnstbl themedata colorschememapping datastore latentstyles generator filetbl ' +
    'nonesttables private atnid atnref atndate atrfstart atrfend ftnsep ftnsepc aftnsep aftnsepc ' +
    'fldinst bkmkstart bkmkend pgptbl wgrffmtfilter mmathPr template operator author company category keywords ' +
    'subject comment doccomm manager creatim revtim printim hlinkbase upr'
  ).split(' '),
)
/** Optional groups that are read nevertheless. */
const readOptional: ReadonlySet<string> = new Set(['shptxt', 'shpinst', 'pntext', 'ud', 'nesttableprops'])

const characters: Readonly<Record<string, string>> = {
  line: '\n',
  tab: '\t',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  '~': '\u00a0',
  _: '-',
  '\\': '\\',
  '{': '{',
  '}': '}',
}

const destinations: Readonly<Record<string, Destination>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  title: 'title',
  listtext: 'marker',
  pntext: 'marker',
  footnote: 'note',
  annotation: 'comment',
  atnauthor: 'author',
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
}

/** Text beside that of the document. */
const asides: ReadonlySet<Destination> = new Set(['comment', 'header', 'footer'])

/** Where the text of the group goes that a word begins; undefined when it begins none. */
function destinationOf(word: string, isOptional: boolean, within: Destination): Destination | undefined {
  const known = skipped.has(word) ? 'skip' : destinations[word]
  if (known !== undefined) return known
  return isOptional && within !== 'styles' && !readOptional.has(word) ? 'skip' : undefined
}

interface Style {
  number: number
  level: number | null
  name: string
}

/** Turns tokens into blocks; `finish` ends it. Used for one file. */
export class RtfContent implements RtfEvents {
  readonly #builder: TextBuilder
  readonly #stack: Group[] = []
  #group: Group = { destination: 'body', codePage: 1252, isSymbol: false, fallbackLength: 1, isHidden: false }
  #isOptional = false
  #documentCodePage = 1252
  readonly #codePageOfFont = new Map<number, number>()
  readonly #symbolFonts = new Set<number>()
  #font = 0
  readonly #levelOfStyle = new Map<number, number>()
  #style: Style = { number: 0, level: null, name: '' }
  #bytes: number[] = []
  #fallbackLeft = 0
  #text = ''
  #marker = ''
  #title = ''
  /** What goes on beside the text: the comment, or the head or foot of pages that is being read. */
  #aside = ''
  #author = ''
  readonly #comments: string[] = []
  readonly #edges = new PageEdges()
  readonly #edgeTexts: string[] = []
  /** Properties of the paragraph: heading level, depth in a list, whether in a table. */
  #level: number | null = null
  #depth = 1
  #inTable = false
  #cell: string[] = []
  #row: string[] = []
  #rows: string[][] = []
  isRtf = false

  constructor(builder: TextBuilder) {
    this.#builder = builder
  }

  /** Groups that are still open; more than 0 at the end of a file that was cut off. */
  get openGroups(): number {
    return this.#stack.length
  }

  get title(): string | null {
    return this.#title.trim() === '' ? null : this.#title
  }

  /** Writes what is not yet written. */
  finish(): void {
    this.#endParagraph()
    this.#endTable()
    for (const text of this.#edgeTexts) this.#builder.paragraph(text)
  }

  open(): void {
    this.#flush()
    if (this.#stack.length >= deepestGroup) {
      throw new ReadFailure('too_complex', 'The RTF file is nested too deeply. Save it again as RTF or DOCX.')
    }
    this.#stack.push(this.#group)
    this.#isOptional = false
    this.#fallbackLeft = 0
  }

  close(): void {
    this.#flush()
    const outer = this.#stack.pop()
    if (outer === undefined) return
    if (this.#group.destination === 'note' && outer.destination !== 'note') this.#text += ']'
    this.#endAside(outer.destination)
    this.#group = outer
    this.#isOptional = false
    this.#fallbackLeft = 0
  }

  #endAside(outer: Destination): void {
    const { destination } = this.#group
    if (destination === outer || !asides.has(destination)) return
    const text = this.#aside
    this.#aside = ''
    if (destination === 'comment') {
      this.#comments.push(commentText(text, { author: this.#author }))
      this.#author = ''
    } else if (destination === 'header' || destination === 'footer') {
      this.#edgeTexts.push(this.#edges.mark(destination, text, /\d/.test(text)))
    }
  }

  byte(value: number): void {
    if (this.#fallbackLeft > 0) this.#fallbackLeft -= 1
    else if (this.#group.destination !== 'skip') this.#bytes.push(value)
  }

  control(word: string, value: number | null): void {
    if (word === '*') {
      this.#isOptional = true
      return
    }
    this.#flush()
    const isOptional = this.#isOptional
    this.#isOptional = false
    if (this.#fallbackLeft > 0 && word !== 'u') {
      this.#fallbackLeft -= 1
      return
    }
    if (this.#destination(word, isOptional) || this.#group.destination === 'skip') return
    const character = characters[word]
    if (character !== undefined) this.#write(character)
    else if (word === 'u') this.#unicode(value ?? 0)
    else if (!this.#letters(word, value)) this.#layout(word, value)
  }

  /** In notes and beside the text, paragraphs and cells only divide words: they are not those of the text around them. */
  #layout(word: string, value: number | null): void {
    const { destination } = this.#group
    if (destination === 'note' || asides.has(destination)) {
      if (word === 'par' || word === 'cell') this.#write(' ')
    } else if (destination !== 'marker' && destination !== 'author' && !this.#tables(word, value))
      this.#blocks(word, value)
  }

  /** Whether the word begins a group of its own kind. */
  #destination(word: string, isOptional: boolean): boolean {
    const now = this.#group.destination
    const next = now === 'skip' ? (word === 'ud' ? 'body' : undefined) : destinationOf(word, isOptional, now)
    if (next === undefined || (next === 'title' && this.#stack.length > 3)) return false
    this.#group = { ...this.#group, destination: next }
    if (next === 'marker') this.#marker = ''
    else if (next === 'author') this.#author = ''
    else if (next === 'note') this.#text += ' ['
    return true
  }

  /** Encoding, font and visibility of letters. */
  #letters(word: string, value: number | null): boolean {
    const number = value ?? 0
    if (word === 'rtf') this.isRtf = true
    else if (word === 'ansicpg') this.#useCodePage((this.#documentCodePage = number))
    else if (word === 'mac') this.#useCodePage((this.#documentCodePage = 10000))
    else if (word === 'uc') this.#group = { ...this.#group, fallbackLength: number }
    else if (word === 'v') this.#group = { ...this.#group, isHidden: value !== 0 }
    else if (word === 'deleted') this.#group = { ...this.#group, isHidden: value !== 0 }
    else if (word === 'plain') this.#group = { ...this.#group, isHidden: false }
    else if (word === 'f') this.#useFont(number)
    else if (word === 'fcharset') {
      const codePage = codePageOf(number)
      if (codePage !== undefined) this.#codePageOfFont.set(this.#font, codePage)
      if (number === symbolCharset) this.#symbolFonts.add(this.#font)
    } else return false
    return true
  }

  #useCodePage(codePage: number): void {
    this.#group = { ...this.#group, codePage }
  }

  #useFont(font: number): void {
    this.#font = font
    if (this.#group.destination === 'fonts') return
    this.#group = {
      ...this.#group,
      codePage: this.#codePageOfFont.get(font) ?? this.#documentCodePage,
      isSymbol: this.#symbolFonts.has(font),
    }
  }

  #tables(word: string, value: number | null): boolean {
    if (word === 'intbl') this.#inTable = value !== 0
    else if (word === 'cell') this.#endCell()
    else if (word === 'row') this.#endRow()
    else if (word === 'nestcell') this.#write(' ')
    else if (word === 'nestrow') this.#write('; ')
    else if (word === 'nesttableprops') this.#group = { ...this.#group, destination: 'skip' }
    else return false
    return true
  }

  #blocks(word: string, value: number | null): void {
    const { destination } = this.#group
    if (destination === 'styles') this.#styles(word, value ?? 0)
    else if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph()
    else if (word === 'pard') this.#resetParagraph()
    else if (word === 's') this.#level = this.#levelOfStyle.get(value ?? 0) ?? null
    else if (word === 'outlinelevel') this.#level = value !== null && value < 9 ? value + 1 : null
    else if (word === 'ilvl') this.#depth = (value ?? 0) + 1
  }

  #resetParagraph(): void {
    this.#level = null
    this.#depth = 1
    this.#inTable = false
  }

  #styles(word: string, value: number): void {
    if (word === 's') this.#style.number = value
    else if (word === 'outlinelevel') this.#style.level = value + 1
  }

  #unicode(value: number): void {
    const code = value < 0 ? value + 0x10000 : value
    // Symbol fonts are mapped to the private area of Unicode, where their codes say no more than before.
    if (code < 0xf000 || code > 0xf0ff) this.#write(String.fromCharCode(code & 0xffff))
    else this.#write('•')
    this.#fallbackLeft = this.#group.fallbackLength
  }

  /** Decodes the bytes so far, which all have one encoding. */
  #flush(): void {
    if (this.#bytes.length === 0) return
    const bytes = this.#bytes
    this.#bytes = []
    if (this.#group.isSymbol && this.#group.destination !== 'fonts') this.#write('•'.repeat(bytes.length))
    else this.#write(decodeCodePage(bytes, this.#group.codePage))
  }

  #write(text: string): void {
    const { destination, isHidden } = this.#group
    if (destination === 'skip' || destination === 'fonts') return
    if (destination === 'styles') this.#nameStyle(text)
    else if (destination === 'title') this.#title += text
    else if (destination === 'marker') this.#marker += text
    else if (destination === 'author') this.#author += text
    else if (asides.has(destination)) this.#aside += text
    else if (!isHidden) this.#text += text
  }

  /** A style ends with its name and a semicolon. */
  #nameStyle(text: string): void {
    this.#style.name += text
    if (!this.#style.name.includes(';')) return
    const { number, level, name } = this.#style
    const named = /^\s*(?:heading|überschrift|titre|título|titolo|kop) (\d)/i.exec(name)?.[1]
    const told = level ?? (named === undefined ? null : Number(named))
    if (told !== null && told <= 9) this.#levelOfStyle.set(number, told)
    this.#style = { number: 0, level: null, name: '' }
  }

  #endParagraph(): void {
    const text = this.#text.trim()
    const marker = this.#marker.trim()
    this.#text = ''
    this.#marker = ''
    if (this.#inTable) {
      if (text !== '') this.#cell.push(marker === '' ? text : `${markerOf(marker)} ${text}`)
      return
    }
    if (text === '') return
    this.#endTable()
    if (this.#level !== null) this.#builder.heading(this.#level, marker === '' ? text : `${marker} ${text}`)
    else if (marker !== '') this.#builder.listItem(text, this.#depth, markerOf(marker))
    else this.#builder.paragraph(text)
    this.#writeComments()
  }

  /** Comments follow the paragraph or table that they are on. */
  #writeComments(): void {
    for (const comment of this.#comments.splice(0)) this.#builder.paragraph(comment)
  }

  #endCell(): void {
    this.#inTable = true
    this.#endParagraph()
    this.#row.push(this.#cell.join(' '))
    this.#cell = []
  }

  #endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row)
    this.#row = []
  }

  #endTable(): void {
    if (this.#cell.length > 0) this.#endCell()
    this.#endRow()
    if (this.#rows.length > 0) {
      this.#builder.table(this.#rows)
      this.#writeComments()
    }
    this.#rows = []
  }
}

/** A number or letter as it is; any picture of a bullet as a dash. */
function markerOf(marker: string): string {
  return /[\p{L}\p{N}]/u.test(marker) && marker !== 'o' ? marker : '-'
}

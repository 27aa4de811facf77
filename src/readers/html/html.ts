/**
 * HTML and XHTML, in one pass over the markup and without a tree of it, so that neither depth nor size of a page
 * matters.
 *
 * Here: the markup. What tags mean is in html-blocks.ts. Also for parts of other formats: chapters of a book, bodies
 * of mails.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { decodeText } from '../text/charset.ts'
import { HtmlBlocks, type PageHead } from './html-blocks.ts'
import { buildBlock } from './html-table.ts'
import { mainBlocks, type PlacedBlock } from './main-text.ts'
import { statedTexts } from '../stated.ts'
import type { Reader } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** Appends the content of a page or a part of one; answers the text of its `title` element, null without one. */
export function appendHtml(builder: TextBuilder, html: string): { readonly title: string | null } {
  return readInto(new HtmlBlocks((block) => buildBlock(builder, block)), html)
}

/** The same for a page of the web, without what surrounds its text; also answers what its head states. */
function appendPage(builder: TextBuilder, html: string): { readonly title: string | null; readonly head: PageHead } {
  const found: PlacedBlock[] = []
  const blocks = new HtmlBlocks((block, place) => found.push({ block, ...place }), true)
  const { title } = readInto(blocks, html)
  const main = mainBlocks(found)
  if (main === null) appendHtml(builder, html)
  else for (const block of main) buildBlock(builder, block)
  return { title, head: blocks.head }
}

function readInto(blocks: HtmlBlocks, html: string): { readonly title: string | null } {
  // In XHTML <script/> and <title/> are complete; in HTML they begin a text that lasts until their end tag.
  const isXml = /^\ufeff?\s{0,100}<\?xml/.test(html)
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXml }, callbacksFor(html, blocks, isXml))
  tokenizer.write(html)
  tokenizer.end()
  blocks.end()
  return { title: blocks.title }
}

/** Positions that the tokenizer reports are positions in `html`, since it gets all of it at once. */
function callbacksFor(html: string, blocks: HtmlBlocks, isXml: boolean): TokenizerCallbacks {
  const attributes = new Map<string, string>()
  let tag = ''
  let attribute = ''
  const ignored = (): void => {}
  return {
    ontext: (start, end) => blocks.text(html.slice(start, end)),
    ontextentity: (codePoint) => blocks.text(String.fromCodePoint(codePoint)),
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
      attributes.clear()
    },
    onattribname: (start, end) => {
      const name = html.slice(start, end).toLowerCase()
      attribute = blocks.wantedOf(tag).has(name) ? name : ''
      if (attribute !== '') attributes.set(name, '')
    },
    onattribdata: (start, end) => {
      if (attribute !== '') attributes.set(attribute, (attributes.get(attribute) ?? '') + html.slice(start, end))
    },
    onattribentity: (codePoint) => {
      if (attribute === '') return
      attributes.set(attribute, (attributes.get(attribute) ?? '') + String.fromCodePoint(codePoint))
    },
    onattribend: ignored,
    onopentagend: () => blocks.open(tag, attributes),
    onselfclosingtag: () => {
      blocks.open(tag, attributes)
      if (isXml) blocks.close(tag)
    },
    onclosetag: (start, end) => blocks.close(html.slice(start, end).toLowerCase()),
    oncdata: (start, end, offset) => {
      if (isXml) blocks.text(html.slice(start, end - offset))
    },
    oncomment: ignored,
    ondeclaration: ignored,
    onprocessinginstruction: ignored,
    onend: ignored,
  }
}

/** Reads a page. */
export const htmlReader: Reader = {
  name: 'html',
  read: async ({ bytes, mediaType, limits, mainText = false }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes, { markup: true })
    if (warning !== null) builder.warn(warning)
    if (!mainText) return builder.reading({ mediaType, title: appendHtml(builder, text).title })
    const { title, head } = appendPage(builder, text)
    return builder.reading({ mediaType, title, stated: statedOf(head) })
  },
}

function statedOf({ canonicalUrl, author }: PageHead): Readonly<Record<string, unknown>> {
  const url = /^https?:\/\//i.test(canonicalUrl) && URL.canParse(canonicalUrl) ? new URL(canonicalUrl).href : ''
  const texts: Readonly<Record<string, string>> = { canonical_url: url, author }
  return statedTexts({ canonical_url: 'canonical_url', author: 'author' }, (name) => texts[name] ?? '')
}

/** XHTML of Apache Tika's server: pages and slides are `div`s with a class of their own. */
import { appendHtml } from '../html/html.ts'
import type { TextBuilder } from '../text-builder.ts'
import type { AppendAnswer } from './answer-parts.ts'

/** As PDFParser and the parsers of presentations write them; sheets are pages, too. */
const pageStart = /<div class="(?:page|slide-content)">/g

export const appendTika: AppendAnswer = (builder, answer) => {
  const html = new TextDecoder().decode(answer)
  const starts = [...html.matchAll(pageStart)].map(({ index }) => index)
  const { title } = appendXhtml(builder, html.slice(0, starts[0] ?? html.length))
  for (const [at, start] of starts.entries()) {
    builder.page()
    appendXhtml(builder, html.slice(start, starts[at + 1] ?? html.length))
  }
  return { title: title?.replaceAll('\0', '').trim() || null }
}

/** Without a declaration the parser would take `<title/>` for the beginning of one. */
function appendXhtml(builder: TextBuilder, part: string): { readonly title: string | null } {
  return appendHtml(builder, `<?xml version="1.0"?>${part}`)
}

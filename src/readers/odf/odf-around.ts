/**
 * What surrounds the text of OpenDocument files: comments, and heads and feet of pages. (OASIS OpenDocument 1.3,
 * part 3, 14.1 and 16.9.)
 */
import { commentText, type PageEdges } from '../marked-text.ts'
import { childOf, childrenOf, descendantsOf, eachElement, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'

/** A comment on the text, or on the cell that `on` names. */
export function annotationText(annotation: XmlElement, on = ''): string {
  const said = childrenOf(annotation).filter(({ name }) => name === 'p' || name === 'list')
  return commentText(said.map(textOf).join('\n'), { author: textOf(childOf(annotation, 'creator')), on })
}

const edgeElements = new Set(['header', 'header-left', 'header-first', 'footer', 'footer-left', 'footer-first'])
const fields = new Set(['page-number', 'page-count', 'sheet-name', 'date', 'time', 'title', 'file-name', 'frame'])

/** The heads and feet that the master pages have, each once. */
export function masterPageEdges(masterPages: string | null, edges: PageEdges): string[] {
  const marked: string[] = []
  if (masterPages === null) return marked
  eachElement(masterPages, edgeElements, (element, ancestors) => {
    if (!ancestors.some(({ name }) => name === 'master-page')) return
    const isCounted = descendantsOf(element, 'page-number').length > 0
    marked.push(edges.mark(element.name.startsWith('header') ? 'header' : 'footer', writtenText(element), isCounted))
  })
  return marked
}

/** Without what is computed for each page. */
function writtenText(element: XmlElement): string {
  let text = ''
  for (const child of element.children) {
    if (typeof child === 'string') text += child
    else if (!fields.has(child.name)) text += child.name === 'p' ? `${writtenText(child)} ` : writtenText(child)
  }
  return text
}

/** Elements of Unstructured's API (https://docs.unstructured.io/api-reference/partition/document-elements), in reading order. */
import { isObject } from '#lib/json-value.ts'
import { appendHtml } from '../html/html.ts'
import type { TextBuilder } from '../text-builder.ts'
import { jsonOf, malformed, toPage, type AppendAnswer } from './answer-parts.ts'

/** Parts that are on every page, and those without text. */
const leftOut: ReadonlySet<unknown> = new Set(['Header', 'Footer', 'PageNumber', 'PageBreak'])

export const appendUnstructured: AppendAnswer = (builder, answer) => {
  const elements = jsonOf(answer)
  if (!Array.isArray(elements)) throw malformed()
  let title: string | null = null
  for (const element of elements as readonly unknown[]) {
    if (!isObject(element) || typeof element['text'] !== 'string') throw malformed()
    const { type, text } = element as { readonly type?: unknown; readonly text: string }
    const metadata = isObject(element['metadata']) ? element['metadata'] : {}
    const label = typeof metadata['page_name'] === 'string' ? metadata['page_name'] : null
    toPage(builder, metadata['page_number'], label)
    if (leftOut.has(type)) continue
    if (type === 'Title' && depthOf(metadata) === 0) title ??= text
    append(builder, { type, text, metadata })
  }
  return { title }
}

interface Element {
  readonly type: unknown
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
}

function append(builder: TextBuilder, { type, text, metadata }: Element): void {
  const html = metadata['text_as_html']
  if (type === 'Table' && typeof html === 'string') appendHtml(builder, html)
  else if (type === 'Title') builder.heading(depthOf(metadata) + 1, text)
  else if (type === 'ListItem') builder.listItem(text, depthOf(metadata) + 1)
  else if (type === 'CodeSnippet') builder.code(text)
  else builder.paragraph(text)
}

function depthOf({ category_depth: depth }: Element['metadata']): number {
  return Number.isSafeInteger(depth) ? Math.max(0, Number(depth)) : 0
}

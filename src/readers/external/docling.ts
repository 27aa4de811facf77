/**
 * The JSON of a DoclingDocument (https://docling-project.github.io/docling/concepts/docling_document/) in an answer of
 * docling-serve: a tree of references to texts, tables, pictures and groups, each with the page that it is on.
 */
import { isObject } from '#lib/json-value.ts'
import type { TextBuilder } from '../text-builder.ts'
import { jsonOf, malformed, toPage, type AppendAnswer } from './answer-parts.ts'

type Item = Readonly<Record<string, unknown>>

/** Heads and feet of pages are repeated on each of them. */
const leftOut: ReadonlySet<unknown> = new Set(['page_header', 'page_footer'])
const listLabels: ReadonlySet<unknown> = new Set(['list', 'ordered_list'])

export const appendDocling: AppendAnswer = (builder, answer) => {
  const document = documentIn(jsonOf(answer))
  const seen = new Set<string>()
  let title: string | null = null
  // From the end, so that the next one is taken off at the end; a reference that comes again is left alone.
  const waiting = childrenOf(document['body'], 0).toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next.reference)) continue
    seen.add(next.reference)
    const item = itemAt(document, next.reference)
    if (item === null || leftOut.has(item['label']) || item['content_layer'] === 'furniture') continue
    toPage(builder, pageOf(item))
    if (item['label'] === 'title') title ??= textOf(item)
    if (item['label'] === 'inline') {
      const parts = childrenOf(item, 0).filter(({ reference }) => !seen.has(reference))
      for (const { reference } of parts) seen.add(reference)
      const items = parts.map(({ reference }) => itemAt(document, reference))
      toPage(builder, items[0] ? pageOf(items[0]) : null)
      builder.paragraph(items.map(textOf).join(' '))
      continue
    }
    for (const { reference } of refsIn(item['captions'], 0)) {
      if (!seen.has(reference)) builder.paragraph(textOf(itemAt(document, reference)))
      seen.add(reference)
    }
    append(builder, item, next.depth)
    const depth = next.depth + (listLabels.has(item['label']) ? 1 : 0)
    for (const child of childrenOf(item, depth).toReversed()) waiting.push(child)
  }
  return { title }
}

/** The document itself, or in an answer of docling-serve. */
function documentIn(answer: unknown): Item {
  const inner = isObject(answer) && isObject(answer['document']) ? answer['document']['json_content'] : answer
  if (!isObject(inner) || !isObject(inner['body'])) throw malformed()
  return inner
}

interface Reference {
  readonly reference: string
  /** Lists that it is in. */
  readonly depth: number
}

function childrenOf(item: unknown, depth: number): readonly Reference[] {
  return isObject(item) ? refsIn(item['children'], depth) : []
}

function refsIn(list: unknown, depth: number): readonly Reference[] {
  if (!Array.isArray(list)) return []
  return (list as readonly unknown[]).flatMap((each) => {
    const reference = isObject(each) ? each['$ref'] : null
    return typeof reference === 'string' ? [{ reference, depth }] : []
  })
}

/** What a reference such as `#/texts/12` names; null for anything else. */
function itemAt(document: Item, reference: string): Item | null {
  const [, kind = '', index = ''] =
    /^#\/(texts|groups|tables|pictures|key_value_items|form_items)\/(\d{1,9})$/.exec(reference) ?? []
  const list = document[kind]
  const item: unknown = Array.isArray(list) ? list[Number(index)] : null
  return isObject(item) ? item : null
}

function textOf(item: Item | null): string {
  return typeof item?.['text'] === 'string' ? item['text'] : ''
}

function pageOf({ prov }: Item): unknown {
  const first: unknown = Array.isArray(prov) ? prov[0] : null
  return isObject(first) ? first['page_no'] : null
}

function append(builder: TextBuilder, item: Item, depth: number): void {
  const text = textOf(item)
  const { label, level, marker, data } = item
  if (isObject(data)) builder.table(rowsOf(data))
  else if (label === 'title') builder.heading(1, text)
  else if (label === 'section_header') builder.heading(Number.isSafeInteger(level) ? Number(level) + 1 : 2, text)
  else if (label === 'list_item') builder.listItem(text, Math.max(1, depth), markerOf(marker))
  else if (label === 'code') builder.code(text)
  else builder.paragraph(text)
}

function markerOf(marker: unknown): string {
  return typeof marker === 'string' && /^\w{1,6}[.)]$/.test(marker) ? marker : '-'
}

/** A cell that spans several is in the grid at each of them; its text is where it begins. */
function rowsOf({ grid }: Item): readonly (readonly string[])[] {
  if (!Array.isArray(grid)) return []
  return (grid as readonly unknown[]).map((row, rowAt) =>
    (Array.isArray(row) ? (row as readonly unknown[]) : []).map((cell, columnAt) => {
      if (!isObject(cell)) return ''
      const { start_row_offset_idx: startRow = rowAt, start_col_offset_idx: startColumn = columnAt } = cell
      return startRow === rowAt && startColumn === columnAt ? textOf(cell) : ''
    }),
  )
}

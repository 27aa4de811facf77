/** What the cells of a workbook refer to: texts that they share and the formats of their numbers. */

import { attributeOf, childOf, childrenOf, eachElement, parseXml } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { formatOf } from './cell-format.ts'
import type { CellFormat } from './cell-format.ts'

/** What Excel lets a cell hold. */
const cellCharactersMax = 32_767

/** Texts by index. */
export function readSharedStrings(xml: string | null): readonly string[] {
  const strings: string[] = []
  if (xml !== null) eachElement(xml, new Set(['si']), (item) => strings.push(richText(item)))
  return strings
}

/** The text of a shared or inline string; how it is pronounced is left out. */
export function richText(item: XmlElement): string {
  let text = ''
  for (const child of childrenOf(item)) {
    if (child.name === 't') text += plainText(child)
    else if (child.name === 'r') for (const part of childrenOf(child, 't')) text += plainText(part)
  }
  return text.slice(0, cellCharactersMax)
}

/** Formats of numbers by the style that cells name. */
export function readCellFormats(xml: string | null): readonly CellFormat[] {
  if (xml === null) return []
  const root = parseXml(xml)
  const codes = new Map<number, string>()
  for (const format of childrenOf(childOf(root, 'numFmts'), 'numFmt')) {
    codes.set(Number(attributeOf(format, 'numFmtId')), attributeOf(format, 'formatCode') ?? '')
  }
  return childrenOf(childOf(root, 'cellXfs'), 'xf').map((style) => {
    const id = Number(attributeOf(style, 'numFmtId') ?? 0)
    return formatOf(id, codes.get(id))
  })
}

/** Characters that XML cannot hold are written as _x000D_. */
function plainText(element: XmlElement): string {
  let text = ''
  for (const child of element.children) if (typeof child === 'string') text += child
  return text.includes('_x')
    ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(String(code), 16)))
    : text
}

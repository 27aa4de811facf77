/**
 * The text of the shapes on a slide, in the order in which they lie on it, which is also the order of
 * a screen reader. Left out: footer, slide number and the date of today. (ECMA-376, part 1, 19.3 and 21.1.2.)
 */

import type { TextBuilder } from '../text-builder.ts'
import { attributeOf, childOf, childrenOf, descendantsOf, integerOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { spreadCells } from './cell-grid.ts'
import { formulaText } from './formula.ts'
import type { GridCell } from './cell-grid.ts'

export interface SlideShape {
  readonly element: XmlElement
  /** What it is a placeholder for, `''` when the layout does not say; null for a shape of the slide's own. */
  readonly placeholder: string | null
}

const leftOut = new Set(['ftr', 'sldNum', 'hdr', 'sldImg'])
const levelMax = 8
const titles = new Set(['title', 'ctrTitle'])

/** All shapes, those in groups included, pictures as well. */
export function shapesOf(tree: XmlElement | null): SlideShape[] {
  return childrenOf(tree).flatMap((element) => {
    if (element.name === 'grpSp') return shapesOf(element)
    if (element.name === 'AlternateContent') return shapesOf(childOf(element, 'Choice') ?? childOf(element, 'Fallback'))
    if (!['sp', 'graphicFrame', 'pic', 'cxnSp'].includes(element.name)) return []
    const placeholder = placeholderOf(element)
    if (placeholder !== null && leftOut.has(placeholder)) return []
    // A typed date is text, a computed one is not.
    if (placeholder === 'dt' && descendantsOf(element, 'fld').length > 0) return []
    return [{ element, placeholder }]
  })
}

/** The texts at the foot of a slide that its author wrote. */
export function feetOf(tree: XmlElement | null): string[] {
  return childrenOf(tree, 'sp').flatMap((element) =>
    placeholderOf(element) === 'ftr' ? [shapeText({ element, placeholder: 'ftr' })] : [],
  )
}

/** Whether it holds the title of its slide. */
export const isTitle = ({ placeholder }: SlideShape): boolean => placeholder !== null && titles.has(placeholder)

/** What the author wrote for those who do not see the picture; empty without it. */
export function alternativeTextOf({ element }: SlideShape): string {
  const about = childOf(childOf(element, 'nvPicPr'), 'cNvPr')
  return about === null ? '' : (attributeOf(about, 'descr') ?? '')
}

/** The text of a shape, one line for each paragraph. */
export function shapeText({ element }: SlideShape): string {
  return childrenOf(childOf(element, 'txBody'), 'p').map(paragraphText).join('\n').trim()
}

/** Writes the paragraphs of a shape; those with a bullet or number as items of a list. */
export function writeShape(builder: TextBuilder, { element, placeholder }: SlideShape): void {
  const body = childOf(element, 'txBody')
  const bulletedByLayout = placeholder === 'body' || placeholder === 'obj' || placeholder === ''
  const paragraphs = childrenOf(body, 'p')
  const single = paragraphs.filter((paragraph) => paragraphText(paragraph).trim() !== '').length === 1
  const numbers: number[] = []
  for (const paragraph of paragraphs) {
    const text = paragraphText(paragraph)
    if (text.trim() === '') continue
    const properties = childOf(paragraph, 'pPr')
    const level = properties === null ? 0 : Math.min(integerOf(properties, 'lvl', 0), levelMax)
    const numbered = childOf(properties, 'buAutoNum')
    numbers.length = Math.min(numbers.length, numbered === null ? level : level + 1)
    if (numbered !== null) {
      const next = (numbers[level] ?? integerOf(numbered, 'startAt', 1) - 1) + 1
      numbers[level] = next
      builder.listItem(text, level + 1, `${next}.`)
    } else if (
      childOf(properties, 'buChar') !== null ||
      (bulletedByLayout && !single && childOf(properties, 'buNone') === null)
    ) {
      builder.listItem(text, level + 1)
    } else builder.paragraph(text)
  }
}

/** The rows of a `a:tbl`. */
export function tableRows(table: XmlElement): string[][] {
  return spreadCells(childrenOf(table, 'tr').map((row) => childrenOf(row, 'tc').map(tableCell)))
}

/** One `a:p`, line breaks included. */
export function paragraphText(paragraph: XmlElement): string {
  let text = ''
  for (const child of childrenOf(paragraph)) {
    if (child.name === 'br') text += '\n'
    else if (child.name === 'oMath') text += formulaText(child)
    else if (child.name === 'AlternateContent')
      text += paragraphText(childOf(child, 'Choice') ?? childOf(child, 'Fallback') ?? child)
    else if (child.name === 't') for (const part of child.children) text += typeof part === 'string' ? part : ''
    else if (child.name !== 'pPr' && child.name !== 'rPr' && child.name !== 'endParaRPr') text += paragraphText(child)
  }
  return text
}

/** Cells that are merged away follow as cells of their own. */
function tableCell(cell: XmlElement): GridCell {
  const text = childrenOf(childOf(cell, 'txBody'), 'p').map(paragraphText).join('\n')
  return {
    text: isTrue(attributeOf(cell, 'hMerge')) ? '' : text,
    columns: 1,
    above: isTrue(attributeOf(cell, 'vMerge')),
  }
}

const isTrue = (value: string | null): boolean => value === '1' || value === 'true'

function placeholderOf(element: XmlElement): string | null {
  for (const child of childrenOf(element)) {
    const placeholder = childOf(childOf(child, 'nvPr'), 'ph')
    if (placeholder !== null) return attributeOf(placeholder, 'type') ?? ''
  }
  return null
}

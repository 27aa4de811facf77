/** What the paragraph styles of a text document say about its structure: which are headings, which are lists. */

import { attributeOf, childOf, childrenOf, integerOf, parseXml } from '../xml.ts'
import type { XmlElement } from '../xml.ts'

export interface ListPlace {
  readonly list: string
  /** From 0. */
  readonly level: number
}

export interface ParagraphStyle {
  /** Level of the heading, from 1; null for running text. */
  readonly heading: number | null
  readonly list: ListPlace | null
}

interface Style {
  readonly name: string
  readonly basedOn: string | null
  readonly outline: number | null
  readonly listId: string | null
  readonly listLevel: number | null
}

/** Word stores the English name whatever its language; other software may store its own. */
const headingName =
  /^(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|заголовок|nadpis|címsor|başlık|标题|標題|見出し|제목) ?([1-9])$/i
const basedOnMax = 20
export const bodyOutline = 9

/** Styles by id; an unknown id has no entry. */
export function readStyles(xml: string | null): ReadonlyMap<string, ParagraphStyle> {
  const styles = new Map<string, Style>()
  for (const element of xml === null ? [] : childrenOf(parseXml(xml), 'style')) {
    if (attributeOf(element, 'type') === 'paragraph')
      styles.set(attributeOf(element, 'styleId') ?? '', readStyle(element))
  }
  return new Map([...styles.keys()].map((id) => [id, resolve(styles, id)]))
}

/** The list that a paragraph's or a style's properties put it in. */
export function listOf(properties: XmlElement | null): { readonly id: string | null; readonly level: number | null } {
  const numbering = childOf(properties, 'numPr')
  const id = childOf(numbering, 'numId')
  const level = childOf(numbering, 'ilvl')
  return {
    id: id === null ? null : attributeOf(id, 'val'),
    level: level === null ? null : integerOf(level, 'val', 0),
  }
}

/** The outline level that properties name, from 0; `bodyOutline` is running text. */
export function outlineOf(properties: XmlElement | null): number | null {
  const outline = childOf(properties, 'outlineLvl')
  const value = outline === null ? Number.NaN : Number.parseInt(attributeOf(outline, 'val') ?? '', 10)
  return value >= 0 && value <= bodyOutline ? value : null
}

function readStyle(element: XmlElement): Style {
  const properties = childOf(element, 'pPr')
  const name = childOf(element, 'name')
  const basedOn = childOf(element, 'basedOn')
  const list = listOf(properties)
  return {
    name: name === null ? '' : (attributeOf(name, 'val') ?? ''),
    basedOn: basedOn === null ? null : attributeOf(basedOn, 'val'),
    outline: outlineOf(properties),
    listId: list.id,
    listLevel: list.level,
  }
}

function resolve(styles: ReadonlyMap<string, Style>, id: string): ParagraphStyle {
  let heading: number | null = null
  let listId: string | null = null
  let listLevel: number | null = null
  let style = styles.get(id)
  for (let depth = 0; style !== undefined && depth < basedOnMax; depth += 1) {
    heading ??= headingOf(style)
    listId ??= style.listId
    listLevel ??= style.listLevel
    style = style.basedOn === null ? undefined : styles.get(style.basedOn)
  }
  return {
    heading: heading === 0 ? null : heading,
    list: listId === null || listId === '0' ? null : { list: listId, level: listLevel ?? 0 },
  }
}

/** 0 for a style that says that it is running text. */
function headingOf({ name, outline }: Style): number | null {
  if (outline !== null) return outline === bodyOutline ? 0 : outline + 1
  const level = headingName.exec(name)?.[1]
  if (level !== undefined) return Number(level)
  return name.toLowerCase() === 'title' ? 1 : null
}

/**
 * Charts and diagrams of documents, sheets and slides, as the numbers and words they were drawn from.
 * (ECMA-376, part 1, 21.2 and 21.4; MS-ODRAWXML 2.24.3 for the charts of Office 2016.)
 */

import {
  attributeOf,
  childOf,
  childrenOf,
  descendantsOf,
  integerOf,
  parseXml,
  prefixedAttributeOf,
  textOf,
} from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import type { Block } from './blocks.ts'
import type { OfficePackage, Relation } from './package.ts'
import { paragraphText } from './pptx-shapes.ts'

const pointsMax = 1_000
const seriesMax = 100

/** What graphic data refers to: a chart or diagram as blocks; null when its part is not in the file. */
export function drawnBlocks(
  reference: XmlElement,
  { source, relations }: { readonly source: OfficePackage; readonly relations: ReadonlyMap<string, Relation> },
): Block[] | null {
  const isChart = reference.name === 'chart'
  const target = relations.get(prefixedAttributeOf(reference, isChart ? 'id' : 'dm') ?? '')?.target
  const xml = target === undefined ? null : source.part(target)
  if (xml === null) return null
  return isChart ? chartBlocks(xml) : diagramBlocks(xml)
}

/** A chart part as its title and a table: a row for each category, a column for each series. */
export function chartBlocks(xml: string): Block[] {
  const root = parseXml(xml)
  const chart = childOf(root, 'chart')
  const title = childOf(chart, 'title')
  const heading = title === null ? '' : descendantsOf(title, 'p').map(paragraphText).join('\n')
  const data = childOf(root, 'chartData')
  const rows = data === null ? seriesRows(chart) : dimensionRows(data, chart)
  return [
    { kind: 'paragraph', text: heading },
    { kind: 'table', rows },
  ]
}

function seriesRows(chart: XmlElement | null): string[][] {
  const series = chart === null ? [] : descendantsOf(chart, 'ser').slice(0, seriesMax)
  const [first] = series
  if (first === undefined) return []
  const categories = points(childOf(first, 'cat') ?? childOf(first, 'xVal'))
  const values = series.map((one) => points(childOf(one, 'val') ?? childOf(one, 'yVal')))
  return rowsOf(
    categories,
    series.map((one) => points(childOf(one, 'tx')).join(' ')),
    values,
  )
}

/** Charts of Office 2016: the words and numbers of each series are apart from the series that shows them. */
function dimensionRows(data: XmlElement, chart: XmlElement | null): string[][] {
  const all = childrenOf(data, 'data').slice(0, seriesMax)
  const [first] = all
  if (first === undefined) return []
  const categories = levels(childOf(first, 'strDim'))
  const shown = chart === null ? [] : descendantsOf(chart, 'series')
  const names = all.map((one) => {
    const series = shown.find((each) => attributeOf(childOf(each, 'dataId') ?? each, 'val') === attributeOf(one, 'id'))
    return series === undefined
      ? ''
      : descendantsOf(childOf(series, 'tx') ?? series, 'v')
          .map(textOf)
          .join(' ')
  })
  return rowsOf(
    categories,
    names,
    all.map((one) => levels(childOf(one, 'numDim'))),
  )
}

function rowsOf(categories: readonly string[], names: readonly string[], values: readonly (readonly string[])[]) {
  const length = values.reduce((longest, one) => Math.max(longest, one.length), categories.length)
  const rows = Array.from({ length }, (_, row) => [categories[row] ?? '', ...values.map((one) => one[row] ?? '')])
  return [['', ...names], ...rows]
}

/** The words of a diagram, one item of a list for each of its shapes. */
function diagramBlocks(xml: string): Block[] {
  return descendantsOf(parseXml(xml), 'pt').map((point) => ({
    kind: 'item',
    text: descendantsOf(point, 'p').map(paragraphText).join('\n'),
    depth: 1,
    marker: '-',
  }))
}

/** What was in the cells when the chart was last drawn. */
function points(source: XmlElement | null): string[] {
  return numbered(source === null ? [] : descendantsOf(source, 'pt'), (point) => textOf(childOf(point, 'v')))
}

/** The innermost level of a dimension: those above it group it. */
function levels(dimension: XmlElement | null): string[] {
  return numbered(childrenOf(childOf(dimension, 'lvl'), 'pt'), textOf)
}

function numbered(elements: readonly XmlElement[], text: (element: XmlElement) => string): string[] {
  const texts: string[] = []
  for (const element of elements) {
    const index = integerOf(element, 'idx', texts.length)
    if (index < pointsMax) texts[index] = text(element)
  }
  return Array.from(texts, (each) => each ?? '')
}

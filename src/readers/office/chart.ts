/** Charts and diagrams of slides, as the numbers and words they were drawn from. (ECMA-376, part 1, 21.2 and 21.4.) */

import type { TextBuilder } from '../text-builder.ts'
import { childOf, descendantsOf, integerOf, parseXml, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { paragraphText } from './pptx-shapes.ts'

const pointsMax = 1_000
const seriesMax = 100

/** Writes a chart part as its title and a table: a row for each category, a column for each series. */
export function writeChart(builder: TextBuilder, xml: string): void {
  const chart = childOf(parseXml(xml), 'chart')
  const title = childOf(chart, 'title')
  if (title !== null) builder.paragraph(descendantsOf(title, 'p').map(paragraphText).join('\n'))
  const series = chart === null ? [] : descendantsOf(chart, 'ser').slice(0, seriesMax)
  const [first] = series
  if (first === undefined) return
  const categories = points(childOf(first, 'cat') ?? childOf(first, 'xVal'))
  const values = series.map((one) => points(childOf(one, 'val') ?? childOf(one, 'yVal')))
  const length = values.reduce((longest, one) => Math.max(longest, one.length), categories.length)
  const header = ['', ...series.map((one) => points(childOf(one, 'tx')).join(' '))]
  const rows = Array.from({ length }, (_, row) => [categories[row] ?? '', ...values.map((one) => one[row] ?? '')])
  builder.table([header, ...rows])
}

/** Writes the words of a diagram, one item of a list for each of its shapes. */
export function writeDiagram(builder: TextBuilder, xml: string): void {
  for (const point of descendantsOf(parseXml(xml), 'pt')) {
    builder.listItem(descendantsOf(point, 'p').map(paragraphText).join('\n'))
  }
}

/** What was in the cells when the chart was last drawn. */
function points(source: XmlElement | null): string[] {
  const texts: string[] = []
  for (const point of source === null ? [] : descendantsOf(source, 'pt')) {
    const index = integerOf(point, 'idx', texts.length)
    if (index < pointsMax) texts[index] = textOf(childOf(point, 'v'))
  }
  return Array.from(texts, (text) => text ?? '')
}

/**
 * The numbers and bullets in front of paragraphs, which text documents do not store but count.
 * (ECMA-376, part 1, 17.9 Numbering.)
 */

import { attributeOf, childOf, childrenOf, integerOf, parseXml } from '../xml.ts'
import type { XmlElement } from '../xml.ts'

export interface NumberingLevel {
  /** As named by the standard: `bullet`, `decimal`, `lowerLetter`. */
  readonly format: string
  /** `%1.%2` stands for the numbers of the first and second level. */
  readonly pattern: string
  readonly start: number
}

export interface NumberingList {
  /** Lists that share one count it on together. */
  readonly counter: string
  readonly levels: ReadonlyMap<number, NumberingLevel>
}

const levelsMax = 9
const patternMax = 50

/** Lists by the id that paragraphs name. */
export function readNumbering(xml: string | null): ReadonlyMap<string, NumberingList> {
  const lists = new Map<string, NumberingList>()
  if (xml === null) return lists
  const root = parseXml(xml)
  const abstracts = new Map<string, Map<number, NumberingLevel>>()
  for (const element of childrenOf(root, 'abstractNum')) {
    abstracts.set(attributeOf(element, 'abstractNumId') ?? '', levelsOf(childrenOf(element, 'lvl')))
  }
  for (const element of childrenOf(root, 'num')) {
    const id = attributeOf(element, 'numId') ?? ''
    const abstractId = valueOf(element, 'abstractNumId') ?? ''
    const levels = new Map(abstracts.get(abstractId))
    const overrides = childrenOf(element, 'lvlOverride')
    for (const override of overrides) {
      const level = integerOf(override, 'ilvl', levelsMax)
      const whole = levelsOf(childrenOf(override, 'lvl')).get(level) ?? levels.get(level)
      const start = childOf(override, 'startOverride')
      if (whole !== undefined) {
        levels.set(level, start === null ? whole : { ...whole, start: integerOf(start, 'val', whole.start) })
      }
    }
    lists.set(id, { counter: overrides.length > 0 ? `list ${id}` : abstractId, levels })
  }
  return lists
}

/** Counts one document through. The function gives the marker of the next paragraph of a list at a level, from 0. */
export function countMarkers(): (list: NumberingList, level: number) => string {
  const counters = new Map<string, number[]>()
  return (list, level) => {
    const own = list.levels.get(level)
    if (own === undefined || own.format === 'none') return ''
    if (own.format === 'bullet') return '-'
    const counts = counters.get(list.counter) ?? []
    counters.set(list.counter, counts)
    const startOf = (index: number): number => list.levels.get(index)?.start ?? 1
    counts.length = Math.min(counts.length, level + 1)
    while (counts.length < level) counts.push(startOf(counts.length))
    counts[level] = (counts[level] ?? startOf(level) - 1) + 1
    return own.pattern
      .replace(/%(\d)/g, (_, digit) => {
        const index = Number(digit) - 1
        return formatNumber(counts[index] ?? startOf(index), list.levels.get(index)?.format ?? 'decimal')
      })
      .trim()
  }
}

function formatNumber(value: number, format: string): string {
  if (format === 'lowerLetter') return letters(value)
  if (format === 'upperLetter') return letters(value).toUpperCase()
  if (format === 'lowerRoman') return roman(value)
  if (format === 'upperRoman') return roman(value).toUpperCase()
  if (format === 'decimalZero') return String(value).padStart(2, '0')
  return format === 'none' ? '' : String(value)
}

/** a … z, aa, bb: the letter is repeated, as word processors do. */
function letters(value: number): string {
  if (value < 1 || value > 780) return String(value)
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26))
}

const romanDigits: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value)
  let rest = value
  let text = ''
  for (const [worth, digit] of romanDigits) {
    while (rest >= worth) {
      text += digit
      rest -= worth
    }
  }
  return text
}

function levelsOf(elements: readonly XmlElement[]): Map<number, NumberingLevel> {
  const levels = new Map<number, NumberingLevel>()
  for (const element of elements) {
    const level = integerOf(element, 'ilvl', levelsMax)
    if (level >= levelsMax) continue
    const start = childOf(element, 'start')
    levels.set(level, {
      format: valueOf(element, 'numFmt') ?? 'decimal',
      pattern: (valueOf(element, 'lvlText') ?? '').slice(0, patternMax),
      start: start === null ? 1 : integerOf(start, 'val', 1),
    })
  }
  return levels
}

function valueOf(element: XmlElement, child: string): string | null {
  const found = childOf(element, child)
  return found === null ? null : attributeOf(found, 'val')
}

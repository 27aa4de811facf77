import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ReadFailure } from './reading.ts'
import type { ReadLimits, Reading } from './reading.ts'
import { cleanText, TextBuilder } from './text-builder.ts'

const limits: ReadLimits = { textMax: 1_000_000, pagesMax: 1_000, unpackedBytesMax: 1_000_000 }
const about = { mediaType: 'text/plain', title: null }

const nasty = fc.string({
  unit: fc.constantFrom(
    'a',
    'word',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\0',
    '|',
    '#',
    '😀',
    '\ud800',
    '\udc00',
    '\u00ad',
    '\f',
    '`',
    'é',
  ),
  maxLength: 12,
})
type Step = (builder: TextBuilder) => void
const step: fc.Arbitrary<Step> = fc.oneof(
  nasty.map(
    (text): Step =>
      (builder) =>
        builder.paragraph(text),
  ),
  fc.tuple(fc.integer({ min: -1, max: 9 }), nasty).map(
    ([level, title]): Step =>
      (builder) =>
        builder.heading(level, title),
  ),
  fc.tuple(nasty, fc.integer({ min: 0, max: 20 })).map(
    ([text, depth]): Step =>
      (builder) =>
        builder.listItem(text, depth),
  ),
  fc.array(fc.array(nasty, { maxLength: 4 }), { maxLength: 4 }).map(
    (rows): Step =>
      (builder) =>
        builder.table(rows),
  ),
  nasty.map(
    (text): Step =>
      (builder) =>
        builder.code(text),
  ),
  fc.option(nasty).map(
    (label): Step =>
      (builder) =>
        builder.page(label),
  ),
  nasty.map(
    (text): Step =>
      (builder) =>
        builder.warn(text),
  ),
  nasty.map((text): Step => (builder) => {
    const inner = new TextBuilder(limits)
    inner.heading(2, `in ${text}`)
    inner.table([['h'], [text]])
    inner.code(text)
    builder.append(inner.reading(about))
  }),
)

function build(steps: readonly Step[]): Reading | null {
  const builder = new TextBuilder(limits)
  for (const apply of steps) apply(builder)
  return builder.length === 0 ? null : builder.reading(about)
}

function ascending(starts: readonly number[]): boolean {
  return starts.every((start, at) => at === 0 || start > (starts[at - 1] ?? -1))
}

describe('any sequence of blocks', () => {
  const property = (holds: (reading: Reading) => void): void => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const reading = build(steps)
        if (reading !== null) holds(reading)
      }),
      { numRuns: 300 },
    )
  }

  test('gives well-formed text without control characters, its lines ended by \\n', () => {
    property(({ text }) => {
      expect(text.isWellFormed()).toBe(true)
      expect(/[^\P{Cc}\n\t]/u.test(text)).toBe(false)
    })
  })

  test('keeps every heading mark on exactly its line', () => {
    property(({ text, headings }) => {
      expect(ascending(headings.map(({ start }) => start))).toBe(true)
      for (const { start, end, level, title } of headings) {
        expect(text.slice(start, end)).toBe(`${'#'.repeat(Math.min(level, 6))} ${title}`)
        expect(start === 0 || text[start - 1] === '\n').toBe(true)
        expect(end === text.length || text[end] === '\n').toBe(true)
      }
    })
  })

  test('keeps every table mark on a table whose header ends with the rule', () => {
    property(({ text, tables }) => {
      expect(ascending(tables.map(({ start }) => start))).toBe(true)
      for (const { start, headerEnd, end } of tables) {
        expect(text.slice(start, headerEnd)).toMatch(/^\| [^\n]* \|\n\|(?: --- \|)+$/)
        for (const row of text.slice(start, end).split('\n'))
          expect(row.startsWith('|') && row.endsWith('|')).toBe(true)
        expect(end === text.length || text.startsWith('\n\n', end)).toBe(true)
      }
    })
  })

  test('starts its pages in order, the first at 0 and the others where a block begins', () => {
    property(({ text, pages }) => {
      expect(ascending(pages.map(({ start }) => start))).toBe(true)
      expect(ascending(pages.map(({ number }) => number))).toBe(true)
      expect(pages[0]?.start ?? 0).toBe(0)
      for (const { start } of pages.slice(1)) expect(text.slice(start - 2, start)).toBe('\n\n')
    })
  })
})

describe('blocks', () => {
  test('are separated by one empty line, items of a list by none', () => {
    const reading = build([
      (builder) => builder.paragraph('one\n\n\n\ntwo  \nthree'),
      (builder) => builder.listItem('first'),
      (builder) => builder.listItem('second\nline', 2, '1.'),
      (builder) => builder.paragraph('end'),
    ])
    expect(reading?.text).toBe('one\n\ntwo\nthree\n\n- first\n  1. second\n     line\n\nend')
  })

  test('of a table escape the bar and fill short rows', () => {
    const reading = build([(builder) => builder.table([['a|b', 'c'], ['x\ny']])])
    expect(reading?.text).toBe('| a\\|b | c |\n| --- | --- |\n| x y |  |')
  })

  test('without text leave nothing, and a page without text keeps its number', () => {
    const builder = new TextBuilder(limits)
    for (const _ of [1, 2]) builder.page()
    builder.heading(1, ' \0 ')
    builder.table([['', ' ']])
    builder.code('\n \n')
    builder.paragraph('text')
    builder.page('last')
    expect(builder.pageCount).toBe(3)
    expect(builder.reading(about)).toMatchObject({
      text: 'text',
      pages: [{ start: 0, number: 2, label: null }],
      headings: [],
      tables: [],
      code: [],
    })
  })
})

describe('limits', () => {
  const codeOf = (act: () => unknown): string => {
    try {
      act()
    } catch (error) {
      if (error instanceof ReadFailure) return error.code
      throw error
    }
    return 'none'
  }

  test('on text and pages end the reading with too_complex', () => {
    expect(codeOf(() => new TextBuilder({ ...limits, textMax: 4 }).paragraph('12345'))).toBe('too_complex')
    expect(codeOf(() => new TextBuilder({ ...limits, textMax: 4 }).paragraph('1234'))).toBe('none')
    expect(codeOf(() => new TextBuilder({ ...limits, pagesMax: 0 }).page())).toBe('too_complex')
  })

  test('a wide table with many short rows is stopped before it is built', () => {
    const rows = [Array.from({ length: 100_000 }, () => 'x'), ...Array.from({ length: 100_000 }, () => ['y'])]
    expect(codeOf(() => new TextBuilder(limits).table(rows))).toBe('too_complex')
  })

  test('a file without text is no_text', () => {
    expect(codeOf(() => new TextBuilder(limits).reading(about))).toBe('no_text')
  })

  test('warnings are counted once each and end with how many are not shown', () => {
    const builder = new TextBuilder(limits)
    builder.paragraph('text')
    for (let at = 0; at < 120; at += 1) builder.warn(`Picture ${at % 60} was left out.`)
    const { warnings } = builder.reading(about)
    expect(warnings).toHaveLength(51)
    expect(warnings.at(-1)).toBe('20 more warnings are not shown.')
  })
})

test('a megabyte of spaces with a letter at the end is cleaned in linear time', () => {
  const text = `a\n${' '.repeat(1_000_000)}b`
  const builder = new TextBuilder({ ...limits, textMax: 2_000_000 })
  builder.paragraph(text)
  expect(builder.length).toBe(text.length)
  expect(cleanText('a\r\nb\rc\u2028d\u0000\ufeff')).toBe('a\nb\nc\nd')
})

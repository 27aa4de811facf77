/**
 * Readings made at random for property tests: every kind of mark in every order, with texts that are
 * hard to cut: emoji, long runs without a space, scripts without spaces, white space.
 */
import fc from 'fast-check'
import type { HeadingMark, PageMark, Reading, Span, TableMark } from '#readers/reading.ts'

type Block =
  | { readonly kind: 'prose' | 'code'; readonly text: string }
  | { readonly kind: 'heading'; readonly title: string; readonly level: number }
  | { readonly kind: 'table'; readonly header: string; readonly rows: readonly string[] }
  | { readonly kind: 'page'; readonly label: string | null }

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('The', 'chunk', 'of', 'Mr.', 'e.g.', '3.14', 'ends.', 'Really?', 'naïve', 'x'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '👩‍👩‍👧',
      '🇩🇪🇫🇷',
      'e\u0301',
      '漢字です。',
      'カタカナ、',
      '\u00a0',
      '\u{1f3fb}',
      '<|endoftext|>',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\n\0\s]/g, '-')),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 300 }).map((length) => 'Zm9v'.repeat(length).slice(0, length)) },
)
const space = fc.constantFrom(' ', ' ', ' ', ' ', '  ', '\n', '\n  ', '   ')
const prose = fc
  .array(fc.tuple(word, space), { minLength: 1, maxLength: 20 })
  .map((words) => words.flat().join('').trimEnd() || 'x')
const oneLine = prose.map((text) => text.replace(/\s+/g, ' ').slice(0, 60).toWellFormed().trim() || 'x')

const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('prose' as const), text: prose }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('code' as const), text: prose }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('heading' as const),
      title: oneLine,
      level: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('table' as const),
      header: oneLine,
      rows: fc.array(oneLine, { maxLength: 15 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('page' as const), label: fc.option(fc.constantFrom('Sheet1', 'a.txt')) }),
  },
)

/** Keeps to what reading.ts promises of a reading. */
export const anyReading: fc.Arbitrary<Reading> = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 8 }), fc.constantFrom('', '\n', '  \n\n'))
  .map(([blocks, ending]) => readingOf(blocks, ending))

function readingOf(blocks: readonly Block[], ending: string): Reading {
  const headings: HeadingMark[] = []
  const tables: TableMark[] = []
  const code: Span[] = []
  const pages: PageMark[] = []
  let text = ''
  for (const part of blocks) {
    const start = text.length
    if (part.kind === 'page') {
      pages.push({ start: pages.length === 0 ? 0 : start, number: pages.length + 1, label: part.label })
      continue
    }
    if (part.kind === 'heading') {
      const line = `${'#'.repeat(part.level)} ${part.title}`
      headings.push({ start, end: start + line.length, level: part.level, title: part.title })
      text += `${line}\n\n`
    } else if (part.kind === 'table') {
      const header = `| ${part.header} |\n| --- |\n`
      const rows = part.rows.map((row) => `| ${row} |\n`).join('')
      tables.push({ start, end: start + header.length + rows.length, headerEnd: start + header.length })
      text += `${header}${rows}\n`
    } else {
      if (part.kind === 'code') code.push({ start, end: start + part.text.length })
      text += `${part.text}\n\n`
    }
  }
  text = text.trimEnd() + ending
  const clipped = <Mark extends Span>(marks: readonly Mark[]) =>
    marks.map((mark) => ({ ...mark, end: Math.min(mark.end, text.length) })).filter(({ start, end }) => start < end)
  return {
    text,
    pages,
    headings: clipped(headings),
    tables: clipped(tables).map((table) => ({ ...table, headerEnd: Math.min(table.headerEnd, table.end) })),
    code: clipped(code),
    title: null,
    mediaType: 'text/markdown',
    warnings: [],
  }
}

/** A reading without marks. */
export function plainReading(text: string, marks: Partial<Reading> = {}): Reading {
  return {
    text,
    pages: [],
    headings: [],
    tables: [],
    code: [],
    title: null,
    mediaType: 'text/plain',
    warnings: [],
    ...marks,
  }
}

/** Texts on which a pattern would try each place against each other one: the work grows with them, and not faster. */
import { expect, test } from 'bun:test'
import { workPerByte } from '#test/support/documents/work-per-byte.ts'
import { formatOf } from './office/cell-format.ts'
import { flowText } from './pdf/flow.ts'
import type { Line } from './pdf/lines.ts'
import { markdownPart } from './text/markdown.ts'
import { TextBuilder } from './text-builder.ts'

const box = { left: 0, right: 100, top: 10, bottom: 0 }

function line(text: string): Line {
  return { ...box, cells: [{ ...box, text }], size: 10, bold: false, hyphened: false, rightToLeft: false, turn: 0 }
}

const flow = (...texts: string[]): string => flowText(texts.map(line), new Set())
const length = 50_000

test.each<[string, string, (text: string) => unknown]>([
  ['brackets in a heading of Markdown', `# ${'['.repeat(length)}`, markdownPart],
  ['beginnings of links in a heading of Markdown', `# ${'[](x'.repeat(length / 4)}`, markdownPart],
  ['digits of a spreadsheet’s format', `${'0'.repeat(length)}\nx`, (code) => formatOf(200, code)],
  ['brackets of a spreadsheet’s format', '['.repeat(length), (code) => formatOf(200, code)],
  ['figures in a line of a PDF', `${'1'.repeat(length)}a`, (text) => flow(`1 2 3 ${text}`, 'next')],
  ['a word without an end in a PDF', `${'a'.repeat(length)}!-`, (text) => flow(`${text}b-`, 'next')],
])('%s', (_, text, work) => {
  expect(workPerByte(Buffer.from(text), () => work(text))).toBeLessThan(100)
})

test('many lines of a PDF that end with a hyphen are not read again for each of them', () => {
  const lines = Array.from({ length: 4000 }, () => 'some words and some-')
  expect(workPerByte(Buffer.from(lines.join('')), () => flow(...lines))).toBeLessThan(3000)
})

test('headings have at most 20 levels, however many a file says', () => {
  const builder = new TextBuilder({ textMax: 1000, pagesMax: 1, unpackedBytesMax: 1 })
  for (const level of [1, 20, 21, 1_000_000]) builder.heading(level, 'Heading')
  const { headings } = builder.reading({ mediaType: 'text/plain', title: null })
  expect(headings.map(({ level }) => level)).toEqual([1, 20, 20, 20])
})

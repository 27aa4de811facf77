import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChunker } from '#test/support/contract/chunker-contract.ts'
import { anyReading, plainReading } from '#test/support/documents/generated-reading.ts'
import { countTokensOf } from './count-tokens.ts'
import { tokenChunker } from './token.ts'

const anyOptions = fc
  .integer({ min: 1, max: 80 })
  .chain((units) =>
    fc.record({ units: fc.constant(units), overlap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: units - 1 })) }),
  )

describeChunker({
  chunker: tokenChunker,
  options: anyOptions,
  sizeOf: ({ tokens, tableHeader }, _, countTokens) =>
    tokens + (tableHeader === null ? 0 : countTokens(`${tableHeader}\n`)),
})

const countTokens = await countTokensOf('cl100k_base')

describe('a chunk of tokens', () => {
  test('repeats at most the overlap of the one before, and most of it in plain prose', async () => {
    fc.assert(
      fc.property(anyReading, anyOptions, (reading, limits) => {
        const chunks = tokenChunker.chunk(reading, limits, countTokens)
        const repeated = chunks.map(({ start }, index) => reading.text.slice(start, chunks[index - 1]?.end ?? 0))
        expect(Math.max(...repeated.map(countTokens))).toBeLessThanOrEqual(limits.overlap)
      }),
      { numRuns: 25 },
    )
    const prose = 'All that the reader makes of a file is one text and its marks. '.repeat(60)
    const chunks = tokenChunker.chunk(plainReading(prose), { units: 64, overlap: 16 }, countTokens)
    const repeated = chunks.slice(1).map(({ start }, index) => countTokens(prose.slice(start, chunks[index]?.end)))
    expect(Math.min(...repeated)).toBeGreaterThanOrEqual(14)
  })

  test('is cut from a text of any length, whose windows are planned one by one', () => {
    const section = `# Section\n\n${'A few words in a line.\n'.repeat(3000)}\n`
    for (const text of [section.repeat(20), 'words and words '.repeat(80_000), '😀'.repeat(300_000)]) {
      const chunks = tokenChunker.chunk(plainReading(text), { units: 2000, overlap: 0 }, (part) => part.length / 4)
      expect(chunks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      expect(Math.max(...chunks.map(({ tokens }) => tokens))).toBeLessThanOrEqual(2000)
      expect(chunks.every(({ start }) => (text.charCodeAt(start) & 0xfc00) !== 0xdc00)).toBe(true)
    }
  })

  test('never goes from one sheet or attachment into the next, however small they are, but does over a page', () => {
    const parts = ['First sheet, a few words.\n\n', 'Second sheet.\n\n', 'Third one, and the last.']
    const starts = parts.map((_, index) => parts.slice(0, index).join('').length)
    const pages = (label: (number: number) => string | null) =>
      starts.map((start, index) => ({ start, number: index + 1, label: label(index + 1) }))
    const cut = (label: (number: number) => string | null) =>
      tokenChunker.chunk(plainReading(parts.join(''), { pages: pages(label) }), tokenChunker.defaults, countTokens)
    expect(cut((number) => `Sheet ${number}`).map(({ start, pageLabel }) => [start, pageLabel])).toEqual(
      starts.map((start, index) => [start, `Sheet ${index + 1}`]),
    )
    expect(cut(() => null)).toHaveLength(1)
  })

  test('never ends with a heading when text follows that the heading leaves room for', () => {
    fc.assert(
      fc.property(anyReading, (reading) => {
        const chunks = tokenChunker.chunk(reading, { units: 160, overlap: 0 }, countTokens)
        for (const { start, end } of chunks.slice(0, -1)) {
          const text = reading.text.slice(start, end).trimEnd()
          const heading = reading.headings.findLast((mark) => mark.end <= start + text.length)
          // Headings upon headings may fill a chunk by themselves.
          const isAlone = heading !== undefined && countTokens(reading.text.slice(heading.start, heading.end)) > 40
          const chain = reading.headings.filter((mark) => mark.start >= start && mark.end <= end).length
          // What follows is a heading itself, so wherever the headings are parted one of them is the last.
          const isBeforeHeading = reading.headings.some(
            (mark) => mark.start >= end && reading.text.slice(end, mark.start).trim() === '',
          )
          const isSourceEnd = reading.pages.some(
            (page) => page.label !== null && page.start >= start + text.length && page.start <= end,
          )
          if (!isAlone && chain < 3 && !isBeforeHeading && !isSourceEnd)
            expect(heading?.end).not.toBe(start + text.length)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('holds a table whole when it fits, even when the text before would leave room for half of it', () => {
    const before = 'A sentence of some words stands here. '.repeat(12).trim()
    const table = `| name | size |\n| --- | --- |\n${'| a chunk of text | 256 |\n'.repeat(14)}`
    const text = `${before}\n\n${table}\n${before}`
    const start = before.length + 2
    const headerEnd = start + '| name | size |\n| --- | --- |\n'.length
    const reading = plainReading(text, { tables: [{ start, end: start + table.length, headerEnd }] })
    const chunks = tokenChunker.chunk(reading, { units: 200, overlap: 0 }, countTokens)
    expect(chunks.filter((chunk) => text.slice(chunk.start, chunk.end).includes(table))).toHaveLength(1)
    expect(chunks.map(({ tableHeader }) => tableHeader)).not.toContain('| name | size |\n| --- | --- |')
  })

  test('of a table too large is whole rows, with the header beside all but the first', () => {
    const header = '| name | size |\n| --- | --- |\n'
    const text = header + Array.from({ length: 200 }, (_, row) => `| row ${row} | ${row * row} |\n`).join('')
    const reading = plainReading(text, { tables: [{ start: 0, end: text.length, headerEnd: header.length }] })
    const chunks = tokenChunker.chunk(reading, { units: 128, overlap: 0 }, countTokens)
    expect(chunks.length).toBeGreaterThan(10)
    for (const [index, chunk] of chunks.entries()) {
      expect(text.slice(chunk.start, chunk.end)).toMatch(/^\|[^]*\|\n$/)
      expect(chunk.tableHeader).toBe(index === 0 ? null : header.trimEnd())
    }
  })

  test('of code ends with a line, and keeps the indentation of the next', () => {
    const text = Array.from(
      { length: 80 },
      (_, line) => `${' '.repeat((line % 4) * 2)}call(${line}, "a b c. D e")`,
    ).join('\n')
    const reading = plainReading(text, { code: [{ start: 0, end: text.length }] })
    const chunks = tokenChunker.chunk(reading, { units: 100, overlap: 0 }, countTokens)
    expect(chunks.length).toBeGreaterThan(5)
    for (const { start } of chunks) expect(text.slice(start).startsWith('\n')).toBe(false)
    for (const { start } of chunks.slice(1)) expect(text.charAt(start - 1)).toBe('\n')
  })

  test('begins with a section, where sections are shorter than it', () => {
    const sections = Array.from({ length: 12 }, (_, index) => ({
      title: `Part ${index}`,
      body: 'What it is about is told in a sentence like this one. '.repeat(10).trim(),
    }))
    let text = ''
    const headings = sections.map(({ title, body }) => {
      const start = text.length
      text += `# ${title}\n\n${body}\n\n`
      return { start, end: start + title.length + 2, level: 1, title }
    })
    const chunks = tokenChunker.chunk(plainReading(text, { headings }), { units: 180, overlap: 0 }, countTokens)
    expect(chunks.map(({ start }) => start)).toEqual(headings.map(({ start }) => start))
  })

  test('splits no joined emoji, flag or accented letter of a long run', () => {
    for (const cluster of ['👩‍👩‍👧', '🇩🇪', 'e\u0301', '👍🏽']) {
      const text = cluster.repeat(400)
      const chunks = tokenChunker.chunk(plainReading(text), { units: 40, overlap: 0 }, countTokens)
      expect(chunks.length).toBeGreaterThan(3)
      for (const { start } of chunks) expect(start % cluster.length).toBe(0)
    }
  })
})

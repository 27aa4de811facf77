import { expect, test } from 'bun:test'
import { embeddedText } from './embedded-text.ts'

const chunk = { text: 'The text.', headingPath: [] as readonly string[], tableHeader: null as string | null }

test('a chunk without a place is its text alone', () => {
  expect(embeddedText(chunk, null)).toBe('The text.')
})

test('title and headings lead it, and a title that is the first heading is said once', () => {
  expect(embeddedText({ ...chunk, headingPath: ['Part', 'Chapter'] }, 'Book')).toBe(
    'Book > Part > Chapter\n\nThe text.',
  )
  expect(embeddedText({ ...chunk, headingPath: ['Book', 'Part'] }, 'Book')).toBe('Book > Part\n\nThe text.')
  expect(embeddedText(chunk, 'Book')).toBe('Book\n\nThe text.')
})

test('the header of its table stands right before it', () => {
  expect(embeddedText({ ...chunk, tableHeader: '| a | b |\n| - | - |' }, 'Book')).toBe(
    'Book\n\n| a | b |\n| - | - |\nThe text.',
  )
})

test('a place of any length does not outweigh the text, which is never cut', () => {
  const text = 'w'.repeat(10_000)
  const lead = embeddedText({ ...chunk, text, headingPath: Array.from({ length: 100 }, () => 'heading') }, 'Book')
  expect(lead.endsWith(text)).toBe(true)
  expect(lead.length - text.length).toBeLessThanOrEqual(302)
})

import { expect, test } from 'bun:test'
import type { HeadingMark } from '#readers/reading.ts'
import { plainReading } from '#test/support/documents/generated-reading.ts'
import { withProvenance } from './provenance.ts'

const line = '# Heading\n\n'

/** How often headings are looked at when each of `count` headings in a row is a chunk. */
function looksAt(count: number): number {
  let looks = 0
  const marks = Array.from({ length: count }, (_, at): HeadingMark => ({
    start: at * line.length,
    end: at * line.length + 9,
    level: 1,
    title: 'Heading',
  }))
  const headings = new Proxy(marks, {
    get(target, property, receiver) {
      if (typeof property === 'string' && /^\d+$/.test(property)) looks += 1
      return Reflect.get(target, property, receiver) as unknown
    },
  })
  const spans = marks.map(({ start }) => ({ start, end: start + line.length }))
  const reading = plainReading(line.repeat(count), { headings })
  const chunks = withProvenance(reading, spans, { tokensOf: () => 1, repeatsHeader: () => false })
  expect(chunks).toHaveLength(count)
  return looks
}

test('a long row of headings is walked once, not once for each chunk', () => {
  expect(looksAt(4000)).toBeLessThan(5 * looksAt(1000))
})

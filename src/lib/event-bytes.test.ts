import { describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { lastEventEnd, nextEventEnd, singleDataSpan } from './event-bytes.ts'

/** Offsets after the empty lines, told line by line as the standard does; CR LF is one line end. */
function eventEnds(text: string): number[] {
  const ends: number[] = []
  let at = 0
  for (const [whole, line] of text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n)/g)) {
    at += whole.length
    if (line === '' && at > whole.length) ends.push(at)
  }
  return ends
}

/** Texts that begin with a line, as what follows a complete event does. */
const stream = fc
  .array(fc.constantFrom('data: x', ': c', 'a', '\n', '\r\n', '\r', 'é', '\n\n', '\r\n\r\n', '\r\r'), { maxLength: 12 })
  .map((parts) => `x${parts.join('')}`)

describe('event boundaries', () => {
  test('the last end is the one that a reader of lines finds', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const bytes = Buffer.from(text, 'latin1')
        expect(lastEventEnd(bytes)).toBe(eventEnds(text).at(-1) ?? 0)
      }),
      { numRuns: 2000 },
    )
  })

  test('walking from end to end passes every byte once and stops at the last end', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const bytes = Buffer.from(text, 'latin1')
        const ends = eventEnds(text)
        let from = 0
        for (let end = nextEventEnd(bytes, from); end > 0; end = nextEventEnd(bytes, from)) {
          expect(end).toBeGreaterThan(from)
          expect(ends).toContain(end)
          from = end
        }
        expect(eventEnds(text.slice(from))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test('no event ends in a buffer without an empty line', () => {
    for (const text of ['', '\n', 'data: x', 'data: x\n', 'data: x\r\n', 'data: x\r', 'data: x\ndata: y\n']) {
      expect(lastEventEnd(Buffer.from(text))).toBe(0)
      expect(nextEventEnd(Buffer.from(text), 0)).toBe(0)
    }
  })
})

describe('the payload of an event', () => {
  function payload(text: string): string | null {
    const event = Buffer.from(text)
    const span = singleDataSpan(event)
    return span === null ? null : event.toString('utf8', span.start, span.end)
  }

  test('is what follows the colon, less one space, whatever ends the line and whatever is next to it', () => {
    expect(payload('data: x\n\n')).toBe('x')
    expect(payload('data:x\r\n\r\n')).toBe('x')
    expect(payload('data:  é x \r\r')).toBe(' é x ')
    expect(payload(': note\nid: 7\ndata: x\nevent: e\n\n')).toBe('x')
    expect(payload('\ndata: x\n\n')).toBe('x')
    expect(payload('data: x')).toBe('x')
    expect(payload('data:\n\n')).toBe('')
  })

  test('is none for comments, other fields, and data over several lines', () => {
    for (const text of [
      ': data: x\n\n',
      'id: 1\n\n',
      'dataset: x\n\n',
      ' data: x\n\n',
      'data: a\ndata: b\n\n',
      '\n',
      '',
    ]) {
      expect(payload(text)).toBeNull()
    }
  })
})

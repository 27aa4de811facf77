import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AnswerText } from './answer-text.ts'
import { EventReader } from './event-reader.ts'
import type { Flavour } from '../upstream/flavour.ts'

function cut(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(offsets.map((offset) => offset % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

function read(bytes: Buffer, offsets: readonly number[], flavour: Flavour = 'openai') {
  const events = new EventReader(1_000_000)
  const answer = new AnswerText(flavour)
  const texts: string[] = []
  const take = (data: string) => texts.push(answer.take(data))
  for (const piece of cut(bytes, offsets)) events.push(piece).forEach(take)
  const rest = events.rest()
  if (rest !== null) take(rest)
  const complete = answer.end()
  return { texts: texts.filter((text) => text !== ''), complete, answer }
}

const chunk = (content: string | null, finish: string | null = null) =>
  JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })
const usage = '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}'

describe('a streamed chat answer', () => {
  const lineEnds = fc.constantFrom('\n', '\r\n')
  const splits = fc.array(fc.nat(3000), { maxLength: 30 })

  test('gives the same texts however its bytes are cut, with either line end, with comments and spaces or none', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { maxLength: 8 })
    fc.assert(
      fc.property(pieces, splits, lineEnds, fc.boolean(), (contents, offsets, end, spaced) => {
        const data = [...contents.map((each) => chunk(each)), chunk(null, 'stop'), usage, '[DONE]']
        const lines = data.map((each) => `data:${spaced ? ' ' : ''}${each}${end}${end}`)
        const bytes = Buffer.from(`: hello${end}${end}${lines.join(`: ping${end}${end}`)}`)
        const { texts, complete, answer } = read(bytes, offsets)
        expect(texts).toEqual(contents)
        expect(complete).toBe(true)
        expect(answer.usage).toEqual({ promptTokens: 5, completionTokens: 7 })
      }),
    )
  })

  test('is complete with a finish reason and without [DONE], and with its last empty line missing', () => {
    expect(read(Buffer.from(`data: ${chunk('a', 'stop')}\n\n`), []).complete).toBe(true)
    expect(read(Buffer.from(`data: ${chunk('a')}\n\ndata: [DONE]`), [])).toMatchObject({ texts: ['a'], complete: true })
  })

  test('that just ends is not complete', () => {
    expect(read(Buffer.from(`data: ${chunk('a')}\n\n`), []).complete).toBe(false)
    expect(read(Buffer.from(''), []).complete).toBe(false)
  })

  test('keeps the texts before an error and takes none after it', () => {
    const bytes = Buffer.from(`data: ${chunk('a')}\n\ndata: {"error":{"message":"boom"}}\n\ndata: ${chunk('b')}\n\n`)
    const { texts, complete, answer } = read(bytes, [])
    expect([texts, complete, answer.error]).toEqual([['a'], false, 'boom'])
  })

  test('never gives out half of a character', () => {
    const bytes = Buffer.from(
      `data: ${'{"choices":[{"delta":{"content":"x\\ud83c"}}]}'}\n\ndata: ${'{"choices":[{"delta":{"content":"\\udf0a!"}}]}'}\n\n`,
    )
    expect(read(bytes, []).texts).toEqual(['x', '🌊!'])
  })

  test('of a completion is read from its own field', () => {
    expect(read(Buffer.from('data: {"choices":[{"text":"raw","finish_reason":"length"}]}\n\n'), [])).toMatchObject({
      texts: ['raw'],
      complete: true,
      answer: { finishReason: 'length' },
    })
  })
})

describe('an answer of the interface itself', () => {
  test('is made of objects or of bare tokens, and complete when its body ends', () => {
    const objects = Buffer.from('data:{"text":"a","batch_id":0}\n\ndata: {"text":" b"}\n\n')
    expect(read(objects, [], 'takeoff')).toMatchObject({ texts: ['a', ' b'], complete: true })
    expect(read(Buffer.from('data: Hello\n\ndata:  wörld\n\ndata: 42\n\n'), [], 'takeoff').texts).toEqual([
      'Hello',
      ' wörld',
      '42',
    ])
  })

  test('is not complete when it reports an error', () => {
    const bytes = Buffer.from('data: {"text":"a"}\n\nevent: error\ndata: {"error":{"message":"gone"}}\n\n')
    expect(read(bytes, [], 'takeoff')).toMatchObject({ texts: ['a'], complete: false, answer: { error: 'gone' } })
  })
})

test('an event that never ends is noticed when it passes the limit', () => {
  const events = new EventReader(100)
  for (let index = 0; index < 10; index += 1) events.push(Buffer.from('data: xxxxx'))
  expect(events.oversized).toBe(true)
})

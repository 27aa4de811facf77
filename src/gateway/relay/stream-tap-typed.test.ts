import { describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import { StreamTap } from './stream-tap.ts'

const plain = { stripUsage: false, rewriteModel: null, eventBytesMax: 1_000_000 }
const done = 'data: [DONE]\n\n'
const read = { promptTokens: 9, completionTokens: 12 }

describe('an API whose last event is told by its type', () => {
  const lastTypes = new Set(['audio.done'])
  const event = (payload: object) => `event: x\r\ndata: ${JSON.stringify(payload)}\r\n\r\n`
  const delta = event({ type: 'audio.delta', audio: 'YQ==', note: 'audio.done', nested: { type: 'audio.done' } })
  const last = event({ usage: { input_tokens: 9, output_tokens: 12 }, type: 'audio.done' })

  /** The outcome of the stream when it is cut there. */
  function outcome(text: string, at = 0) {
    const tap = new StreamTap(plain, lastTypes)
    const out: Uint8Array[] = []
    const bytes = Buffer.from(text)
    for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) out.push(tap.push(piece) ?? new Uint8Array())
    const complete = tap.complete
    const end = tap.end()
    out.push(end ?? new Uint8Array())
    return { output: Buffer.concat(out).toString(), complete, ended: end !== null, usage: tap.usage }
  }

  test('is complete with it, counted, and nothing is added, however it is cut', () => {
    const expected = { output: delta + last, complete: true, ended: true, usage: read }
    const { length } = Buffer.from(delta + last)
    for (let at = 0; at <= length; at += 1) expect(outcome(delta + last, at)).toEqual(expected)
  })

  test('is not complete without it, whatever else the events say', () => {
    const typed = event({ type: 'audio.done.not', usage: null })
    expect(outcome(delta + typed)).toEqual({ output: delta + typed, complete: false, ended: false, usage: null })
  })

  test('is complete with [DONE], as servers of the chat kind have it', () => {
    expect(outcome(delta + done)).toMatchObject({ output: delta + done, complete: true, ended: true })
  })

  test('may end its last event without an empty line', () => {
    expect(outcome(delta + last.trimEnd())).toMatchObject({ ended: true, usage: read })
  })
})

test('an input that is told again without what was cached is not counted down', () => {
  const tap = new StreamTap(plain, new Set(['message_stop']))
  const events = [
    { type: 'message_start', message: { usage: { input_tokens: 3, cache_read_input_tokens: 4000, output_tokens: 1 } } },
    { type: 'message_delta', usage: { input_tokens: 3, output_tokens: 15 } },
    { type: 'message_stop' },
  ]
  tap.push(Buffer.from(events.map((each) => `event: x\ndata: ${JSON.stringify(each)}\n\n`).join('')))
  const kinds = { cachedTokens: 4000, cacheWriteTokens: null, reasoningTokens: null }
  expect(tap.usage).toEqual({ promptTokens: 4003, completionTokens: 15, kinds })
})

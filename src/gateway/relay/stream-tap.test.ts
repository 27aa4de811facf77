import { describe, expect, spyOn, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { lastEventEnd } from '#lib/event-bytes.ts'
import { StreamTap, type StreamedError, type TapOptions } from './stream-tap.ts'
import type { TokenUsage } from '../usage/token-usage.ts'

const counts = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 }
const read: TokenUsage = { promptTokens: 9, completionTokens: 12 }

/** One chunk as servers write it. */
function chunk(content: string | null, more: object = {}, finish: string | null = null): string {
  const delta = content === null ? {} : { content }
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'up', choices, ...more })}\n\n`
}

const usageChunk = chunk(null, { choices: [], usage: counts })
const finish = chunk(null, {}, 'stop')
const done = 'data: [DONE]\n\n'
const nullUsage = { usage: null }

interface Recorded {
  readonly bytes: string
  readonly usage?: TokenUsage
  /** Left out: the answer is complete. */
  readonly error?: StreamedError | 'cut-off'
  /** What the client gets when nothing is stripped; the bytes themselves when left out. */
  readonly passed?: string
}

const recorded: Readonly<Record<string, Recorded>> = {
  'OpenAI with usage asked for': {
    bytes: chunk('Hel', nullUsage) + chunk('lo', nullUsage) + chunk(null, nullUsage, 'stop') + usageChunk + done,
    usage: read,
  },
  'vLLM, without null fields': { bytes: chunk('Hel') + chunk('lo') + finish + usageChunk + done, usage: read },
  'usage on the last chunk with content': {
    bytes: chunk('Hel') + chunk('lo', { usage: counts }, 'stop') + done,
    usage: read,
  },
  'usage in the first chunk, and nothing later': {
    bytes: chunk('', { usage: counts }) + chunk('Hello') + finish + done,
    usage: read,
  },
  'running usage on each chunk': {
    bytes: chunk('a', { usage: { prompt_tokens: 9, completion_tokens: 1 } }) + chunk('b', { usage: counts }) + done,
    usage: read,
  },
  'usage that counts nothing, after one that does': {
    bytes: chunk('a', { usage: counts }) + chunk('b', { usage: {} }, 'stop') + done,
    usage: read,
  },
  'a first chunk without choices': {
    bytes: chunk(null, { choices: [], prompt_filter_results: [], usage: null }) + chunk('a', nullUsage, 'stop') + done,
  },
  'CR LF line ends': {
    bytes: (chunk('Hel', nullUsage) + ': note\n\n' + finish + usageChunk + done).replaceAll('\n', '\r\n'),
    usage: read,
  },
  'CR line ends': {
    bytes: (chunk('Hel', nullUsage) + ': note\n\n' + finish + usageChunk + done).replaceAll('\n', '\r'),
    usage: read,
  },
  'comments, ids and event names': {
    bytes: `: ping\n\nid: 1\nevent: message\n${chunk('a', nullUsage)}:\n\nretry: 10\n\n${finish}${done}`,
  },
  'data over several lines': { bytes: `data: {"choices": [\ndata: ], "usage": null}\n\n${finish}${done}` },
  'no space after the colon': {
    bytes: (chunk('a') + finish + usageChunk + done).replaceAll('data: ', 'data:'),
    usage: read,
  },
  'text of several bytes per character': {
    bytes: chunk('é€😀', nullUsage) + chunk('日本語\u2028', nullUsage, 'stop') + done,
  },
  '[DONE] inside a text': {
    bytes: chunk('data: [DONE]') + chunk('[DONE]\n\ndata: [DONE]\n\n', nullUsage, 'stop') + done,
  },
  '"usage" and "error" inside texts and objects': {
    bytes:
      chunk('the "usage": null of "error": {}') +
      chunk('"usage"', { meta: { usage: null, error: { message: 'no' } }, tags: ['usage', 'error'] }) +
      chunk('x', { ...nullUsage, error: null }) +
      chunk('y', { error: '' }, 'stop') +
      done,
  },
  'escaped quotes and backslashes': {
    bytes: chunk('\\"usage\\":\\\\', nullUsage) + chunk('"', nullUsage, 'stop') + done,
  },
  'data that is not JSON': {
    bytes: `data: {"usage": nu}\n\ndata: "usage"\n\ndata: {"\\q": 1, "usage": null}\n\ndata: {"usage": {\n\ndata: \n\n${done}`,
  },
  'no [DONE], but a reason to finish': {
    bytes: chunk('a') + finish + usageChunk,
    usage: read,
    passed: chunk('a') + finish + usageChunk + done,
  },
  'no [DONE], many events after the reason to finish': {
    bytes: chunk('a') + finish + ': ping\n\n'.repeat(20),
    passed: chunk('a') + finish + ': ping\n\n'.repeat(20) + done,
  },
  'a reason to finish with spaces around it': {
    bytes: 'data: { "choices" : [ { "finish_reason" : "stop" } ] }\n\n',
    passed: `data: { "choices" : [ { "finish_reason" : "stop" } ] }\n\n${done}`,
  },
  'no [DONE] and no reason to finish': { bytes: chunk('a') + chunk('b'), error: 'cut-off' },
  'a reason to finish only inside a text': { bytes: chunk('"finish_reason":"stop"'), error: 'cut-off' },
  'nothing at all': { bytes: '', error: 'cut-off' },
  'only comments': { bytes: ': ping\n\n: ping\n\n', error: 'cut-off' },
  'the last event without its empty line': {
    bytes: chunk('a') + finish + usageChunk.trimEnd(),
    usage: read,
    passed: chunk('a') + finish + usageChunk + done,
  },
  '[DONE] without its empty line': { bytes: chunk('a') + 'data: [DONE]', passed: chunk('a') + done },
  '[DONE] with half of its empty line': { bytes: chunk('a') + 'data: [DONE]\n', passed: chunk('a') + done },
  'a last event that is cut off': {
    bytes: chunk('a') + finish + usageChunk.slice(0, 40),
    error: 'cut-off',
    passed: chunk('a') + finish,
  },
  'a last line that is cut off before its colon': {
    bytes: chunk('a') + finish + 'da',
    error: 'cut-off',
    passed: chunk('a') + finish,
  },
  'half a comment at the end': { bytes: `${chunk('a')}${finish}: pi`, passed: chunk('a') + finish + done },
  'an error first': {
    bytes: `data: {"error":{"message":"full","type":"x","code":503}}\n\n${chunk('a')}`,
    error: { message: 'full', code: '503' },
    passed: '',
  },
  'an error in the middle': {
    bytes: `${chunk('a')}data: {"error":{"message":"out of memory","code":"oom"}}\n\n${chunk('b')}${done}`,
    error: { message: 'out of memory', code: 'oom' },
    passed: chunk('a'),
  },
  'an error that is a string': {
    bytes: `${chunk('a')}data: {"error":"gone"}\n\n`,
    error: { message: 'gone', code: null },
    passed: chunk('a'),
  },
  'an error without its empty line': {
    bytes: `${chunk('a')}${finish}data: {"error":{}}`,
    error: { message: null, code: null },
    passed: chunk('a') + finish,
  },
  'bytes after [DONE]': {
    bytes: chunk('a') + done + chunk('b') + 'data: {"error":"x"}\n\nda',
    passed: chunk('a') + done,
  },
  'bytes after [DONE] with CR LF': {
    bytes: (chunk('a') + done + chunk('b')).replaceAll('\n', '\r\n'),
    passed: (chunk('a') + done).replaceAll('\n', '\r\n'),
  },
  '[DONE] with something behind it': { bytes: `${chunk('a')}data: [DONE] \n\n` },
}

const plain: TapOptions = { stripUsage: false, rewriteModel: null, eventBytesMax: 1_000_000 }
const variants: Readonly<Record<string, TapOptions>> = {
  unchanged: plain,
  'usage stripped': { ...plain, stripUsage: true },
  'model rewritten': { ...plain, rewriteModel: 'né "w"' },
  'usage stripped and model rewritten': { ...plain, stripUsage: true, rewriteModel: 'x' },
}

interface Outcome {
  readonly output: string
  readonly complete: boolean
  readonly usage: TokenUsage | null
  readonly done: boolean
  readonly error: StreamedError | null
  readonly oversized: boolean
}

/** The outcome of these pieces, read the way the relay reads them; fails when half an event leaves. */
function relayed(pieces: readonly Uint8Array[], options: TapOptions): Outcome {
  const tap = new StreamTap(options)
  const out: Buffer[] = []
  const send = (bytes: Uint8Array | null): void => {
    if (bytes === null || bytes.byteLength === 0) return
    if (lastEventEnd(bytes) !== bytes.byteLength)
      throw new Error(`half an event left: ${Buffer.from(bytes).toString()}`)
    out.push(Buffer.from(bytes))
  }
  for (const piece of pieces) send(tap.push(piece))
  const last = tap.end()
  send(last)
  return {
    output: Buffer.concat(out).toString('latin1'),
    complete: last !== null,
    usage: tap.usage,
    done: tap.done,
    error: tap.upstreamError,
    oversized: tap.oversized,
  }
}

/** The bytes cut at these offsets. */
function cut(bytes: Buffer, offsets: readonly number[]): Uint8Array[] {
  const ends = [...offsets.toSorted((a, b) => a - b), bytes.length]
  return ends.map((end, index) => Uint8Array.from(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)))
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The JSON of every chunk in an output with any line ends; other events are left out. */
function chunks(output: string): unknown[] {
  const lines = Buffer.from(output, 'latin1')
    .toString()
    .split(/\r\n|\r|\n/)
  return lines.filter((line) => /^data: ?\{.*\}$/.test(line)).map((line) => JSON.parse(line.replace(/^data: ?/, '')))
}

for (const [name, { bytes: text, usage = null, error, passed = text }] of Object.entries(recorded)) {
  const bytes = Buffer.from(text)
  describe(name, () => {
    test('the client gets the same bytes, and the gateway reads what is in them', () => {
      const outcome = relayed([bytes], plain)
      expect(outcome.output).toBe(latin1(passed))
      expect(outcome.usage).toEqual(usage)
      expect(outcome.complete).toBe(error === undefined)
      expect(outcome.error).toEqual(typeof error === 'object' ? error : null)
    })

    for (const [variant, options] of Object.entries(variants)) {
      test(`${variant}: a cut at any byte changes nothing`, () => {
        const whole = relayed([bytes], options)
        for (let at = 0; at <= bytes.length; at += 1) expect(relayed(cut(bytes, [at]), options)).toEqual(whole)
        const single = Array.from({ length: bytes.length }, (_, at) => at)
        expect(relayed(cut(bytes, single), options)).toEqual(whole)
      })

      test(`${variant}: cuts at any bytes change nothing`, () => {
        const whole = relayed([bytes], options)
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (offsets) => {
            expect(relayed(cut(bytes, offsets), options)).toEqual(whole)
          }),
          { numRuns: 60 },
        )
      })
    }
  })
}

describe('stripped usage', () => {
  const chunked = Object.entries(recorded).filter(([name]) => name !== 'data that is not JSON')

  test('takes out the null fields and the chunk that has nothing else, and leaves the rest as it was', () => {
    for (const [, { bytes }] of chunked) {
      const expected = (
        chunks(relayed([Buffer.from(bytes)], plain).output) as { usage?: unknown; choices?: unknown[] }[]
      )
        .filter((each) => !(each.choices?.length === 0 && typeof each.usage === 'object' && each.usage !== null))
        .map(({ usage, ...rest }) => (usage === undefined || usage === null ? rest : { usage, ...rest }))
      expect(chunks(relayed([Buffer.from(bytes)], { ...plain, stripUsage: true }).output)).toEqual(expected)
    }
  })

  test('costs the gateway no knowledge', () => {
    for (const [, { bytes, usage = null }] of chunked) {
      expect(relayed([Buffer.from(bytes)], { ...plain, stripUsage: true }).usage).toEqual(usage)
    }
  })

  test('leaves numbers and spellings of other fields as they were sent', () => {
    const odd = 'data: {"choices":[{}], "seed":12345678901234567890 ,"usage": null, "t":1.0e0,"s":"\\u0041"}\n\n'
    const outcome = relayed([Buffer.from(odd + done)], { ...plain, stripUsage: true })
    expect(outcome.output).toBe(odd.replace('"usage": null,', '') + done)
  })

  test('leaves data that is not JSON untouched', () => {
    const { bytes } = recorded['data that is not JSON']!
    const changed = bytes.replace(', "usage": null', '')
    expect(relayed([Buffer.from(bytes)], { ...plain, stripUsage: true }).output).toBe(changed)
  })
})

test('a rewritten model is the only thing that changes in every chunk', () => {
  for (const [name, { bytes }] of Object.entries(recorded)) {
    if (name === 'data that is not JSON') continue
    const before = chunks(relayed([Buffer.from(bytes)], plain).output) as object[]
    const after = chunks(relayed([Buffer.from(bytes)], { ...plain, rewriteModel: 'né "w"' }).output)
    expect(after).toEqual(before.map((each) => ('model' in each ? { ...each, model: 'né "w"' } : each)))
  }
})

test('streams of any chunks pass byte for byte, whatever their texts and however they are cut', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('[DONE]', 'data: [DONE]\n\n', '"usage":null', '"error":{"message":"x"}', '\\', '\r\n\r\n'),
  )
  const event = fc.oneof(
    text.map((content) => chunk(content)),
    fc.tuple(text, fc.constantFrom(null, counts)).map(([content, usage]) => chunk(content, { usage })),
    fc.constantFrom(': ping\n\n', 'id: 1\n\n', ':\r\n\r\n'),
  )
  const cuts = fc.array(fc.nat(), { maxLength: 20 })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), cuts, fc.boolean(), (events, offsets, crlf) => {
      const whole = events.join('') + done
      const bytes = Buffer.from(crlf ? whole.replaceAll(/\r?\n/g, '\r\n') : whole)
      const pieces = cut(
        bytes,
        offsets.map((offset) => offset % (bytes.length + 1)),
      )
      const outcome = relayed(pieces, plain)
      expect(outcome.output).toBe(bytes.toString('latin1'))
      expect(outcome.complete && outcome.done).toBe(true)
    }),
    { numRuns: 300 },
  )
})

describe('an event past the limit', () => {
  const options = { ...plain, eventBytesMax: 400 }
  const large = chunk('x'.repeat(400))
  const before = chunk('a') + chunk('b')

  test('never leaves, nor does what follows it, wherever the stream is cut', () => {
    const bytes = Buffer.from(before + large + finish + done)
    const whole = relayed([bytes], options)
    expect(whole).toEqual({ output: before, complete: false, usage: null, done: false, error: null, oversized: true })
    for (let at = 0; at <= bytes.length; at += 1) expect(relayed(cut(bytes, [at]), options)).toEqual(whole)
  })

  test('is one even when its end never comes', () => {
    const outcome = relayed([Buffer.from(before), Buffer.alloc(401, 0x61)], options)
    expect(outcome).toMatchObject({ output: before, complete: false, oversized: true })
  })

  test('is one byte longer than the largest that passes, whatever comes with it', () => {
    const exact = chunk('y'.repeat(400 - chunk('').length))
    expect(exact).toHaveLength(400)
    const bytes = Buffer.from(before + exact + before + done)
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(relayed(cut(bytes, [at]), options)).toMatchObject({ oversized: false, complete: true })
    }
  })
})

describe('a large event in small pieces', () => {
  const size = 10_000_000
  const options = { ...plain, eventBytesMax: 2 * size }

  /** Bytes that the tap joins while it reads the pieces. */
  function bytesJoined(
    tap: StreamTap,
    pieces: Iterable<Uint8Array>,
  ): { readonly joined: number; readonly sent: number } {
    const concat = Buffer.concat.bind(Buffer)
    let joined = 0
    let sent = 0
    using spy = spyOn(Buffer, 'concat').mockImplementation((list, length) => {
      const whole = concat(list, length)
      joined += whole.length
      return whole
    })
    for (const piece of pieces) sent += tap.push(piece)?.byteLength ?? 0
    expect(spy).toHaveBeenCalled()
    return { joined, sent }
  }

  function* inPieces(bytes: Buffer): Iterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
  }

  const shapes = {
    'one line': chunk('x'.repeat(size)),
    'a line in every piece': `${`data: ${'y'.repeat(93)}\n`.repeat(size / 100)}\n`,
    'half of an empty line in every piece': `${`: ${'y'.repeat(97)}\r`.repeat(size / 100)}\r`,
  }
  for (const [shape, text] of Object.entries(shapes)) {
    test(`costs work in proportion to its length: ${shape}`, () => {
      const bytes = Buffer.from(text)
      const { joined, sent } = bytesJoined(new StreamTap(options), inPieces(bytes))
      expect(sent).toBe(bytes.length)
      expect(joined).toBeLessThan(2 * bytes.length)
    })
  }
})

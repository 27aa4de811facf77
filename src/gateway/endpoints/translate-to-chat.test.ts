import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anthropicDialect } from '#dialects/anthropic/anthropic-dialect.ts'
import type { Dialect } from '#dialects/dialect.ts'
import { responsesDialect } from '#dialects/responses/responses-dialect.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { Ticker } from '#lib/ticker.ts'
import { createMetrics } from '#observe/metrics.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { chatChunks, chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { eventText } from '#test/support/upstream/upstream-behaviours.ts'
import { CallWatch } from '../call/call-watch.ts'
import { requestOf } from '../request/model-request.ts'
import { UsageRecorder, type RequestRecord } from '../usage/usage-recorder.ts'
import { translateToChat } from './translate-to-chat.ts'

interface Row {
  readonly dialect: Dialect
  readonly body: Readonly<Record<string, unknown>>
  /** What only a complete stream says. */
  readonly last: string
}

const messages: Row = {
  dialect: anthropicDialect,
  body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
  last: 'message_stop',
}
const responses: Row = { dialect: responsesDialect, body: { model: 'm', input: 'Hi' }, last: 'response.completed' }
const rows = [messages, responses]

const ticker = new Ticker(1_000_000)
afterAll(() => ticker[Symbol.dispose]())

function translation({ dialect, body }: Row, more: object = {}) {
  const value = { ...body, ...more }
  return translateToChat(dialect, requestOf(Buffer.from(JSON.stringify(value)), value), { now: 0 })
}

interface Relayed {
  readonly response: Response
  readonly record: RequestRecord
}

/** The answer to the client when the provider sends these pieces and ends. */
async function relay(row: Row, streamed: boolean, pieces: readonly Uint8Array[]): Promise<Relayed> {
  const { call } = translation(row, { stream: streamed })
  const context = await contextOf(new Request('http://localhost/x'))
  const metrics = createMetrics({ version: '0.0.0', codes: [] })
  const recorder = new UsageRecorder({ metrics, queueMax: 1, journal: null, write: async () => {} })
  const record = recorder.begin(context, aCaller(), 'messages')
  const watch = new CallWatch(context, { ticker, shutdown: new AbortController().signal }, 100)
  const left = [...pieces]
  const reply: Reply = { status: 200, headers: {}, body: { read: () => left.shift() ?? null, cancel: () => {} } }
  const response = await call.relay(reply, {
    context,
    watch,
    record,
    streamed,
    ticker,
    takeOver: () => new DisposableStack(),
    tracker: () => ({
      names: null,
      keeps: false,
      keep: () => Promise.resolve(),
      observe: () => Promise.reject(new Error('no provider stores a translated answer')),
      claimUsage: () => Promise.resolve(true),
    }),
    rewriteModel: null,
    stripUsage: true,
    base64Vectors: false,
    idleSeconds: 100,
    keepaliveSeconds: 100,
    responseBytesMax: 10_000,
    eventBytesMax: 10_000,
    responseHeaders: [],
  })
  return { response, record }
}

/** Ids are new each time. */
function withoutIds(text: string): string {
  return text.replaceAll(/_[0-9a-f]{32}/g, '_id')
}

const stream = Buffer.from([...chatChunks({ usage: 'last' }), doneEvent].map(eventText).join(''))

function cutAt(bytes: Uint8Array, offsets: readonly number[]): readonly Uint8Array[] {
  const at = [0, ...offsets.toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

describe('a stream', () => {
  for (const row of rows) {
    test(`of ${row.dialect.name} is the same however its bytes are cut`, async () => {
      const whole = await relay(row, true, [stream])
      const expected = withoutIds(await whole.response.text())
      expect(expected).toContain(row.last)
      const cuts = fc.array(fc.integer({ min: 1, max: stream.length - 1 }), { maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(cuts, async (offsets) => {
          const { response, record } = await relay(row, true, cutAt(stream, offsets))
          expect(withoutIds(await response.text())).toBe(expected)
          expect(record.usage).toEqual({ promptTokens: 11, completionTokens: 3 })
        }),
        { numRuns: 100 },
      )
    })

    test(`of ${row.dialect.name} that ends anywhere before its finish reason never looks complete`, async () => {
      const finish = stream.indexOf('"finish_reason":"stop"')
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: finish }), async (length) => {
          const ended = await relay(row, true, [stream.subarray(0, length)]).catch((error: unknown) => error)
          if (ended instanceof ApiError) return expect(ended.code).toBe('upstream_stream_error')
          const { response, record } = ended as Relayed
          const text = await response.text()
          expect(text).not.toContain(row.last)
          expect(text.match(/^event: error$/gm)).toHaveLength(1)
          record[Symbol.dispose]()
          expect(record.row()).toMatchObject({ status: 502, code: 'upstream_stream_error' })
        }),
        { numRuns: 100 },
      )
    })

    test(`of ${row.dialect.name} is complete without [DONE] when the provider has told why it stopped`, async () => {
      const { response } = await relay(row, true, [stream.subarray(0, stream.indexOf('data: [DONE]'))])
      expect(await response.text()).toContain(row.last)
    })
  }
})

describe('a whole answer', () => {
  for (const row of rows) {
    test(`of ${row.dialect.name} has its own length in the record, and the counts of the provider`, async () => {
      const { response, record } = await relay(row, false, [Buffer.from(JSON.stringify(chatCompletion()))])
      expect(record.responseBytes).toBe((await response.arrayBuffer()).byteLength)
      expect(record.usage).toEqual({ promptTokens: 11, completionTokens: 3 })
    })

    test.each([
      ['no JSON', 'hello'],
      ['a list', '[]'],
      ['cut off', '{"choices":['],
      ['no completion', '{"choices":{}}'],
      ['larger than is taken', JSON.stringify(chatCompletion({ pieces: ['x'.repeat(10_000)] }))],
    ])(`of ${row.dialect.name} that is %s cannot be read`, async (_, text) => {
      const error = await rejection(relay(row, false, [Buffer.from(text)]))
      expect(error).toMatchObject({ code: 'upstream_invalid_response' })
    })
  }
})

describe('the request', () => {
  for (const row of rows) {
    test(`of ${row.dialect.name} leaves it to the gateway to ask for usage, as for every stream`, () => {
      const { call, request } = translation(row, { stream: true })
      expect([call.endpoint, call.asksUsage, request.wantsUsage]).toEqual(['chat/completions', true, false])
      expect([request.streamed, request.translated, request.model]).toEqual([true, true, 'm'])
      expect(request.bytes.toString()).not.toContain('stream_options')
    })
  }

  test('has its effort read, which is checked against the model like any other', () => {
    const thinking = { type: 'enabled', budget_tokens: 20_000 }
    expect(translation(messages, { max_tokens: 30_000, thinking }).request.effort).toBe('high')
    expect(translation(responses, { reasoning: { effort: 'low' } }).request.effort).toBe('low')
  })
})

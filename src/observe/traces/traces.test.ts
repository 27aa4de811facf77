import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeExport } from '#test/support/network/trace-collector.ts'
import { documentSpans, type TracedRun } from './document-trace.ts'
import { jsonTraces } from './otlp-json.ts'
import { protobufTraces } from './otlp-protobuf.ts'
import { traceContext, traceparent } from './trace-context.ts'
import { TraceExporter } from './trace-exporter.ts'
import type { Span } from './span.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

describe('the trace of a request', () => {
  test.each([
    [`00-${traceId}-${parentId}-01`, true],
    [`00-${traceId}-${parentId}-00`, false],
    [`00-${traceId}-${parentId}-03`, true],
    [`cc-${traceId}-${parentId}-01-what-a-later-version-adds`, true],
  ])('is that of the header %s', (header, sampled) => {
    expect(traceContext(header, sampled ? 0 : 1)).toEqual({ traceId, parentId, sampled })
  })

  test.each([
    null,
    '',
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-01x`,
    `00-${'a'.repeat(100_000)}`,
  ])('is a new one when the header is not valid', (header) => {
    const context = traceContext(header, 1)
    expect(context).toEqual({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentId: null, sampled: true })
    expect(context.traceId).not.toBe(traceId)
    expect(traceContext(header, 0).sampled).toBe(false)
  })

  test('has an id of its own, however many there are, and its header is read as it was written', () => {
    const contexts = Array.from({ length: 10_000 }, () => traceContext(null, 0.5))
    expect(new Set(contexts.map((context) => context.traceId)).size).toBe(10_000)
    for (const context of contexts.slice(0, 100))
      expect(traceContext(traceparent(context, parentId), 0)).toEqual({ ...context, parentId })
  })
})

const toNowhere = { url: 'http://127.0.0.1:1', protocol: 'http/protobuf' } as const

describe('the binary form', () => {
  const hex = (digits: number) =>
    fc.uint8Array({ minLength: digits / 2, maxLength: digits / 2 }).map((bytes) => Buffer.from(bytes).toString('hex'))
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ minLength: 100, maxLength: 40_000 }),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -1, 127, 128, 2 ** 31, 2 ** 32, 1e300, null),
  )
  const attributes = fc.dictionary(fc.string(), value, { maxKeys: 6, noNullPrototype: true })
  const time = fc.double({ min: 1, max: 4e12, noNaN: true })
  const anySpan: fc.Arbitrary<Span> = fc.record({
    traceId: hex(32),
    spanId: hex(16),
    parentId: fc.option(hex(16)),
    name: fc.string({ unit: 'grapheme' }),
    kind: fc.constantFrom('internal', 'server', 'client', 'consumer'),
    startedAt: time,
    endedAt: time,
    attributes,
    events: fc.array(fc.record({ name: fc.string(), at: time }), { maxLength: 3 }),
    error: fc.option(fc.string()),
  })

  test('says what the JSON form says, as the decoder of OpenTelemetry reads it, whatever is in the spans', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { maxLength: 20 }), attributes, (spans, resource) => {
        const sent: unknown = JSON.parse(jsonTraces(spans, resource), (name, each: unknown) =>
          // Lists without elements are not in the binary form.
          Array.isArray(each) && each.length === 0 && name !== '' ? undefined : each,
        )
        expect(decodeExport(protobufTraces(spans, resource))).toEqual(sent as never)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the trace of a document', () => {
  const run: TracedRun = {
    documentId: 'd',
    attempt: 1,
    stages: [
      ['reading', 100],
      ['embedding', 250],
      ['storing', 300],
    ],
    endedAt: 320,
    outcome: 'completed',
    isFault: false,
  }

  test('has a span for each stage, which follow each other without a gap', () => {
    const [whole, ...parts] = documentSpans(run, 1)
    expect(whole).toMatchObject({ name: 'document', startedAt: 100, endedAt: 320, error: null })
    expect(parts.map(({ name, startedAt, endedAt }) => [name, startedAt, endedAt])).toEqual([
      ['reading', 100, 250],
      ['embedding', 250, 300],
      ['storing', 300, 320],
    ])
    for (const part of parts) expect(part).toMatchObject({ traceId: whole?.traceId, parentId: whole?.spanId })
  })

  test('is recorded in any case when the run failed, and shows in which stage', () => {
    expect(documentSpans(run, 0)).toEqual([])
    const failed = documentSpans({ ...run, outcome: 'reader_failed', isFault: true }, 0)
    expect(failed.map(({ name, error }) => [name, error])).toEqual([
      ['document', 'reader_failed'],
      ['reading', null],
      ['embedding', null],
      ['storing', 'reader_failed'],
    ])
  })
})

describe('the spans that wait', () => {
  const span: Span = {
    traceId,
    spanId: parentId,
    parentId: null,
    name: 'one',
    kind: 'server',
    startedAt: 1,
    endedAt: 2,
    attributes: {},
    events: [],
    error: null,
  }

  test('are never more than the bound, also while the collector is away, and the lost ones are counted', async () => {
    const exporter = new TraceExporter({ ...toNowhere, headers: {}, resource: {}, queueMax: 700 })
    exporter.add(Array.from({ length: 1000 }, () => span))
    expect(exporter.dropped).toBe(300)
    expect(await exporter.flush().catch(() => 'refused')).toBe('refused')
    exporter.add([span])
    expect(exporter.dropped).toBe(301)
  })

  test('are dropped and counted when the collector refuses them for good', async () => {
    using collector = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 400 }) })
    const exporter = new TraceExporter({ ...toNowhere, url: collector.url.origin, headers: {}, resource: {} })
    exporter.add([span])
    expect(await exporter.flush().catch(() => 'refused')).toBe('refused')
    expect(exporter.dropped).toBe(1)
    await exporter.flush()
  })
})

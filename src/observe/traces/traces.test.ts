import { describe, expect, test } from 'bun:test'
import { traceContext, traceparent } from './trace-context.ts'
import { TraceExporter } from './trace-exporter.ts'
import type { Span } from './otlp.ts'

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
    const exporter = new TraceExporter({ url: 'http://127.0.0.1:1', headers: {}, resource: {}, queueMax: 700 })
    exporter.add(Array.from({ length: 1000 }, () => span))
    expect(exporter.dropped).toBe(300)
    expect(await exporter.flush().catch(() => 'refused')).toBe('refused')
    exporter.add([span])
    expect(exporter.dropped).toBe(301)
  })

  test('are dropped and counted when the collector refuses them for good', async () => {
    using collector = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 400 }) })
    const exporter = new TraceExporter({ url: collector.url.origin, headers: {}, resource: {} })
    exporter.add([span])
    expect(await exporter.flush().catch(() => 'refused')).toBe('refused')
    expect(exporter.dropped).toBe(1)
    await exporter.flush()
  })
})

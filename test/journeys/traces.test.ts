/** Traces of requests, as a collector gets them, and their lines in the log. */
import { describe, expect, test } from 'bun:test'
import { startComposite } from '#test/support/app/composite-app.ts'
import { startDocuments } from '#test/support/app/documents-app.ts'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { clientOf } from '#test/support/batches/file-client.ts'
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '#test/support/network/trace-collector.ts'
import { close, htmlBadGateway, json, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { chatChunks, chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'

const tracing = ({ url }: TraceCollector, ratio: number, protocol = 'http/protobuf'): readonly string[] => [
  `traces.otlp_url=${url}`,
  `traces.otlp_protocol=${protocol}`,
  `traces.sample_ratio=${ratio}`,
]

/** The spans of one request, which begin with that of the server. */
async function spansOf({ spans }: TraceCollector, requestId: string): Promise<readonly CollectedSpan[]> {
  const ofServer = (): CollectedSpan | undefined =>
    spans.find(({ attributes }) => attributes['sluice.request_id'] === requestId)
  await until(() => ofServer() !== undefined)
  const server = ofServer()
  return spans.filter(({ traceId }) => traceId === server?.traceId)
}

const traceparentOf = (request: ReceivedRequest | undefined): string =>
  request?.headers.find(([name]) => name.toLowerCase() === 'traceparent')?.[1] ?? ''

describe('a traced request', () => {
  test.each(['http/protobuf', 'http/json'])('has a span for itself and for each attempt, sent by %s', async (form) => {
    using collector = startTraceCollector()
    await using app = await startComposite({ components: 2, set: tracing(collector, 1, form) })
    const [first, second] = app.servers
    first?.script(htmlBadGateway())
    second?.script(json(chatCompletion()))
    const answer = await app.chat({}, { headers: { 'x-request-id': 'traced' } })
    expect(answer.status).toBe(200)
    await answer.text()

    const [server, failed, served, firstToken] = await spansOf(collector, 'traced')
    expect(server).toMatchObject({
      name: 'POST /ai/v1/chat/completions',
      kind: 2,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'composite',
        'http.response.status_code': '200',
        'sluice.attempts': '2',
      },
    })
    expect(server?.parentSpanId).toBeUndefined()
    expect(failed).toMatchObject({
      name: 'chat component-0',
      kind: 3,
      parentSpanId: server?.spanId,
      attributes: { 'gen_ai.provider.name': 'server-0' },
      status: { code: 2 },
    })
    expect(served).toMatchObject({
      name: 'chat component-1',
      parentSpanId: server?.spanId,
      attributes: {
        'gen_ai.provider.name': 'server-1',
        'gen_ai.usage.input_tokens': expect.stringMatching(/^\d+$/),
      },
    })
    expect(firstToken).toMatchObject({ name: 'first_token', parentSpanId: served?.spanId })
    for (const span of [server, failed, served])
      expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span?.startTimeUnixNano ?? 0))
    expect(traceparentOf(second?.requests.at(-1))).toBe(`00-${server?.traceId}-${served?.spanId}-01`)
  })

  test('belongs to the trace of its caller, whose decision it keeps', async () => {
    using collector = startTraceCollector()
    await using gateway = await startGateway({ set: tracing(collector, 0) })
    gateway.upstream.script(stream([...chatChunks(), doneEvent]))
    const [recorded, other] = ['1'.repeat(32), '2'.repeat(32)]
    const parent = 'a'.repeat(16)
    const ask = async (id: string, traceparent: string): Promise<void> => {
      const answer = await gateway.stream({}, { headers: { 'x-request-id': id, traceparent } })
      await answer.text()
    }
    await ask('unsampled', `00-${other}-${parent}-00`)
    await ask('sampled', `00-${recorded}-${parent}-01`)
    const [server, call, firstToken, rest] = await spansOf(collector, 'sampled')
    expect(server).toMatchObject({ traceId: recorded, parentSpanId: parent, events: [{ name: 'gen_ai.first_token' }] })
    expect(call?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.anything(),
    })
    expect([firstToken?.name, rest?.name]).toEqual(['first_token', 'stream'])
    expect([firstToken?.startTimeUnixNano, firstToken?.endTimeUnixNano]).toEqual([
      call?.startTimeUnixNano,
      rest?.startTimeUnixNano,
    ])
    expect(collector.spans.filter(({ traceId }) => traceId === other)).toEqual([])
    const headers = gateway.upstream.requests.map(traceparentOf)
    expect(headers.map((header) => [header.slice(3, 35), header.slice(-2)])).toEqual([
      [other, '00'],
      [recorded, '01'],
    ])
  })

  test('that fails by a fault of the provider is recorded whatever the ratio, one that the client spoilt is not', async () => {
    using collector = startTraceCollector()
    await using gateway = await startGateway({ set: tracing(collector, 0) })
    const ask = async (id: string, fields: object): Promise<void> =>
      void (await (await gateway.chat(fields, { headers: { 'x-request-id': id } })).text())
    await ask('wrong', { model: 'nothing' })
    gateway.upstream.script([close])
    await ask('broken', {})
    const [server, attempt] = await spansOf(collector, 'broken')
    expect(server).toMatchObject({ status: { code: 2 }, attributes: { 'http.response.status_code': '502' } })
    expect(attempt).toMatchObject({ status: { code: 2 } })
    expect(collector.spans.map(({ attributes }) => attributes['sluice.request_id'])).not.toContain('wrong')
  })

  test('names no prompt, no answer and no key, and the collector gets its headers', async () => {
    using collector = startTraceCollector()
    await using gateway = await startGateway({
      set: tracing(collector, 1),
      environment: { SLUICE_TRACES_OTLP_HEADERS: 'authorization=Bearer collector, x-team=one' },
    })
    gateway.upstream.script(json(chatCompletion()))
    const messages = [{ role: 'user', content: 'canary-prompt' }]
    await (await gateway.chat({ messages }, { headers: { 'x-request-id': 'quiet' } })).text()
    const text = JSON.stringify(await spansOf(collector, 'quiet'))
    for (const secret of ['canary-prompt', 'Hello', 'sk-slu-']) expect(text).not.toContain(secret)
    const [{ headers } = new Request('http://none')] = collector.requests
    expect([headers.get('authorization'), headers.get('x-team')]).toEqual(['Bearer collector', 'one'])
  })

  test('waits while the collector is busy, and is sent at the stop at the latest', async () => {
    using collector = startTraceCollector()
    {
      await using gateway = await startGateway({ set: tracing(collector, 1) })
      gateway.upstream.script(json(chatCompletion()))
      collector.answerWith(503)
      await (await gateway.chat({}, { headers: { 'x-request-id': 'late' } })).text()
      await until(() => collector.requests.length > 0)
      expect(collector.spans).toEqual([])
      collector.answerWith(200)
    }
    expect((await spansOf(collector, 'late')).map(({ kind }) => kind)).toEqual([2, 3, 1])
  })
})

test('without a collector, the caller’s trace goes to the provider as it is', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script(json(chatCompletion()))
  const traceparent = `00-${'3'.repeat(32)}-${'b'.repeat(16)}-01`
  await (await gateway.chat({}, { headers: { traceparent } })).text()
  expect(traceparentOf(gateway.upstream.requests.at(-1))).toBe(traceparent)
})

test('log.requests writes a line for each call of a model, and none without it', async () => {
  await using gateway = await startGateway({ set: ['log.requests=true'] })
  gateway.upstream.script(json(chatCompletion()))
  await (await gateway.chat({}, { headers: { 'x-request-id': 'logged' } })).text()
  await until(() => gateway.log().includes('a request has ended'))
  const line = gateway
    .log()
    .split('\n')
    .find((each) => each.includes('a request has ended'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'info', requestId: 'logged', status: 200, attempts: 1 })

  await using quiet = await startGateway()
  quiet.upstream.script(json(chatCompletion()))
  await (await quiet.chat({}, { headers: { 'x-request-id': 'quiet' } })).text()
  await quiet.usageOf('quiet')
  expect(quiet.log()).not.toContain('a request has ended')
})

describe('a trace shows', () => {
  test('how long a request waited for its turn', async () => {
    using collector = startTraceCollector()
    await using gateway = await startGateway({ set: tracing(collector, 1) })
    const { id } = gateway.models.plain
    expect((await gateway.operate('PATCH', `/models/${id}`, { max_concurrent: 1 })).status).toBe(200)
    const held = await holdStream(gateway, gateway.models.plain.name)
    gateway.upstream.script(json(chatCompletion()))
    const second = gateway.chat({}, { headers: { 'x-request-id': 'second' } })
    await until(async () => (await gateway.metric('sluice_queue_waiting{kind="model",name="plain"}')) === 1)
    await held.finish()
    await (await second).text()
    const spans = await spansOf(collector, 'second')
    const [server, queue, call] = spans
    expect(spans.map(({ name }) => name).slice(0, 2)).toEqual([server?.name ?? '', 'queue'])
    expect([queue?.parentSpanId, queue?.endTimeUnixNano]).toEqual([server?.spanId, call?.startTimeUnixNano])
    expect((await spansOf(collector, held.requestId)).map(({ name }) => name)).not.toContain('queue')
  })

  test('the stages of a document, and the call for its vectors is a trace of its own', async () => {
    using collector = startTraceCollector()
    await using app = await startDocuments({ set: tracing(collector, 1) })
    const [id] = await app.accepted([{ bytes: 'canary-text of a note' }], { wait_for_completion: true })
    await until(() => collector.spans.some(({ name }) => name === 'document'))
    const [whole, ...stages] = collector.spans.slice(collector.spans.findIndex(({ name }) => name === 'document'))
    expect(whole).toMatchObject({
      kind: 5,
      attributes: { 'sluice.document_id': id, 'sluice.document_outcome': 'completed' },
    })
    expect(stages.map(({ name }) => name)).toEqual(['reading', 'chunking', 'embedding', 'storing'])
    expect(new Set(stages.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([whole?.spanId]))
    expect(JSON.stringify(collector.spans)).not.toContain('canary-text')
  })

  test('which line of which batch a call was made for', async () => {
    using collector = startTraceCollector()
    await using gateway = await startGateway({ set: tracing(collector, 1) })
    const files = clientOf(gateway)
    const body = { model: gateway.models.plain.name, messages: [{ role: 'user', content: 'Hi' }] }
    const line = (id: string) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body })
    gateway.upstream.script(json(chatCompletion()))
    const { id: input_file_id } = await files.uploaded(`${line('one')}\n${line('two')}\n`)
    const fields = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const { id } = (await (await files.create(fields)).json()) as { id: string }
    const ofBatch = () => collector.spans.filter(({ attributes }) => 'sluice.batch_id' in attributes)
    await until(() => ofBatch().length === 2)
    expect(new Set(ofBatch().map(({ attributes }) => attributes['sluice.batch_id']))).toEqual(new Set([id]))
    expect(new Set(ofBatch().map(({ attributes }) => attributes['sluice.batch_line']))).toEqual(new Set(['1', '2']))
    expect(new Set(ofBatch().map(({ name }) => name))).toEqual(new Set(['POST /ai/v1/chat/completions']))
  })
})

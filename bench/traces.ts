/**
 * What does a trace cost a request? All that is done for one, by itself: its ids, the header to the provider, its spans, and its
 * share of an export, for some shares of requests that are recorded.
 *
 * Run by hand: `bun bench/traces.ts`.
 */
import { protobufTraces } from '#observe/traces/otlp-protobuf.ts'
import { RequestTrace, type TracedRequest } from '#observe/traces/request-trace.ts'
import type { Span } from '#observe/traces/span.ts'
import { traceContext } from '#observe/traces/trace-context.ts'
import { median } from './measure.ts'

const requests = 200_000
const rounds = 9
const batchSpans = 512
const resource = { 'service.name': 'sluice', 'service.version': '0.0.0', 'service.instance.id': crypto.randomUUID() }
const ended: TracedRequest = {
  at: 1_760_000_000_000,
  requestId: 'req_0123456789abcdef0123456789abcdef',
  endpoint: 'chat/completions',
  modelAsked: 'chat',
  modelServed: 'chat',
  provider: 'vendor',
  status: 200,
  code: null,
  streamed: true,
  durationMs: 1200,
  queueMs: null,
  firstTokenMs: 200,
  promptTokens: 100,
  completionTokens: 200,
}

/** Bytes sent, so that nothing is left out as unused. */
let sent = 0

function traced(ratio: number): number {
  const headers = new Headers()
  let waiting: Span[] = []
  const startedAt = performance.now()
  for (let index = 0; index < requests; index += 1) {
    const trace = new RequestTrace(traceContext(headers.get('traceparent'), ratio), 0)
    sent += trace.attempt('vendor', 'chat', 1).length
    waiting.push(...trace.spans(ended))
    if (waiting.length < batchSpans) continue
    sent += protobufTraces(waiting, resource).length
    waiting = []
  }
  return ((performance.now() - startedAt) * 1000) / requests
}

console.log('| share that is recorded | µs a request, median | fastest | slowest |\n|---|---|---|---|')
for (const ratio of [0, 0.01, 0.1, 1]) {
  traced(ratio)
  const all = Array.from({ length: rounds }, () => traced(ratio))
  const figures = [median(all), Math.min(...all), Math.max(...all)].map((each) => each.toFixed(2))
  console.log(`| ${ratio * 100} % | ${figures.join(' | ')} |`)
}
if (sent === 0) throw new Error('nothing was sent')

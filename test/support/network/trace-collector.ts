/** A collector of traces: takes OTLP over HTTP as JSON, checks its form, and keeps the spans. */

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events?: readonly { readonly name: string }[]
  readonly status?: { readonly code: number; readonly message: string }
}

export interface TraceCollector extends Disposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Of each export. */
  readonly requests: readonly Request[]
  /** Answers every export with this status from now on. */
  answerWith(status: number): void
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & {
        readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
      })[]
    }[]
  }[]
}

export function startTraceCollector(): TraceCollector {
  const spans: CollectedSpan[] = []
  const requests: Request[] = []
  let status = 200
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      requests.push(request)
      const { resourceSpans } = (await request.json()) as Export
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      if (status !== 200) return new Response(null, { status })
      for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
        spans.push({ ...span, attributes: attributesOf(span.attributes) })
      return Response.json({})
    },
  })
  return {
    url: server.url.origin,
    spans,
    requests,
    answerWith: (next) => void (status = next),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

function attributesOf(
  list: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[],
): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/**
 * A collector of traces: takes OTLP over HTTP, in both of its forms, and keeps the spans. The binary form is decoded by what
 * OpenTelemetry generates from its own .proto files.
 */
import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js'

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

export interface Export {
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
      const { resourceSpans } = await exportOf(request)
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      if (status !== 200) return new Response(null, { status })
      for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
        spans.push({ ...span, attributes: attributesOf(span.attributes ?? []) })
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

/** The export as its JSON form has it. Throws when it is in neither form. */
export async function exportOf(request: Request): Promise<Export> {
  switch (request.headers.get('content-type')) {
    case 'application/json':
      return (await request.json()) as Export
    case 'application/x-protobuf':
      return decodeExport(await request.bytes())
    default:
      throw new Error('an export is JSON or protobuf')
  }
}

interface MessageType {
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): object
}

/** The generated module is typed as any root of messages. */
const { opentelemetry } = root as unknown as {
  readonly opentelemetry: {
    readonly proto: { readonly collector: { readonly trace: { readonly v1: Readonly<Record<string, MessageType>> } } }
  }
}

/** Throws when a field has another type than its number says. */
export function decodeExport(bytes: Uint8Array): Export {
  const message = opentelemetry.proto.collector.trace.v1['ExportTraceServiceRequest']!
  const decoded = message.toObject(message.decode(bytes), { longs: String, enums: Number, bytes: String })
  return JSON.parse(JSON.stringify(decoded), (name, value: unknown) =>
    ids.has(name) ? Buffer.from(String(value), 'base64').toString('hex') : value,
  ) as Export
}

const ids = new Set(['traceId', 'spanId', 'parentSpanId'])

function attributesOf(
  list: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[],
): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/**
 * Spans in the JSON form of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids in hexadecimal,
 * 64-bit numbers as text, enums as numbers.
 */

/** A number that is whole is sent as an integer. Null is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly at: number }[]
  /** The code of what went wrong; null when nothing did. */
  readonly error: string | null
}

const kinds = { internal: 1, server: 2, client: 3 } as const
const statusError = 2

/** The body of one export. */
export function otlpTraces(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'sluice' }, spans: spans.map(otlpSpan) }],
      },
    ],
  })
}

function otlpSpan(span: Span): unknown {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, events, error } = span
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: keyValues(attributes),
    ...(events.length > 0 && {
      events: events.map((event) => ({ name: event.name, timeUnixNano: nanoseconds(event.at) })),
    }),
    ...(error !== null && { status: { code: statusError, message: error } }),
  }
}

/** Whole microseconds: a double holds no finer time of this century. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function keyValues(attributes: Attributes): readonly unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]))
}

function anyValue(value: string | number | boolean): unknown {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

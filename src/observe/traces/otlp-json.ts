/**
 * Spans in the JSON form of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids in hexadecimal,
 * 64-bit numbers as text, enums as numbers.
 */
import { microseconds, scopeName, spanKinds, statusError, type Attributes, type Span } from './span.ts'

/** The body of one export. */
export function jsonTraces(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: scopeName }, spans: spans.map(jsonSpan) }],
      },
    ],
  })
}

function jsonSpan(span: Span): unknown {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, events, error } = span
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: keyValues(attributes),
    ...(events.length > 0 && {
      events: events.map((event) => ({ name: event.name, timeUnixNano: nanoseconds(event.at) })),
    }),
    ...(error !== null && { status: { code: statusError, message: error } }),
  }
}

function nanoseconds(ms: number): string {
  return `${microseconds(ms)}000`
}

function keyValues(attributes: Attributes): readonly unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]))
}

function anyValue(value: string | number | boolean): unknown {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

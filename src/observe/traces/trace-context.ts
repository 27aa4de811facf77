/** W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a request belongs to, in and out. */

export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string
  /** The caller's span, 16 hexadecimal digits; null at the beginning of a trace. */
  readonly parentId: string | null
  /** Whether the trace is recorded, as its beginning has decided. */
  readonly sampled: boolean
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** The caller's trace, or a new one, of which `ratio` are recorded. A header that is not valid counts as none. */
export function traceContext(header: string | null, ratio: number): TraceContext {
  const [, traceId, parentId, flags] = (header === null ? null : pattern.exec(header)) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined)
    return { traceId: randomHex(16), parentId: null, sampled: Math.random() < ratio }
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header for a call that a span makes. */
export function traceparent({ traceId, sampled }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** An id that no other span has. */
export function newSpanId(): string {
  return randomHex(8)
}

const randomBytes = Buffer.alloc(4096)
let used = randomBytes.length

/** Random bytes are fetched in one call for many ids: a call for each would cost more than the id. */
function randomHex(bytes: number): string {
  if (used + bytes > randomBytes.length) {
    crypto.getRandomValues(randomBytes)
    used = 0
  }
  used += bytes
  return randomBytes.toString('hex', used - bytes, used)
}

/** What a span is, whatever form it is sent in. */

/** A whole number is sent as an integer. Null is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'consumer'
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly at: number }[]
  /** The code of the failure; null when there was none. */
  readonly error: string | null
}

/** As OTLP numbers them. */
export const spanKinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const

/** As OTLP numbers it. */
export const statusError = 2

/** The library that makes the spans. */
export const scopeName = 'sluice'

/** Whole microseconds: a double has no finer time of this century. */
export function microseconds(ms: number): number {
  return Math.round(ms * 1000)
}

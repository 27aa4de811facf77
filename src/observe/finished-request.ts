/** What metrics and traces take of a request. */

/** A request that has ended. */
export interface FinishedRequest {
  /** The route, not the path. */
  readonly endpoint: string
  /** Canonical name; null when the request named no model of the catalog. */
  readonly modelServed: string | null
  /** The catalog's name of the provider that served it, or was tried last; null for none. */
  readonly provider: string | null
  readonly status: number
  /** Null when the request succeeded. */
  readonly code: string | null
  readonly streamed: boolean
  readonly durationMs: number
  /** Time in a queue; null where nothing queued. */
  readonly queueMs: number | null
  readonly firstTokenMs: number | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

/**
 * Sends spans to a collector by OTLP over HTTP, behind the requests: they wait in a bounded queue, and what does not fit is
 * dropped and counted.
 */
import { jsonTraces } from './otlp-json.ts'
import { protobufTraces } from './otlp-protobuf.ts'
import type { Attributes, Span } from './span.ts'

/** The forms of an export, by the names that OTEL_EXPORTER_OTLP_PROTOCOL has for them. */
const protocols = {
  'http/protobuf': { contentType: 'application/x-protobuf', encode: protobufTraces },
  'http/json': { contentType: 'application/json', encode: jsonTraces },
} as const

export interface TraceExporterOptions {
  /** Base address of the collector; `/v1/traces` is added. */
  readonly url: string
  readonly protocol: keyof typeof protocols
  readonly headers: Readonly<Record<string, string>>
  /** What the spans are about: the service. */
  readonly resource: Attributes
  readonly queueMax?: number
}

const batchSpans = 512
const answerTimeoutMs = 10_000

/** Statuses after which the same spans may be sent again: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])

export class TraceExporter {
  readonly #options: TraceExporterOptions
  #queue: Span[] = []
  #dropped = 0

  constructor(options: TraceExporterOptions) {
    this.#options = options
  }

  /** Spans that were lost so far. */
  get dropped(): number {
    return this.#dropped
  }

  add(spans: readonly Span[]): void {
    const room = (this.#options.queueMax ?? 20_000) - this.#queue.length
    this.#queue.push(...spans.slice(0, Math.max(0, room)))
    this.#dropped += Math.max(0, spans.length - room)
  }

  /** Sends what waits. Rejects when the collector cannot be reached or is busy: then the spans wait for the next time. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, batchSpans)
      const status = await this.#send(batch).catch((error: unknown) => {
        this.#putBack(batch)
        throw error
      })
      if (status < 300) continue
      if (retryable.has(status)) this.#putBack(batch)
      else this.#dropped += batch.length
      throw new Error(`the collector of traces answered ${status}`)
    }
  }

  async #send(batch: readonly Span[]): Promise<number> {
    const { url, protocol, headers, resource } = this.#options
    const { contentType, encode } = protocols[protocol]
    const response = await fetch(`${url.replace(/\/+$/, '')}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body: encode(batch, resource),
      redirect: 'error',
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    await response.arrayBuffer()
    return response.status
  }

  #putBack(batch: readonly Span[]): void {
    const later = this.#queue
    this.#queue = []
    this.add([...batch, ...later])
  }
}

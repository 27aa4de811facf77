/**
 * What is the same of all relays: the settings of now, read when they are needed, and what the request holds. An answer
 * has one object of this kind in place of a list of values and a closure for each thing that a relay may do.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { CallWatch } from '../call/call-watch.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import type { Relay, ResponseTracker } from './relay.ts'

/** What relays need of the gateway. */
export interface RelayDeps {
  readonly settings: LiveSettings
  readonly ticker: Ticker
}

/** The request whose answer is relayed. */
export interface RelayedRequest {
  readonly context: RequestContext
  readonly record: RequestRecord
  /** The resources of the request, without those of its call. */
  readonly resources: DisposableStack
}

/** The provider's answer, as `UpstreamAnswer` of upstreams/ has it. */
export interface RelayedAnswer {
  readonly watch: CallWatch
  readonly idleSeconds: number
  takeOver(owner: DisposableStack): DisposableStack
}

export abstract class CallRelay implements Relay {
  readonly context: RequestContext
  readonly record: RequestRecord
  readonly watch: CallWatch
  readonly idleSeconds: number
  readonly ticker: Ticker
  readonly #settings: LiveSettings
  readonly #resources: DisposableStack
  readonly #answer: RelayedAnswer

  constructor({ settings, ticker }: RelayDeps, { context, record, resources }: RelayedRequest, answer: RelayedAnswer) {
    this.context = context
    this.record = record
    this.watch = answer.watch
    this.idleSeconds = answer.idleSeconds
    this.ticker = ticker
    this.#settings = settings
    this.#resources = resources
    this.#answer = answer
  }

  abstract get streamed(): boolean
  abstract get base64Vectors(): boolean
  abstract get stripUsage(): boolean
  abstract tracker(): ResponseTracker

  /** The name under which the client knows the model. */
  protected abstract get modelName(): string

  get rewriteModel(): string | null {
    return this.#settings.get('gateway.rewrite_model') ? this.modelName : null
  }

  get responseHeaders(): readonly string[] {
    return this.#settings.get('gateway.response_headers')
  }

  get keepaliveSeconds(): number {
    return this.#settings.get('gateway.keepalive_seconds')
  }

  get responseBytesMax(): number {
    return this.#settings.get('gateway.max_response_bytes')
  }

  get eventBytesMax(): number {
    return this.#settings.get('gateway.max_event_bytes')
  }

  takeOver(): DisposableStack {
    return this.#answer.takeOver(this.#resources.move())
  }
}

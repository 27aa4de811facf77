/**
 * What is counted of every request that has ended. The labels of most requests are those of an earlier one: what they
 * lead to is looked up once for each kind of request, and not by each request.
 */
import type { FinishedRequest } from './finished-request.ts'
import { genAiRecorder } from './gen-ai-metrics.ts'
import { labelBound, type MetricRegistry } from './metric-registry.ts'

const requestSecondsBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800]
const firstTokenSecondsBuckets = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60]

export interface RequestMetricsOptions {
  /** The codes of our own errors. Others are a provider's own words and count as `other`. */
  readonly codes: Iterable<string>
  /** Also under the names of OpenTelemetry's conventions. */
  readonly genAi?: boolean
}

/** Counts requests, their durations and their tokens in the registry. */
export function requestRecorder(registry: MetricRegistry, options: RequestMetricsOptions) {
  const codes = new Set(options.codes)
  const codeOf = (code: string): string => (codes.has(code) ? code : 'other')
  const endpointLabel = labelBound(50)
  const modelLabel = labelBound(1000)
  const requests = registry.counter({
    name: 'sluice_requests_total',
    help: 'Requests that have ended.',
    labels: ['endpoint', 'model', 'status', 'code'],
  })
  const tokens = registry.counter({
    name: 'sluice_tokens_total',
    help: 'Tokens as the providers report them.',
    labels: ['model', 'direction'],
  })
  const duration = registry.histogram({
    name: 'sluice_request_duration_seconds',
    help: 'From the first header in to the last byte out.',
    labels: ['endpoint', 'streamed'],
    buckets: requestSecondsBuckets,
  })
  const queueWait = registry.histogram({
    name: 'sluice_queue_wait_seconds',
    help: 'How long requests waited for a model or provider with as many as it may have at once.',
    labels: ['model'],
    buckets: firstTokenSecondsBuckets,
  })
  const firstToken = registry.histogram({
    name: 'sluice_first_token_seconds',
    help: "From the first header in to the answer's first byte out.",
    labels: ['model'],
    buckets: firstTokenSecondsBuckets,
  })
  const genAi = options.genAi === true ? genAiRecorder(registry, codeOf) : null
  const known = new KnownKinds((request) => {
    const endpoint = endpointLabel(request.endpoint)
    const model = request.modelServed === null ? 'unknown' : modelLabel(request.modelServed)
    const code = request.code === null ? '' : codeOf(request.code)
    return {
      model,
      requests: requests.at(endpoint, model, String(request.status), code),
      duration: duration.at(endpoint, request.streamed ? 'true' : 'false'),
    }
  })
  return {
    request(request: FinishedRequest): void {
      const kind = known.of(request)
      const { model } = kind
      kind.requests(1)
      kind.duration(request.durationMs / 1000)
      if (request.queueMs !== null) queueWait(request.queueMs / 1000, model)
      if (request.firstTokenMs !== null) (kind.firstToken ??= firstToken.at(model))(request.firstTokenMs / 1000)
      if (request.promptTokens !== null) (kind.input ??= tokens.at(model, 'input'))(request.promptTokens)
      if (request.completionTokens !== null) (kind.output ??= tokens.at(model, 'output'))(request.completionTokens)
      genAi?.(request)
    },
  }
}

/** Recorders for requests that have the same labels; those that not every request needs are made when one does. */
interface RequestKind {
  readonly model: string
  readonly requests: (value: number) => void
  readonly duration: (value: number) => void
  firstToken?: (value: number) => void
  input?: (value: number) => void
  output?: (value: number) => void
}

type KindLabels = Pick<FinishedRequest, 'endpoint' | 'modelServed' | 'status' | 'code' | 'streamed'>

interface KnownKind extends RequestKind {
  readonly labels: KindLabels
}

/** Most models are asked in few ways: what their labels lead to is looked up once. */
class KnownKinds {
  readonly #make: (request: KindLabels) => RequestKind
  readonly #byModel = new Map<string | null, KnownKind[]>()

  constructor(make: (request: KindLabels) => RequestKind) {
    this.#make = make
  }

  of(request: KindLabels): RequestKind {
    const kinds = this.#byModel.get(request.modelServed)
    if (kinds !== undefined) for (const kind of kinds) if (isSame(kind.labels, request)) return kind
    return this.#add(request)
  }

  #add({ endpoint, modelServed, status, code, streamed }: KindLabels): RequestKind {
    // Models come and go, and the codes of a provider are its own words.
    if (this.#byModel.size >= kindsMax) this.#byModel.clear()
    const labels = { endpoint, modelServed, status, code, streamed }
    const kinds = this.#byModel.getOrInsertComputed(modelServed, () => [])
    if (kinds.length >= kindsOfModelMax) kinds.length = 0
    const kind = { ...this.#make(labels), labels }
    kinds.push(kind)
    return kind
  }
}

const kindsMax = 1000
const kindsOfModelMax = 16

function isSame(one: KindLabels, other: KindLabels): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.status === other.status &&
    one.code === other.code &&
    one.streamed === other.streamed
  )
}

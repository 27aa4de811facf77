/**
 * Takes what a request costs of the rates that apply to it, or refuses it. Tokens are reserved by an
 * estimate, and settled when the request has ended.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ModelRecord } from '#catalog/records.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { readRateRule, type RateRule } from '#config/settings/rate-rule.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { RateBuckets, RateCost, RateState } from '#limits/rate-buckets.ts'
import type { AppliedLimit } from '#store/usage/usage-record.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { RateRules, type GroupNameOf } from './rate-rules.ts'

export interface RatedRequest {
  readonly context: RequestContext
  readonly caller: Caller
  readonly model: Model
  /** What the tokens are known from in the end. */
  readonly record: RequestRecord
  /** Length of the prompt as it was sent. */
  readonly bytes: number
  /** Most tokens of the answer; null when the client does not say. */
  readonly outputTokensMax: number | null
}

/** One attempt at an upstream. */
export interface RatedAttempt {
  readonly caller: Caller
  readonly upstream: Upstream
  readonly record: RequestRecord
  readonly bytes: number
  readonly outputTokensMax: number | null
  /** False: the record is of more than this attempt, which keeps what was reserved. */
  readonly settles: boolean
}

/** Bytes of JSON for a token: a coarse mean over languages. */
const bytesPerToken = 4
/** Length of an answer, in tokens, before a model has given any. */
const firstAnswerTokens = 256
/** Part of each answer in the usual length of a model's answers. */
const answerWeight = 0.1

export class RateLimits {
  readonly #settings: LiveSettings
  readonly #buckets: RateBuckets
  readonly #groupNameOf: GroupNameOf
  #written: readonly string[] = []
  /** Those that are taken at admission. */
  #rules: RateRules
  /** Those that name a provider, which are taken at each attempt. */
  #providerRules: RateRules
  /** Usual length of the answers, in tokens, by model id. */
  readonly #answers = new Map<string, number>()

  constructor(settings: LiveSettings, buckets: RateBuckets, groupNameOf: GroupNameOf) {
    this.#settings = settings
    this.#buckets = buckets
    this.#groupNameOf = groupNameOf
    this.#rules = this.#providerRules = new RateRules([], groupNameOf)
  }

  /** Takes the request's cost of every rate; disposing settles it. Null when no rate applies. Answers 429 by throwing. */
  take(request: RatedRequest): Disposable | null {
    this.#read()
    return this.#rules.size === 0 ? null : this.#take(request)
  }

  /** Apart, so that a request without rates makes no closure. */
  #take(request: RatedRequest): Disposable | null {
    const { caller, model, record } = request
    const tokens = this.#estimate(request, model.record)
    const costs = this.#rules.costs({ caller, model: model.record, provider: null }, tokens)
    if (costs.length === 0) return null
    const refused = this.#buckets.take(costs)
    const states = costs.map((cost) => this.#buckets.stateOf(cost))
    record.limited(...states.map((state) => appliedRate(state, refused)))
    if (refused !== null) throw refusal(refused, headersOf(states))
    for (const [name, value] of Object.entries(headersOf(states))) request.context.addHeader(name, value)
    return { [Symbol.dispose]: () => this.#settle({ record, modelId: model.record.id }, costs) }
  }

  /** Whether any rate is taken at admission. */
  get limitsRequests(): boolean {
    this.#read()
    return this.#rules.size > 0
  }

  /** Whether any rate names a provider. */
  get limitsProviders(): boolean {
    this.#read()
    return this.#providerRules.size > 0
  }

  /** The same as `take` for the rates of an attempt's provider, and without headers. */
  takeOfProvider(attempt: RatedAttempt): Disposable | null {
    if (!this.limitsProviders) return null
    const { caller, upstream, record, settles } = attempt
    const tokens = this.#estimate(attempt, upstream.model)
    const costs = this.#providerRules.costs({ caller, model: upstream.model, provider: upstream.provider }, tokens)
    if (costs.length === 0) return null
    const refused = this.#buckets.take(costs)
    record.limited(...costs.map((cost) => appliedRate(this.#buckets.stateOf(cost), refused)))
    if (refused !== null) throw refusal(refused, {})
    return { [Symbol.dispose]: () => settles && this.#settle({ record, modelId: upstream.model.id }, costs) }
  }

  /** The rules of this moment, read once for each change of the setting. */
  #read(): void {
    const written = this.#settings.get('limits.rates')
    if (written !== this.#written) this.#readAgain(written)
  }

  #readAgain(written: readonly string[]): void {
    this.#written = written
    const read = written.flatMap((text) => readRateRule(text) ?? [])
    // One that is written twice counts once.
    const rules = [...new Map(read.map((rule) => [rule.text, rule])).values()]
    const namesProvider = ({ subjects }: RateRule): boolean => subjects.has('provider')
    this.#rules = new RateRules(
      rules.filter((rule) => !namesProvider(rule)),
      this.#groupNameOf,
    )
    this.#providerRules = new RateRules(rules.filter(namesProvider), this.#groupNameOf)
  }

  #estimate(
    { bytes, outputTokensMax }: Pick<RatedRequest, 'bytes' | 'outputTokensMax'>,
    { id, contextLength }: Pick<ModelRecord, 'id' | 'contextLength'>,
  ): number {
    const answer = this.#answers.get(id) ?? firstAnswerTokens
    const estimate = Math.ceil(bytes / bytesPerToken + (outputTokensMax ?? answer))
    // A picture has many bytes and few tokens: no request has more than the model can read.
    return Math.min(estimate, contextLength ?? Infinity)
  }

  #settle({ record, modelId }: Settled, costs: readonly RateCost[]): void {
    const { usage, upstreamStatus, wasLeft } = record
    if (usage !== null) this.#learn(modelId, usage.completionTokens ?? 0)
    const isAnswered = wasLeft || (upstreamStatus !== null && upstreamStatus < 400)
    for (const cost of costs) {
      if (cost.rule.unit !== 'tokens') continue
      // Without a count, an answer keeps what was reserved, and a failure costs nothing.
      const used =
        usage === null ? (isAnswered ? cost.amount : 0) : (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0)
      this.#buckets.settle(cost, used)
    }
  }

  #learn(modelId: string, tokens: number): void {
    const usual = this.#answers.get(modelId) ?? tokens
    this.#answers.set(modelId, usual + answerWeight * (tokens - usual))
  }
}

/** Whose usage settles a cost. */
interface Settled {
  readonly record: RequestRecord
  readonly modelId: string
}

function appliedRate({ rule, remaining }: RateState, refused: RateState | null): AppliedLimit {
  const { text, unit, burst } = rule
  return { kind: 'rate', name: text, unit, limit: burst, left: remaining, refused: rule === refused?.rule }
}

/** `x-ratelimit-*` as OpenAI writes them, of the rate of each unit of which the smallest part is left. */
function headersOf(states: readonly RateState[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const unit of ['requests', 'tokens'] as const) {
    const [scarcest] = states
      .filter(({ rule }) => rule.unit === unit)
      .toSorted((a, b) => a.remaining / a.rule.burst - b.remaining / b.rule.burst)
    if (scarcest === undefined) continue
    headers[`x-ratelimit-limit-${unit}`] = String(scarcest.rule.amount)
    headers[`x-ratelimit-remaining-${unit}`] = String(scarcest.remaining)
    headers[`x-ratelimit-reset-${unit}`] = duration(scarcest.resetMs)
  }
  return headers
}

/** As OpenAI writes a time: `120ms`, `1.5s`, `6m0s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  if (ms <= 59_990) return `${Math.ceil(ms / 10) / 100}s`
  const seconds = Math.ceil(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const rest = `${seconds % 60}s`
  return minutes < 60 ? `${minutes}m${rest}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${rest}`
}

function refusal({ rule, retryMs }: RateState, headers: Readonly<Record<string, string>>): ApiError {
  const waitMs = Math.max(1, Math.ceil(retryMs))
  return new ApiError('rate_limit_exceeded', {
    message: `The limit "${rule.text}" is used up. Try again in ${duration(waitMs)}.`,
    headers: { ...headers, 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(waitMs) },
  })
}

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
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import type { RateBuckets, RateCost, RateState } from '#limits/rate-buckets.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'

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

type GroupIdOf = (name: string) => string | undefined

export class RateLimits {
  readonly #settings: LiveSettings
  readonly #buckets: RateBuckets
  readonly #groupId: GroupIdOf
  #written: readonly string[] = []
  /** Those that are taken at admission. */
  #rules: readonly RateRule[] = []
  /** Those that name a provider, which are taken at each attempt. */
  #providerRules: readonly RateRule[] = []
  /** Usual length of the answers, in tokens, by model id. */
  readonly #answers = new Map<string, number>()

  /** @param groupId the id of the group of this name; rules name groups by either */
  constructor(settings: LiveSettings, buckets: RateBuckets, groupId: GroupIdOf) {
    this.#settings = settings
    this.#buckets = buckets
    this.#groupId = groupId
  }

  /** Takes the request's cost of every rate; disposing settles it. Null when no rate applies. Answers 429 by throwing. */
  take(request: RatedRequest): Disposable | null {
    this.#read()
    if (this.#rules.length === 0) return null
    const { caller, model, record } = request
    const tokens = this.#estimate(request, model.record)
    const names = { model: model.record.name, provider: null }
    const costs = this.#rules.flatMap((rule) => costsOf(rule, { caller, names, tokens, groupId: this.#groupId }))
    if (costs.length === 0) return null
    const refused = this.#buckets.take(costs)
    const states = costs.map((cost) => this.#buckets.stateOf(cost))
    if (refused !== null) throw refusal(refused, headersOf(states))
    for (const [name, value] of Object.entries(headersOf(states))) request.context.addHeader(name, value)
    return { [Symbol.dispose]: () => this.#settle({ record, modelId: model.record.id }, costs) }
  }

  /** Whether any rate names a provider. */
  get limitsProviders(): boolean {
    this.#read()
    return this.#providerRules.length > 0
  }

  /** The same as `take` for the rates of an attempt's provider, and without headers. */
  takeOfProvider(attempt: RatedAttempt): Disposable | null {
    if (!this.limitsProviders) return null
    const { caller, upstream, record, settles } = attempt
    const tokens = this.#estimate(attempt, upstream.model)
    const names = { model: upstream.model.name, provider: upstream.provider.name }
    const costs = this.#providerRules.flatMap((rule) =>
      costsOf(rule, { caller, names, tokens, groupId: this.#groupId }),
    )
    if (costs.length === 0) return null
    const refused = this.#buckets.take(costs)
    if (refused !== null) throw refusal(refused, {})
    return { [Symbol.dispose]: () => settles && this.#settle({ record, modelId: upstream.model.id }, costs) }
  }

  /** The rules of this moment, read once for each change of the setting. */
  #read(): void {
    const written = this.#settings.get('limits.rates')
    if (written === this.#written) return
    this.#written = written
    const rules = written.flatMap((text) => readRateRule(text) ?? [])
    this.#rules = rules.filter(({ subjects }) => !subjects.has('provider'))
    this.#providerRules = rules.filter(({ subjects }) => subjects.has('provider'))
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

interface Costing {
  readonly caller: Caller
  /** The provider is not known at admission. */
  readonly names: { readonly model: string; readonly provider: string | null }
  readonly tokens: number
  readonly groupId: GroupIdOf
}

/** What the request costs of a rule, once for each group that a rule for all groups counts apart; nothing when the rule is not about it. */
function costsOf(rule: RateRule, costing: Costing): readonly RateCost[] {
  const { groupIds } = costing.caller.account
  const wanted = rule.subjects.get('group')
  if (wanted === undefined) return costOf(rule, costing, '')
  const named =
    wanted === '*' ? [...groupIds].filter((id) => id !== everyoneGroupId) : [costing.groupId(wanted) ?? wanted]
  return named.filter((id) => groupIds.has(id)).flatMap((id) => costOf(rule, costing, id))
}

function costOf(rule: RateRule, { caller, names, tokens }: Costing, groupId: string): readonly RateCost[] {
  const values = { user: caller.account.user.email, key: caller.key?.id ?? null, group: groupId, ...names }
  const counted: string[] = []
  for (const [subject, wanted] of rule.subjects) {
    const value = values[subject]
    if (value === null || (subject !== 'group' && wanted !== '*' && value !== wanted)) return []
    counted.push(value)
  }
  // More than the bucket holds could never be taken: such a request waits for all of it, and settles the rest.
  const amount = rule.unit === 'requests' ? 1 : Math.min(tokens, rule.burst)
  return [{ rule, key: `rate ${rule.text} ${counted.join(' ')}`, amount }]
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

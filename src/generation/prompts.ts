/**
 * Answers the prompts of one request: so many at once, each when it is its turn, each by a call of
 * its own, so that one that fails or is slow does not touch the others.
 */
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { AnswerSink } from './answer/answer-sink.ts'
import type { Lane, Place } from './fair-gate.ts'
import { ItemAnswer } from './answer/item-answer.ts'
import type { ModelPlan } from './upstream/model-plan.ts'
import type { ModelSession } from './model-session.ts'
import type { UpstreamPlan } from './upstream/upstream-plan.ts'
import { upstreamBody } from './upstream/upstream-body.ts'

export interface PromptsOptions {
  readonly session: ModelSession
  readonly plan: ModelPlan
  readonly lane: Lane
  readonly sink: AnswerSink
  /** Prompts that are with a provider at once. */
  readonly concurrency: number
  /** The first prompt goes ahead of the others. */
  readonly leaderFirst: boolean
}

/** How long the others wait for the first one at most. */
const leaderMs = 300

export class Prompts {
  readonly #options: PromptsOptions
  readonly #leader = Promise.withResolvers<void>()
  /** Upstreams that have the image, by the id of their model; false for those that did not find it again. */
  readonly #imageKnown = new Map<string, boolean>()
  /** Prompts that are with a provider now. */
  readonly #places = new Set<Place>()
  #next = 0

  constructor(options: PromptsOptions) {
    this.#options = options
  }

  /** Resolves when no prompt is left; never rejects. */
  async answerAll(): Promise<void> {
    const { plan, concurrency, leaderFirst, sink } = this.#options
    const workers = [this.#work()]
    if (leaderFirst && plan.prompts.length > 2) await this.#leaderBegins()
    for (let more = Math.min(concurrency, plan.prompts.length) - 1; more > 0; more -= 1) workers.push(this.#work())
    await Promise.all(workers)
    sink.finished()
  }

  /** Lets other requests have the places of the prompts that are under way, which go on without. */
  leavePlaces(): void {
    for (const place of this.#places) place[Symbol.dispose]()
    this.#places.clear()
  }

  async #leaderBegins(): Promise<void> {
    const timer = setTimeout(() => this.#leader.resolve(), leaderMs)
    await this.#leader.promise
    clearTimeout(timer)
  }

  async #work(): Promise<void> {
    const { plan, session } = this.#options
    while (this.#next < plan.prompts.length && session.ended === null) {
      const index = this.#next
      this.#next += 1
      await this.#answer(index)
      this.#leader.resolve()
    }
    this.#leader.resolve()
  }

  async #answer(index: number): Promise<void> {
    const { session, lane, sink, plan } = this.#options
    using place = await lane.enter()
    if (place === null) return
    this.#places.add(place)
    let answer: ItemAnswer | null = null
    try {
      answer = await this.#call(index)
      this.#leader.resolve()
      for (let texts = await answer.next(); texts !== null; texts = await answer.next()) await sink.texts(index, texts)
      this.#count(answer)
      const { isCutShort, usage } = answer
      await sink.done(index, { incomplete: plan.isConstrained && isCutShort, isCutShort, usage })
    } catch (thrown) {
      const error = session.ended ?? toApiError(thrown)
      await sink.failed(index, error)
    } finally {
      this.#places.delete(place)
      answer?.[Symbol.dispose]()
    }
  }

  /** An upstream that was to have the image and has lost it is sent it again, once. */
  async #call(index: number): Promise<ItemAnswer> {
    const reliedOn = new Set<Upstream>()
    try {
      return await this.#callOnce(index, reliedOn)
    } catch (thrown) {
      const { upstreamStatus } = toApiError(thrown).detail
      if (reliedOn.size === 0 || upstreamStatus === undefined || this.#options.session.ended !== null) throw thrown
      for (const upstream of reliedOn) this.#imageKnown.set(upstream.id, false)
      return await this.#callOnce(index, reliedOn)
    }
  }

  #callOnce(index: number, reliedOn: Set<Upstream>): Promise<ItemAnswer> {
    const { session, plan } = this.#options
    return session.call({
      model: plan.model,
      request: (upstream) => {
        const own = planOf(plan, upstream)
        const imageIsKnown = own.remembersImages && this.#imageKnown.get(upstream.id) === true
        if (imageIsKnown) reliedOn.add(upstream)
        const prompt = plan.prompts[index]
        const text = (own.flavour === 'takeoff' ? prompt?.asSent : prompt?.text) ?? ''
        return { endpoint: own.endpoint, body: upstreamBody({ plan: own, text, image: plan.image, imageIsKnown }) }
      },
      open: async (answer) => {
        const { id } = answer.upstream
        const item = await ItemAnswer.open(answer, planOf(plan, answer.upstream).flavour)
        if (!this.#imageKnown.has(id)) this.#imageKnown.set(id, true)
        return item
      },
    })
  }

  #count({ usage }: ItemAnswer): void {
    const { record } = this.#options.session
    if (usage === null) return
    record.usage = {
      promptTokens: sum(record.usage?.promptTokens, usage.promptTokens),
      completionTokens: sum(record.usage?.completionTokens, usage.completionTokens),
    }
  }
}

function planOf({ plans }: ModelPlan, upstream: Upstream): UpstreamPlan {
  const plan = plans.get(upstream.id)
  if (plan === undefined) throw new ApiError('internal_error', { internal: 'an upstream without a plan was chosen' })
  return plan
}

/** Unknown and unknown is unknown. */
function sum(a: number | null | undefined, b: number | null): number | null {
  return a === null || a === undefined ? b : b === null ? a : a + b
}

/**
 * Which upstreams of a model can honour a request, and what each would be sent. All prompts about one
 * image prefer the same upstream, because engines remember what they have computed of it.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError } from '#errors/api-error.ts'
import { tailStartsFor } from '#lib/tokens/tokens.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { FlavourRegistry } from './flavour.ts'
import type { Image } from '../request/image.ts'
import type { GenerationRequest } from '../request/read-request.ts'
import { planUpstream, type UpstreamPlan } from './upstream-plan.ts'

export interface Prompt {
  /** Shortened to `prompt_max_tokens`. */
  readonly text: string
  readonly asSent: string
}

export interface ModelPlan {
  /** The model with only those upstreams that can honour the request, in the order of preference. */
  readonly model: Model
  /** The key is the id of the upstream. */
  readonly plans: ReadonlyMap<string, UpstreamPlan>
  readonly prompts: readonly Prompt[]
  readonly image: Image | null
  /** The answer has to have a form. */
  readonly isConstrained: boolean
}

/** What planning needs of the server. */
export interface PlanningDeps {
  readonly settings: LiveSettings
  readonly providers: ProviderPool
  readonly flavours: FlavourRegistry
}

/**
 * Answers 422 when no upstream of the model can honour a field, and 429 when too much text waits to be counted, by
 * throwing.
 * @param lane the account, whose texts are counted in turn with those of others
 */
export async function planModel(
  generation: PlanningDeps,
  request: GenerationRequest,
  { model, lane }: { readonly model: Model; readonly lane: string },
): Promise<ModelPlan> {
  const plans = new Map<string, UpstreamPlan>()
  const eligible: Upstream[] = []
  let lacking: string | null = null
  for (const upstream of model.upstreams) {
    const provider = generation.providers.get(upstream.provider)
    if (provider === null) continue
    const flavour = await generation.flavours.of(provider)
    const chatTemplate = generation.settings.get('generation.chat_template')
    const planned = planUpstream(request, upstream, provider, { flavour, chatTemplate })
    if (planned.kind === 'unsupported') {
      lacking ??= planned.field
      continue
    }
    plans.set(upstream.id, planned.plan)
    eligible.push(upstream)
  }
  if (eligible.length === 0 && lacking !== null) throw unsupported(lacking, model)
  const { payload, image } = request
  return {
    model: { ...model, ...(image === null ? { upstreams: eligible } : preferring(eligible, model, image.sha256)) },
    plans,
    prompts: await promptsOf(request, lane),
    image,
    isConstrained: payload.constraint !== null,
  }
}

/**
 * The upstreams in an order that depends on the image alone (rendezvous hashing), within the order
 * that an administrator has given. One that is ejected or resting is passed over as always.
 */
function preferring(
  upstreams: readonly Upstream[],
  model: Model,
  digest: string,
): Pick<Model, 'upstreams' | 'strategy'> {
  const score = (upstream: Upstream): number => Number(Bun.hash(`${digest} ${upstream.id}`) % 1_000_003n)
  const rank = (upstream: Upstream): number => (model.strategy === 'priority' ? upstream.priority : 0)
  const ordered = upstreams.toSorted((a, b) => rank(a) - rank(b) || score(b) - score(a))
  return { strategy: 'priority', upstreams: ordered.map((upstream, priority) => ({ ...upstream, priority })) }
}

/** Counted in tokens of o200k_base: of other models' tokens there may be a few more or fewer. Answers 429 by throwing. */
async function promptsOf({ payload }: GenerationRequest, lane: string): Promise<readonly Prompt[]> {
  const { texts, parameters } = payload
  const tokensMax = parameters.promptMaxTokens
  if (tokensMax === null) return texts.map((text) => ({ text, asSent: text }))
  const starts = await tailStartsFor(lane, texts, tokensMax)
  if (starts === null) throw new ApiError('inflight_limit_exceeded', { message: tooMuchText })
  return texts.map((text, index) => ({ text: text.toWellFormed().slice(starts[index]), asSent: text }))
}

const tooMuchText = 'Too much text of your account waits to be counted. Try again when those requests have finished.'

function unsupported(field: string, { record }: Model): ApiError {
  return new ApiError('unsupported_parameter', {
    param: field,
    message: `The model ${record.name} cannot honour "${field}". Leave it out, or use another model.`,
  })
}

/**
 * What a model refers to: its provider, the components of a composite, the models that rules redirect
 * to. Names become ids here, and a reference that cannot be is refused.
 */
import type { z } from 'zod'
import type { ModelRecord, ModelTarget, Purpose, TrafficRule, TrafficRules } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Admin } from '../admin.ts'
import { compositeFromWire, type composite, type rules } from './routing-fields.ts'

/** The fields of a new or changed model that refer to something else. */
export interface WrittenReferences {
  readonly name?: string | undefined
  readonly provider_id?: string | null | undefined
  readonly upstream_name?: string | null | undefined
  readonly composite?: z.output<typeof composite> | null | undefined
  readonly rules?: z.output<typeof rules> | undefined
  readonly reasoning?: unknown
}

/** What was written, as the record has it; what was not written is left out. */
export interface ModelReferences {
  readonly target?: ModelTarget
  readonly rules?: TrafficRules
  /** Only when the model becomes a composite, which takes that of its components. */
  readonly reasoning?: null
}

/** A new model refers to a provider or to components in any case. */
export interface NewModelReferences extends ModelReferences {
  readonly target: ModelTarget
}

/** The references of a new model. Answers 422 with the field that refers to nothing. */
export async function newModelReferences(admin: Admin, written: WrittenReferences): Promise<NewModelReferences> {
  const { target, ...references } = await readModelReferences(admin, written, null)
  if (target === undefined) throw refused('provider_id', 'expected a provider, or "composite" with components')
  return { ...references, target }
}

/** The references of a changed model, or of a new one. Answers 422 with the field that refers to nothing. */
export async function readModelReferences(
  admin: Admin,
  written: WrittenReferences,
  before: ModelRecord | null,
): Promise<ModelReferences> {
  const models = new KnownModels(await admin.store.models.all())
  const target = await readTarget(admin, written, { before, models })
  const isComposite = (target ?? before?.target)?.kind === 'composite'
  if (isComposite && written.reasoning !== undefined && written.reasoning !== null)
    throw refused('reasoning', 'a composite takes the efforts that all its components take')
  return {
    ...(target && { target }),
    ...(target?.kind === 'composite' && { reasoning: null }),
    ...(written.rules && { rules: readRules(written.rules, { before, models }) }),
  }
}

interface Context {
  readonly before: ModelRecord | null
  readonly models: KnownModels
}

async function readTarget(
  admin: Admin,
  written: WrittenReferences,
  context: Context,
): Promise<ModelTarget | undefined> {
  const plain = {
    providerId: written.provider_id ?? undefined,
    upstreamName: written.upstream_name ?? undefined,
  }
  const isPlain = plain.providerId !== undefined || plain.upstreamName !== undefined
  if (!written.composite) return isPlain ? plainTarget(admin, { ...plain, name: written.name }, context) : undefined
  if (isPlain) throw refused('composite', 'a model has either a provider or components')
  return compositeFromWire(written.composite, componentIds(written.composite, context))
}

/** What was written of a plain model, over what it was before. */
async function plainTarget(
  { store }: Admin,
  { providerId, upstreamName, name }: Partial<Record<'providerId' | 'upstreamName' | 'name', string | undefined>>,
  { before }: Context,
): Promise<ModelTarget> {
  const current = before?.target.kind === 'plain' ? before.target : null
  if (providerId !== undefined && (await store.providers.get(providerId)) === null)
    throw refused('provider_id', 'there is no provider with this id')
  const wanted = providerId ?? current?.providerId
  if (wanted === undefined) throw refused('provider_id', 'expected a provider, for a composite has none')
  const ownName = upstreamName ?? current?.upstreamName ?? name ?? before?.name ?? ''
  return { kind: 'plain', providerId: wanted, upstreamName: ownName }
}

function componentIds({ components }: z.output<typeof composite>, { models, before }: Context): readonly string[] {
  const parent = before && models.compositesOf(before.id)[0]
  if (parent) throw refused('composite', `the model is a component of ${parent.name} itself`)
  const ids: string[] = []
  for (const [index, { model }] of components.entries()) {
    const param = `composite.components.${index}.model`
    const found = models.named(model)
    if (found === undefined) throw refused(param, 'there is no model with this name or id')
    if (found.target.kind === 'composite' || found.id === before?.id)
      throw refused(param, 'a component must be a plain model')
    if (ids.includes(found.id)) throw refused(param, 'the model is a component already')
    ids.push(found.id)
  }
  return ids
}

function readRules(written: z.output<typeof rules>, context: Context): TrafficRules {
  const { realtime, batch } = written
  return {
    ...(realtime && { realtime: readRule(realtime, 'realtime', context) }),
    ...(batch && { batch: readRule(batch, 'batch', context) }),
  }
}

/** At most one redirect is followed, so a redirect to a model that redirects would not do what it says. */
function readRule(
  rule: NonNullable<z.output<typeof rules>['realtime']>,
  purpose: Purpose,
  { before, models }: Context,
): TrafficRule {
  if (rule.action === 'deny') return rule
  const param = `rules.${purpose}.model`
  const target = models.named(rule.model)
  if (target === undefined) throw refused(param, 'there is no model with this name or id')
  if (target.id === before?.id) throw refused(param, 'a model cannot redirect to itself')
  if (target.rules[purpose]?.action === 'redirect') throw refused(param, 'that model redirects such requests itself')
  const source = before && models.redirectingTo(before.id, [purpose])[0]
  if (source) throw refused(param, `${source.name} redirects such requests to this model`)
  return { action: 'redirect', modelId: target.id }
}

/** Answers 409 with the names of the models that refer to one of these; models that leave together do not count. */
export async function requireUnreferenced({ store }: Admin, leaving: readonly ModelRecord[]): Promise<void> {
  const gone = new Set(leaving.map(({ id }) => id))
  const models = new KnownModels((await store.models.all()).filter(({ id }) => !gone.has(id)))
  for (const { id, name } of leaving) {
    const composites = models.compositesOf(id)
    if (composites.length > 0) throw stillReferenced(name, 'is a component of', composites)
    const redirecting = models.redirectingTo(id, ['realtime', 'batch'])
    if (redirecting.length > 0) throw stillReferenced(name, 'is what rules redirect to of', redirecting)
  }
}

const namesShown = 10

function stillReferenced(name: string, how: string, by: readonly ModelRecord[]): ApiError {
  const names = by.slice(0, namesShown).map((model) => model.name)
  const more = by.length > namesShown ? ` and ${by.length - namesShown} more` : ''
  return new ApiError('conflict', {
    message: `${name} ${how} ${names.join(', ')}${more}. Change or delete that first.`,
  })
}

class KnownModels {
  readonly #models: readonly ModelRecord[]

  constructor(models: readonly ModelRecord[]) {
    this.#models = models
  }

  /** The model with this id, name or alias; an id is stronger than a name that looks like one. */
  named(nameOrId: string): ModelRecord | undefined {
    return (
      this.#models.find(({ id }) => id === nameOrId) ??
      this.#models.find(({ name, aliases }) => name === nameOrId || aliases.includes(nameOrId))
    )
  }

  compositesOf(id: string): readonly ModelRecord[] {
    return this.#models.filter(
      ({ target }) => target.kind === 'composite' && target.components.some(({ modelId }) => modelId === id),
    )
  }

  redirectingTo(id: string, purposes: readonly Purpose[]): readonly ModelRecord[] {
    return this.#models.filter(({ rules: written }) =>
      purposes.some((purpose) => {
        const rule = written[purpose]
        return rule?.action === 'redirect' && rule.modelId === id
      }),
    )
  }
}

function refused(param: string, reason: string): ApiError {
  return new ApiError('validation_failed', { param, message: `"${param}": ${reason}.` })
}

/** Makes models of what a provider offers, many at once. */
import { z } from '#lib/schema.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import { guessEndpoint } from '#catalog/guess-endpoint.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { everyoneGroupId } from '#identity/records.ts'
import type { DiscoveredModel } from '#providers/provider.ts'
import { lookUp } from '#pricing/catalogue/look-up.ts'
import { NameTaken } from '#store/errors.ts'
import type { Admin } from '../admin.ts'
import { capabilitiesOnWire, name } from '../fields.ts'
import {
  contextLengthMax,
  groupIds,
  modelAnswer,
  modelCreation,
  modelOnWire,
  newModel,
  requireGroups,
} from '../models/model-record.ts'
import { discover } from './provider-discovery.ts'

export const importedModels = z
  .strictObject({
    ids: z
      .array(z.string().max(200))
      .max(10_000)
      .nullable()
      .default(null)
      .describe("The provider's names of the models; null = all"),
    groups: groupIds.default([everyoneGroupId]).describe('Ids of the groups whose members may call them'),
  })
  .meta({ id: 'ModelImport' })

/** For what a provider says of its models beside the list. */
const describeMs = 10_000

const reason = z.enum(['name_taken', 'not_offered', 'invalid_name'])

export const importAnswer = z
  .strictObject({ imported: z.array(modelAnswer), skipped: z.array(z.strictObject({ id: z.string(), reason })) })
  .meta({ id: 'ImportedModels' })

type Imported = z.input<typeof importAnswer>

/** What was made, and what was not and why. Answers 502 when the provider does not list its models. */
export async function importModels(
  admin: Admin,
  context: RequestContext,
  provider: ProviderRecord,
  body: z.output<typeof importedModels>,
): Promise<Imported> {
  await requireGroups(admin, body.groups)
  const discovery = await discover(admin, context, provider)
  if (discovery.kind === 'failed') {
    throw new ApiError('upstream_error', {
      message: `The provider "${provider.name}" does not list its models. ${discovery.reason}`,
    })
  }
  const offered = new Map(discovery.models.map((model) => [model.id, model]))
  const wanted = new Set(body.ids ?? offered.keys())
  const answer: Imported = { imported: [], skipped: [] }
  const listed = [...wanted].flatMap((id) => offered.get(id) ?? [])
  const described = await describe(admin, context, provider, listed)
  try {
    for (const id of wanted) {
      const model = described.get(id)
      if (model === undefined) answer.skipped.push({ id, reason: 'not_offered' })
      else await importOne(admin, { provider, model, groups: body.groups }, answer)
    }
  } finally {
    // What was made before a failure is there and has to be known.
    await admin.feed.publish([{ kind: 'provider', id: provider.id }])
  }
  return answer
}

/**
 * The models by their ids, with what their provider says of them beside its list and, for the context length, what the
 * vendors' catalogue says.
 */
async function describe(
  { providers }: Admin,
  { signal }: RequestContext,
  record: ProviderRecord,
  models: readonly DiscoveredModel[],
): Promise<ReadonlyMap<string, DiscoveredModel>> {
  const timeout = AbortSignal.timeout(describeMs)
  const more = await providers
    .get(record)
    ?.describe?.(models, AbortSignal.any([signal, timeout]))
    .catch(() => null)
  signal.throwIfAborted()
  const told = more ?? models
  const { kind, baseUrl } = record
  const unknown = told.filter(({ contextLength }) => contextLength === undefined)
  const entries = await lookUp(unknown.map(({ id }) => ({ kind, baseUrl, upstreamName: id }))).catch(() => [])
  const lengths = new Map(unknown.map(({ id }, at) => [id, entries[at]?.contextLength ?? null]))
  return new Map(
    told.map((model) => {
      const contextLength = lengths.get(model.id) ?? null
      return [model.id, { ...model, ...(contextLength !== null && { contextLength }) }]
    }),
  )
}

interface OneImport {
  readonly provider: ProviderRecord
  readonly model: DiscoveredModel
  readonly groups: readonly string[]
}

async function importOne(
  { store, clock }: Admin,
  { provider, model, groups }: OneImport,
  answer: Imported,
): Promise<void> {
  if (!name.safeParse(model.id).success) {
    answer.skipped.push({ id: model.id, reason: 'invalid_name' })
    return
  }
  const { contextLength = null, capabilities = {} } = model
  const known = capabilities.endpoints === undefined ? { endpoints: [guessEndpoint(model.id)], guessed: true } : {}
  const body = modelCreation.parse({
    name: model.id,
    groups: [...groups],
    context_length: contextLength !== null && contextLength <= contextLengthMax ? contextLength : null,
    capabilities: capabilitiesOnWire({ ...capabilities, ...known }),
  })
  const target = { kind: 'plain', providerId: provider.id, upstreamName: model.id } as const
  const record = newModel(body, { target }, clock.now())
  try {
    await store.models.insert(record)
    answer.imported.push(modelOnWire(record))
  } catch (thrown) {
    if (!(thrown instanceof NameTaken)) throw thrown
    answer.skipped.push({ id: model.id, reason: 'name_taken' })
  }
}

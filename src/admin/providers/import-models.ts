/** Makes models of what a provider offers, many at once. */
import { z } from 'zod'
import type { ProviderRecord } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { everyoneGroupId } from '#identity/records.ts'
import type { DiscoveredModel } from '#providers/provider.ts'
import { NameTaken } from '#store/errors.ts'
import type { Admin } from '../admin.ts'
import { name } from '../fields.ts'
import { groupIds, modelAnswer, modelCreation, modelOnWire, newModel, requireGroups } from '../models/model-record.ts'
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
  try {
    for (const id of wanted) {
      const model = offered.get(id)
      if (model === undefined) answer.skipped.push({ id, reason: 'not_offered' })
      else await importOne(admin, { provider, model, groups: body.groups }, answer)
    }
  } finally {
    // What was made before a failure is there and has to be known.
    await admin.feed.publish([{ kind: 'provider', id: provider.id }])
  }
  return answer
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
  const body = modelCreation.parse({
    name: model.id,
    groups: [...groups],
    context_length: Number.isSafeInteger(model.contextLength) ? model.contextLength : null,
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

/** The models of a caller as the Takeoff client lists them: each is a reader of the consumer groups that lead to it. */
import { z } from '#lib/schema.ts'
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { AdmissionDeps } from '../admission/admit.ts'

const reader = z
  .object({
    reader_id: z.string().describe("The model's name"),
    device: z.literal('api'),
    model_name: z.string(),
    model_type: z.null(),
    pids: z.array(z.int()).describe('Always empty: the processes are with the providers'),
    ready: z.boolean().describe('A provider of the model is switched on'),
  })
  .meta({ id: 'Reader' })

type Reader = z.infer<typeof reader>

export const readerGroups = z
  .record(z.string(), z.array(reader))
  .meta({ id: 'ReaderGroups', description: 'By consumer group; each model is a group of its own, too.' })

export const takeoffStatus = z
  .object({
    status: z.object({
      live_readers: z.record(z.string(), reader),
      dead_readers: z.record(z.string(), reader),
    }),
    config: z.object({}),
  })
  .meta({ id: 'TakeoffStatus' })

type Deps = Pick<AdmissionDeps, 'settings' | 'catalog'>

/** GET /reader_groups: what the caller can name as a consumer group. Answers 503 while a model is in doubt. */
export function listReaderGroups(deps: Deps, caller: Caller): z.infer<typeof readerGroups> {
  const models = modelsOf(deps, caller)
  const byName = new Map(
    models.flatMap((each) => [each.record.name, ...each.record.aliases].map((name) => [name, each])),
  )
  const groups = new Map<string, Reader[]>()
  for (const [group, name] of Object.entries(deps.settings.get('generation.consumer_groups'))) {
    const model = byName.get(name)
    if (model !== undefined) groups.set(group, [readerOf(model)])
  }
  for (const model of models) if (!groups.has(model.record.name)) groups.set(model.record.name, [readerOf(model)])
  return Object.fromEntries(groups)
}

/** GET /status: the same models by their names. Answers 503 while a model is in doubt. */
export function takeoffStatusOf(deps: Deps, caller: Caller): z.infer<typeof takeoffStatus> {
  const readers = modelsOf(deps, caller).map((model) => [model.record.name, readerOf(model)] as const)
  const those = (ready: boolean): Record<string, Reader> =>
    Object.fromEntries(readers.filter(([, each]) => each.ready === ready))
  return { status: { live_readers: those(true), dead_readers: those(false) }, config: {} }
}

function modelsOf({ catalog: now }: Deps, caller: Caller): readonly Model[] {
  const catalog = now()
  if (catalog.inDoubt) throw new ApiError('store_unavailable')
  return catalog.listFor(caller)
}

function readerOf({ record, upstreams }: Model): Reader {
  const { name } = record
  return {
    reader_id: name,
    device: 'api',
    model_name: name,
    model_type: null,
    pids: [],
    ready: upstreams.length > 0,
  }
}

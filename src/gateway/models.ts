/** GET /ai/v1/models and GET /ai/v1/models/{id}: what the caller can call, in OpenAI's list shape. */
import type { Model } from '#catalog/catalog.ts'
import { modelObject as anthropicModel, modelPage } from '#dialects/anthropic/models.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { isDenied } from './admission/apply-rules.ts'
import type { Gateway } from './gateway.ts'
import { resolveModel } from './admission/resolve-model.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const parameters = ['group', 'available_for_realtime', 'include_reasoning_capabilities'] as const

/** The list, sorted by id. Answers 400 for a filter that cannot be read, and 503 while a model is in doubt. */
export function listModels(gateway: Pick<Gateway, 'catalog'>, context: RequestContext, caller: Caller): Response {
  const { query } = context
  refuseRepeated(query, parameters)
  const groups = readGroups(query.get('group'), caller)
  const available = readBoolean(query, 'available_for_realtime')
  const withEfforts = readBoolean(query, 'include_reasoning_capabilities') ?? false
  const catalog = gateway.catalog()
  if (catalog.inDoubt) throw new ApiError('store_unavailable')
  const listed = catalog
    .listFor(caller)
    .filter((model) => groups === null || !model.groupIds.isDisjointFrom(groups))
    .filter((model) => available === null || isDenied(model, 'realtime') !== available)
  // Clients of the Anthropic dialect say so, and read another shape.
  if (context.request.headers.has('anthropic-version')) {
    return json(
      modelPage(
        listed.map(({ record }) => ({ id: record.name, createdAt: record.createdAt })),
        query,
      ),
    )
  }
  return json({ object: 'list', data: listed.map((model) => modelObject(model, withEfforts)) })
}

/** One model by name or alias. Answers 404 and 403 as a call of the model would, and 400 as the list does. */
export function getModel(gateway: Pick<Gateway, 'catalog'>, context: RequestContext, caller: Caller): Response {
  const { query, params } = context
  const model = resolveModel(gateway.catalog(), params['model'] ?? '', caller)
  refuseRepeated(query, ['include_reasoning_capabilities'])
  const { record } = model
  if (context.request.headers.has('anthropic-version'))
    return json(anthropicModel({ id: record.name, createdAt: record.createdAt }))
  return json(modelObject(model, readBoolean(query, 'include_reasoning_capabilities') ?? false))
}

function modelObject({ record, ownedBy, supportedEfforts }: Model, withEfforts: boolean) {
  const created = Math.floor(record.createdAt / 1000)
  const object = { id: record.name, object: 'model', created, owned_by: ownedBy }
  return withEfforts && supportedEfforts !== null
    ? { ...object, supported_reasoning_efforts: supportedEfforts }
    : object
}

function refuseRepeated(query: URLSearchParams, names: readonly string[]): void {
  for (const name of names) {
    if (query.getAll(name).length > 1) throw invalidParameter(name, `"${name}" is given more than once.`)
  }
}

/** The groups to filter by that the caller is in, or null for no filter. */
function readGroups(value: string | null, caller: Caller): ReadonlySet<string> | null {
  const ids = (value ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (ids.length === 0) return null
  const malformed = ids.find((id) => !uuidPattern.test(id))
  if (malformed !== undefined) throw new ApiError('invalid_group', { param: 'group' })
  const own = caller.account.groupIds
  return new Set(ids.map((id) => id.toLowerCase()).filter((id) => own.has(id) || id === everyoneGroupId))
}

function readBoolean(query: URLSearchParams, name: (typeof parameters)[number]): boolean | null {
  const value = query.get(name)
  if (value === null) return null
  const word = value.trim().toLowerCase()
  if (word !== 'true' && word !== 'false') throw invalidParameter(name, `"${name}" takes true or false.`)
  return word === 'true'
}

function invalidParameter(param: string, message: string): ApiError {
  return new ApiError('invalid_query_parameter', { param, message })
}

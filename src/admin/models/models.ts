/** Routes of models and their aliases: what has been answered holds for the next request. */
import { pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { Missing } from '#store/errors.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireEditable, requireFound, id } from '../fields.ts'
import { newModelReferences, readModelReferences, requireUnreferenced } from './model-references.ts'
import {
  modelAnswer,
  modelChange,
  modelCreation,
  modelOnWire,
  modelPatch,
  modelVersion,
  newModel,
  requireGroups,
} from './model-record.ts'

const tag = 'Models'

export function modelRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/models',
      access: 'admin',
      operation: 'listAllModels',
      summary: 'List models, active or not',
      query: pageQuery.extend({ provider_id: id.optional().describe('Only the models of this provider') }),
      answer: pageAnswer(modelAnswer),
      errors: ['invalid_cursor'],
      handle: async ({ query: { provider_id: providerId, ...page } }) =>
        pageOnWire(await store.models.list({ ...page, providerId }), modelOnWire),
    }),
    route({
      method: 'POST',
      path: '/models',
      access: 'admin',
      summary: 'Create a model of a provider, or a composite of models',
      body: modelCreation,
      answer: modelAnswer,
      status: 201,
      errors: ['conflict'],
      async handle({ body }) {
        await requireGroups(admin, body.groups)
        const model = newModel(body, await newModelReferences(admin, body), clock.now())
        await referring(() => store.models.insert(model))
        await feed.publish([{ kind: 'model', id: model.id }])
        return modelOnWire(requireFound(await store.models.get(model.id), 'model'))
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed } = admin
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    modelOnWire(requireFound(await store.models.get(params.id), 'model'))
  return [
    route({
      method: 'GET',
      path: '/models/:id',
      access: 'admin',
      summary: 'One model',
      answer: modelAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/models/:id',
      access: 'admin',
      summary: 'Change a model',
      body: modelChange,
      answer: modelAnswer,
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, body, unchanged }) {
        const before = requireEditable(requireFound(await store.models.get(params.id), 'model'))
        await requireGroups(admin, body.groups)
        const references = await readModelReferences(admin, body, before)
        const patch = modelPatch(body, references)
        const changed = await referring(() => store.models.update(before.id, patch, unchanged(modelVersion)))
        const model = requireFound(changed, 'model')
        await feed.publish([{ kind: 'model', id: model.id }])
        return modelOnWire(model)
      },
    }),
    route({
      method: 'DELETE',
      path: '/models/:id',
      access: 'admin',
      summary: 'Delete a model with its aliases; usage records stay',
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, unchanged }) {
        const model = requireEditable(requireFound(await store.models.get(params.id), 'model'))
        await requireUnreferenced(admin, [model])
        await store.models.delete(model.id, unchanged(modelVersion))
        await feed.publish([{ kind: 'model', id: model.id }])
      },
    }),
  ]
}

/** Answers 422 when a record that the model refers to was deleted after it was looked up. */
async function referring<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    if (!(thrown instanceof Missing)) throw thrown
    throw new ApiError('validation_failed', { message: `${thrown.message} It was deleted at this moment.` })
  }
}

/** Routes of providers: records, connection tests, and what kinds there are. */
import { pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { providerPresets } from '#providers/presets.ts'
import { providerKindNames } from '#providers/registry.ts'
import type { Check } from '#store/checked-change.ts'
import { readAllPages } from '../read-all-pages.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireEditable, requireFound } from '../fields.ts'
import { fromCurrent } from '../record-version.ts'
import { requireUnreferenced } from '../models/model-references.ts'
import { importAnswer, importedModels, importModels } from './import-models.ts'
import { discoveryAnswer, testConnection } from './provider-discovery.ts'
import {
  kindOnWire,
  newProvider,
  presetOnWire,
  providerAnswer,
  providerChange,
  providerCreation,
  providerKindAnswer,
  providerOnWire,
  providerPatch,
  providerPresetAnswer,
  providerVersion,
} from './provider-record.ts'

const tag = 'Providers'

export function providerRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin), ...testRoutes(admin), ...importRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed, clock } = admin
  const onWire = (provider: ProviderRecord) => providerOnWire(provider, admin.sealer)
  return [
    route({
      method: 'GET',
      path: '/provider-kinds',
      access: 'admin',
      summary: 'What kinds of provider there are',
      answer: z.strictObject({ data: z.array(providerKindAnswer) }),
      handle: () => ({ data: providerKindNames.map(kindOnWire) }),
    }),
    route({
      method: 'GET',
      path: '/provider-presets',
      access: 'admin',
      summary: 'Known vendors and local servers, to set up a provider with one choice',
      answer: z.strictObject({ data: z.array(providerPresetAnswer) }),
      handle: () => ({ data: providerPresets.map(presetOnWire) }),
    }),
    route({
      method: 'GET',
      path: '/providers',
      access: 'admin',
      summary: 'List providers',
      query: pageQuery,
      answer: pageAnswer(providerAnswer),
      errors: ['invalid_cursor'],
      handle: async ({ query }) => pageOnWire(await store.providers.list(query), onWire),
    }),
    route({
      method: 'POST',
      path: '/providers',
      access: 'admin',
      summary: 'Create a provider',
      body: providerCreation,
      answer: providerAnswer,
      status: 201,
      errors: ['conflict'],
      async handle({ body }) {
        const provider = newProvider(body, clock.now())
        await store.providers.insert(provider)
        await feed.publish([{ kind: 'provider', id: provider.id }])
        return onWire(provider)
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed, sealer } = admin
  const version = (provider: ProviderRecord) => providerVersion(provider, sealer)
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    providerOnWire(requireFound(await store.providers.get(params.id), 'provider'), sealer)
  return [
    route({
      method: 'GET',
      path: '/providers/:id',
      access: 'admin',
      summary: 'One provider',
      answer: providerAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/providers/:id',
      access: 'admin',
      summary: 'Change a provider; running requests go on as they began',
      description:
        'When the change leads to another server (kind, host or port of `base_url`), the credential, headers and secret options must be given again: a stored secret never goes to a new address.',
      body: providerChange,
      answer: providerAnswer,
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, body, unchanged }) {
        const provider = await fromCurrent(version, unchanged, (same) => changeProvider(admin, params.id, body, same))
        await feed.publish([{ kind: 'provider', id: provider.id }])
        return providerOnWire(provider, sealer)
      },
    }),
    route({
      method: 'DELETE',
      path: '/providers/:id',
      access: 'admin',
      summary: 'Delete a provider',
      query: z.strictObject({
        cascade: z.enum(['true', 'false']).default('false').describe('true deletes its models too'),
      }),
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, query, unchanged }) {
        const provider = requireEditable(requireFound(await store.providers.get(params.id), 'provider'))
        const check = unchanged(version)
        // Before its models are gone.
        check?.(provider)
        try {
          await clearModels(admin, provider, query.cascade === 'true')
          await store.providers.delete(provider.id, check)
        } finally {
          // Some models may be gone even when the rest failed.
          await feed.publish([{ kind: 'provider', id: provider.id }])
        }
      },
    }),
  ]
}

async function changeProvider(
  { store }: Admin,
  id: string,
  change: z.output<typeof providerChange>,
  same: (read: ProviderRecord) => Check<ProviderRecord>,
): Promise<ProviderRecord> {
  const before = requireEditable(requireFound(await store.providers.get(id), 'provider'))
  return requireFound(await store.providers.update(id, providerPatch(before, change), same(before)), 'provider')
}

function testRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'POST',
      path: '/providers/test',
      access: 'admin',
      operation: 'testNewProvider',
      summary: 'Ask a provider for its models without saving it',
      description: 'Always answers 200: `ok` says how it went.',
      body: providerCreation,
      answer: discoveryAnswer,
      handle: ({ body, context }) => testConnection(admin, context, newProvider(body, admin.clock.now())),
    }),
    route({
      method: 'POST',
      path: '/providers/:id/test',
      access: 'admin',
      summary: 'Ask a saved provider for its models',
      description: 'Always answers 200: `ok` says how it went.',
      answer: discoveryAnswer,
      handle: async ({ params, context }) =>
        testConnection(admin, context, requireFound(await admin.store.providers.get(params.id), 'provider')),
    }),
  ]
}

function importRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Models')
  const { store } = admin
  return [
    route({
      method: 'POST',
      path: '/providers/:id/import-models',
      access: 'admin',
      operation: 'importModels',
      summary: 'Create many models that the provider offers',
      description:
        'A model whose name is taken is skipped, as is one that the provider does not offer or whose name has blanks.',
      body: importedModels,
      answer: importAnswer,
      errors: ['upstream_error'],
      handle: async ({ params, body, context }) =>
        importModels(admin, context, requireFound(await store.providers.get(params.id), 'provider'), body),
    }),
  ]
}

const namesShown = 10

/**
 * Deletes the provider's models if that was asked for. Answers 409 with their names if not, or when
 * other models refer to one of them; 403 when one is declared.
 */
async function clearModels(admin: Admin, provider: ProviderRecord, cascade: boolean): Promise<void> {
  const { store } = admin
  const models = await readAllPages((page) => store.models.list({ ...page, providerId: provider.id }))
  if (models.length > 0 && !cascade) {
    const names = models.slice(0, namesShown).map((model) => model.name)
    const more = models.length > namesShown ? ` and ${models.length - namesShown} more` : ''
    throw new ApiError('conflict', {
      message: `The provider still has models: ${names.join(', ')}${more}. Delete them first, or with ?cascade=true.`,
    })
  }
  for (const model of models) requireEditable(model)
  await requireUnreferenced(admin, models)
  for (const model of models) await store.models.delete(model.id)
}

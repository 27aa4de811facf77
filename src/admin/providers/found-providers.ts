/** What could be a provider and is not one yet: model servers on this machine, and vendors whose key is in its environment. */
import { z } from '#lib/schema.ts'
import { processEnvironment } from '#config/sources/environment.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { discoverProviders } from '#providers/discover-local.ts'
import { presetBaseUrl, providerPresets } from '#providers/presets.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'

const foundAnswer = z
  .strictObject({
    data: z.array(
      z.strictObject({
        preset: z.string(),
        title: z.string(),
        where: z.string().describe('An address on this machine, or the name of an environment variable'),
        models: z.int().nullable().describe('How many models it has; null for a vendor, which is not asked'),
      }),
    ),
  })
  .meta({ id: 'FoundProviders' })

export function foundProvidersRoute(admin: Admin): Route<Caller> {
  const { store, settings } = admin
  return endpointsOf(
    admin,
    'Providers',
  )({
    method: 'GET',
    path: '/providers/found',
    access: 'admin',
    operation: 'findProviders',
    summary: 'Look for model servers on this machine and for keys of vendors in its environment',
    description:
      'Takes 0.4 seconds at most. Those whose address a provider has are left out. Empty with `discovery.enabled: false`.',
    answer: foundAnswer,
    report: true,
    async handle() {
      if (!settings.get('discovery.enabled')) return { data: [] }
      const known = new Set((await store.providers.all()).map(({ baseUrl }) => baseUrl))
      const found = await discoverProviders({
        environment: processEnvironment(),
        exceptPorts: [settings.get('server.port')],
      })
      const addressOf = (name: string): string | undefined => {
        const preset = providerPresets.find((each) => each.name === name)
        return preset && presetBaseUrl(preset)
      }
      return {
        data: found
          .filter(({ name }) => !known.has(addressOf(name) ?? ''))
          .map(({ name, title, where, models }) => ({ preset: name, title, where, models: models?.length ?? null })),
      }
    },
  })
}

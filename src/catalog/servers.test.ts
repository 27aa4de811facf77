/** The servers behind one provider: who is in, under which record and id, and what stays when others come and go. */
import { expect, test } from 'bun:test'
import { aComposite, aModel, aProvider } from '#test/support/store/store-records.ts'
import { Catalog } from './catalog.ts'
import type { ProviderRecord, ServerAddress } from './records.ts'
import { lookupOf, serversOf, shownAddress, type FoundServers } from './servers.ts'

const baseUrl = 'http://cluster.test:8000/v1'
const cluster = (fields: Partial<ProviderRecord['servers'] & object> = {}): ProviderRecord =>
  aProvider({ baseUrl, servers: { urls: [], dns: null, strategy: 'affinity', ...fields } })
const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `http://10.0.0.${at + 1}:8000/v1`)
const found = (provider: ProviderRecord, ips: readonly string[]): FoundServers =>
  new Map([[lookupOf(provider)!, ips.map((ip): ServerAddress => ({ baseUrl, ip }))]])
const addresses = (records: readonly ProviderRecord[]) => records.map(({ server }) => shownAddress(server!))

test('a provider without servers is its own record', () => {
  const provider = aProvider()
  expect(serversOf(provider, new Map())).toEqual([provider])
  expect(lookupOf(provider)).toBeNull()
})

test.each([0, 1, 2, 100])('%i further addresses: each is one server beside that of the provider, once', (count) => {
  const urls = urlsOf(count)
  const records = serversOf(cluster({ urls: [...urls, ...urls, baseUrl] }), new Map())
  expect(addresses(records)).toEqual([baseUrl, ...urls])
  expect(records.map((record) => record.baseUrl)).toEqual([baseUrl, ...urls])
})

test('what name servers say stands in place of the host, and leaves further addresses', () => {
  const provider = cluster({ dns: 'a', urls: ['http://other:1/v1'] })
  expect(addresses(serversOf(provider, new Map()))).toEqual([baseUrl, 'http://other:1/v1'])
  const records = serversOf(provider, found(provider, ['10.0.0.1', 'fd00::1']))
  expect(addresses(records)).toEqual(['http://10.0.0.1:8000/v1', 'http://[fd00::1]:8000/v1', 'http://other:1/v1'])
  // The name stays: it is what the server and its certificate are asked for.
  expect(records.map((record) => record.baseUrl)).toEqual([baseUrl, baseUrl, 'http://other:1/v1'])
})

test('a server keeps its record while others come and go, and gets a new one with a new provider', () => {
  const provider = cluster({ dns: 'a' })
  const [first, second] = serversOf(provider, found(provider, ['10.0.0.1', '10.0.0.2']))
  expect(serversOf(provider, found(provider, ['10.0.0.2', '10.0.0.3']))[0]).toBe(second!)
  expect(serversOf(provider, found(provider, ['10.0.0.1']))[0]).not.toBe(first!)
  expect(serversOf({ ...provider }, found(provider, ['10.0.0.2']))[0]).not.toBe(second!)
})

test('a plain model has an upstream at each server, with an id of its own, common caps and its strategy', () => {
  const provider = { ...cluster({ urls: urlsOf(2), strategy: 'latency' }), maxConcurrent: 7 }
  const model = aModel(provider.id, { name: 'm', groupIds: ['everyone'] })
  const [only] = new Catalog({ providers: [provider], models: [model], inflightOverrides: [] }).models
  expect(only).toMatchObject({ strategy: 'latency', ownedBy: provider.name })
  expect(only?.upstreams.map(({ id }) => id)).toEqual([baseUrl, ...urlsOf(2)].map((url) => `${model.id} ${url}`))
  expect(new Set(only?.upstreams.map(({ caps }) => JSON.stringify(caps))).size).toBe(1)
})

test.each([1, 3, 10])('the %i servers of a component share its weight', (count) => {
  const provider = cluster({ urls: urlsOf(count - 1) })
  const alone = aProvider()
  const [one, other] = [aModel(provider.id), aModel(alone.id)]
  const components = [
    { modelId: one.id, weight: 30, priority: 0, enabled: true },
    { modelId: other.id, weight: 10, priority: 0, enabled: true },
  ]
  const composite = aComposite([], { components }, { name: 'both' })
  const contents = { providers: [provider, alone], models: [one, other, composite], inflightOverrides: [] }
  const model = new Catalog(contents).models.find(({ record }) => record.name === 'both')
  expect(model?.upstreams.map(({ weight }) => weight)).toEqual([...Array(count).fill(30 / count), 10])
})

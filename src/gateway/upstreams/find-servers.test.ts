/** Looking up the servers of providers: when it is asked, what counts, and what stays when there is no answer. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import { serversOf, shownAddress, type FoundServers } from '#catalog/servers.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loaded } from '#config/test-support.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { createLogger } from '#observe/log.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { findingServers, systemNames, type Service } from './find-servers.ts'
import { UpstreamHealth } from './upstream-health.ts'

const { settings, sources } = loaded({})
const clock = new ManualClock()
const cluster = (host: string, dns: 'a' | 'srv' = 'a'): ProviderRecord =>
  aProvider({ baseUrl: `http://${host}:8000/v1`, servers: { urls: [], dns, strategy: 'affinity' } })
const service = (name: string, port: number, priority = 0): Service => ({ name, port, priority })

/** What the name servers say: an error to reject with, or a promise that never settles. */
const said = new Map<string, readonly string[] | readonly Service[] | Error | 'silence'>()
const asked: string[] = []
const logged: string[] = []
let state: { catalog: Catalog; providers: ProviderRecord[]; putServers: (found: FoundServers) => void }
let published: FoundServers[]
let health: UpstreamHealth

function answerTo<T>(host: string): Promise<readonly T[]> {
  asked.push(host)
  const answer = said.get(host) ?? new Error('ENOTFOUND')
  if (answer === 'silence') return new Promise(() => {})
  return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as readonly T[])
}

beforeEach(() => {
  said.clear()
  asked.length = logged.length = 0
  published = []
  health = new UpstreamHealth(() => ({ failuresToEject: 1, ejectionMs: 1, ejectionMaxMs: 1 }), clock)
  state = {
    catalog: new Catalog({ providers: [], models: [], inflightOverrides: [] }),
    providers: [],
    putServers: (found) => void published.push(found),
  }
})

/** One second of the server. */
function finder(proxyFor: ProxyFor = () => null): () => Promise<void> {
  const logger = createLogger({ level: 'warn', format: 'json', clock, write: (line) => void logged.push(line) })
  const names = { addresses: answerTo<string>, services: answerTo<Service> }
  const look = findingServers({
    settings: new LiveSettings(settings, sources),
    state,
    health,
    clock,
    logger,
    names,
    proxyFor,
  })
  return async () => {
    await look()
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

const serversNow = (provider: ProviderRecord) =>
  serversOf(provider, published.at(-1) ?? new Map()).map(({ server }) => shownAddress(server!))
const addressesOf = (count: number) => Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}`)

describe.each([1, 3, 50, 256, 1000])('of %i addresses', (count) => {
  test('each is a server, at most 256', async () => {
    const provider = cluster('many')
    state.providers = [provider]
    said.set('many', [...addressesOf(count), ...addressesOf(count)])
    await finder()()
    expect(serversNow(provider)).toHaveLength(Math.min(count, 256))
    expect(published).toHaveLength(1)
  })
})

test('a new provider is looked up at once, and then at the interval; only a change is published', async () => {
  const look = finder()
  const provider = cluster('cluster')
  await look()
  state.providers = [aProvider(), provider]
  said.set('cluster', ['10.0.0.2', '10.0.0.1'])
  await look()
  await look()
  expect([asked, published.length]).toEqual([['cluster'], 1])
  said.set('cluster', ['10.0.0.1', '10.0.0.2'])
  clock.advance(10_000)
  await look()
  expect([asked.length, published.length]).toEqual([2, 1])
  said.set('cluster', ['10.0.0.1', '10.0.0.3'])
  clock.advance(10_000)
  await look()
  expect(serversNow(provider)).toEqual(['http://10.0.0.1:8000/v1', 'http://10.0.0.3:8000/v1'])
})

test.each(['an error', 'nothing', 'silence'] as const)(
  'with %s for an answer those that were known stay, and another provider is not held up',
  async (what) => {
    const nothing = what === 'an error' ? new Error('SERVFAIL') : what === 'nothing' ? [] : what
    const look = finder()
    const [provider, other] = [cluster('cluster'), cluster('other')]
    state.providers = [provider, other]
    said.set('cluster', ['10.0.0.1', '10.0.0.2'])
    said.set('other', ['10.0.1.1'])
    await look()
    said.set('cluster', nothing)
    said.set('other', ['10.0.1.2'])
    for (let round = 0; round < 3; round += 1) {
      clock.advance(10_000)
      await look()
    }
    expect(serversNow(provider)).toEqual(['http://10.0.0.1:8000/v1', 'http://10.0.0.2:8000/v1'])
    expect(serversNow(other)).toEqual(['http://10.0.1.2:8000/v1'])
    // Said once, however long it lasts; a question without an answer is not asked again beside itself.
    expect(logged).toHaveLength(nothing instanceof Error ? 1 : 0)
    expect(asked.filter((host) => host === 'cluster')).toHaveLength(nothing === 'silence' ? 2 : 4)
  },
)

test('a provider that is gone, or has another address, is forgotten', async () => {
  const look = finder()
  state.providers = [cluster('one'), cluster('two')]
  said.set('one', ['10.0.0.1']).set('two', ['10.0.0.2'])
  await look()
  expect(published.at(-1)?.size).toBe(2)
  state.providers = [cluster('two')]
  await look()
  expect([...(published.at(-1)?.keys() ?? [])]).toEqual(['a http://two:8000/v1'])
})

test('SRV records name hosts and ports; those of the lowest priority serve', async () => {
  const provider = cluster('_llm._tcp.cluster', 'srv')
  state.providers = [provider]
  said.set('_llm._tcp.cluster', [
    service('b.cluster.', 8002, 1),
    service('a.cluster', 8001, 1),
    service('a.cluster', 8001, 1),
    service('spare.cluster', 8000, 2),
  ])
  await finder()()
  expect(serversNow(provider)).toEqual(['http://a.cluster:8001/v1', 'http://b.cluster:8002/v1'])
})

test('behind a proxy nothing is looked up: the proxy does that itself', async () => {
  state.providers = [cluster('cluster')]
  said.set('cluster', ['10.0.0.1'])
  await finder(() => ({ hostname: 'proxy', port: 1, authorization: null }))()
  expect([asked, published]).toEqual([[], []])
})

test('the health of servers that are gone is forgotten with them', async () => {
  const look = finder()
  const provider = aProvider()
  const model = aModel(provider.id)
  const catalogOf = (models: (typeof model)[]) => new Catalog({ providers: [provider], models, inflightOverrides: [] })
  health.begin(model.id)[Symbol.dispose]()
  health.begin(`${model.id} http://gone`)[Symbol.dispose]()
  state.catalog = catalogOf([model])
  await look()
  expect(health.all().map(([id]) => id)).toEqual([model.id])
})

test('the machine itself knows its own name, and says so when it does not know one', async () => {
  expect(await systemNames.addresses('localhost')).toContain('127.0.0.1')
  const failure = await systemNames.addresses('nothing.invalid').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
})

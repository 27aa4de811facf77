/**
 * How long the server takes for what the lists of the console ask, and how many bytes come over the connection, on a server of
 * many users, keys, models and requests. `bun bench/console/list-pages.ts [PEOPLE MODELS REQUESTS]`
 */
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { startConsoleApp } from '#test/support/app/console-app.ts'
import { aKey, aUsage, aUser } from '#test/support/store/store-records.ts'
import { median } from '../measure.ts'

interface ListSizes {
  readonly people: number
  readonly models: number
  readonly requests: number
}

interface ListPage {
  readonly path: string
  /** Medians. */
  readonly ms: number
  readonly bytes: number
}

const rounds = 5
const batch = 5000
const dayMs = 86_400_000
/** The time over which the requests are spread. */
const days = 30

/** Users, a key for each, models of the practice provider, and requests of all of them. */
async function fillLists(app: AdminApp, { people, models, requests }: ListSizes): Promise<void> {
  const users = Array.from({ length: people }, (_, index) =>
    aUser({ email: `person-${index}@example.org`, name: `Person ${index}` }),
  )
  for (const user of users) await app.store.users.insert(user, null)
  const keys = users.map((user, index) => aKey(user.id, { name: `key ${index}` }))
  for (const key of keys) await app.store.keys.insert(key)
  const provider = (await app.call<{ data: { id: string }[] }>('GET', '/providers')).body.data[0]
  for (let index = 0; index < models; index += 1) {
    const body = { name: `model-${index}`, provider_id: provider?.id, upstream_name: 'demo-chat' }
    await app.call('POST', '/models', { body })
  }
  const now = Date.now()
  for (let first = 0; first < requests; first += batch) {
    const rows = Array.from({ length: Math.min(batch, requests - first) }, (_, offset) => {
      const index = first + offset
      const [userId, keyId] = [users[index % people]?.id ?? null, keys[index % people]?.id ?? null]
      const at = now - Math.floor((days * dayMs * (requests - index)) / requests)
      return aUsage({ at, userId, keyId, modelServed: `model-${index % models}`, streamed: true, firstTokenMs: 100 })
    })
    await app.store.usage.insertMany(rows)
  }
}

/** Each is asked some times, over the connection and compressed as a browser has it. */
async function measureLists(app: AdminApp): Promise<readonly ListPage[]> {
  const ids = async (path: string) =>
    (await app.call<{ data: { id: string }[] }>('GET', path)).body.data.map(({ id }) => id)
  const keyIds = (await ids('/keys?limit=100')).join(',')
  const userIds = (await ids('/users?limit=100')).join(',')
  const paths = [
    '/users?limit=100',
    '/users?limit=100&q=son%20999',
    '/users?limit=100&sort=last_seen&order=desc',
    `/usage/activity?of=user&ids=${userIds}`,
    '/keys?limit=100',
    '/keys?limit=100&q=person-99',
    '/keys?limit=100&sort=name',
    `/usage/activity?of=key&ids=${keyIds}`,
    '/me/models',
    '/me/models/performance',
    '/models?limit=200',
    '/requests?limit=100',
    '/requests?limit=100&provider=practice',
    '/usage/series?bucket=hour&group_by=model&top=5',
    '/usage/series?bucket=hour&group_by=user&top=5',
    '/usage/latency?bucket=hour',
    '/usage/latency?group_by=provider',
    '/usage/latency?group_by=model',
    `/usage/latency?bucket=day&from=${new Date(Date.now() - days * dayMs).toISOString()}`,
    '/me/guide',
    '/groups?limit=100',
    '/providers?limit=100',
    '/provider-health',
    '/budgets',
    '/webhooks',
    '/exports',
    '/settings',
    '//ai/v1/batches?limit=100',
    '//ai/v1/files?limit=100',
    '/audit?limit=100',
  ]
  const pages: ListPage[] = []
  for (const path of paths) pages.push(await measurePage(app, path))
  return pages
}

async function measurePage(app: AdminApp, path: string): Promise<ListPage> {
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now()
    const address = path.startsWith('//') ? path.slice(1) : `/admin/api/v1${path}`
    const answer = await fetch(`${app.url}${address}`, {
      headers: { authorization: `Bearer ${app.adminKey}`, 'accept-encoding': 'gzip' },
      decompress: false,
    })
    bytes = (await answer.arrayBuffer()).byteLength
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    // The first round is not counted.
    if (round > 0) times.push(performance.now() - begun)
  }
  return { path: path.replace(/ids=.*/, 'ids=…'), ms: median(times), bytes }
}

if (import.meta.main) {
  const [people = 10_000, models = 1000, requests = 1_000_000] = process.argv.slice(2).map(Number)
  await using app = await startConsoleApp()
  await fillLists(app, { people, models, requests })
  for (const { path, ms, bytes } of await measureLists(app))
    console.log(`${path.padEnd(56)} ${ms.toFixed(1).padStart(7)} ms ${(bytes / 1000).toFixed(1).padStart(7)} KB`)
}

/** A process that is killed while it looks at a source, and while it fetches a page: another one goes on, and nothing is lost or doubled. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, secretKeyText } from '#test/support/app/cluster.ts'
import { startRemote } from '#test/support/sources/remote.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from '../cli/sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const files = 16

interface SourceOnWire {
  readonly id: string
  readonly last_run: { readonly outcome: string; readonly imported: number; readonly unchanged: number } | null
}

interface DocumentOnWire {
  readonly name: string
  readonly state: string
  readonly version: number
}

describe.skipIf(serverUrl === undefined)(`a process that is killed${reason}`, () => {
  test('in the middle of a run and of a fetch leaves both to the next one', async () => {
    await using resources = new AsyncDisposableStack()
    const cluster = resources.use(await makeCluster(String(serverUrl), 60))
    const remote = resources.use(startRemote())
    for (let at = 0; at < files; at += 1) remote.files.set(`docs/${at}.txt`, `File ${at}.`)
    remote.files.set('site/page.html', '<p>A page.</p>')
    // Until the kill, one file and the page come never.
    const reached = new Set<string>()
    let holds = true
    remote.fault = ({ method, url }) => {
      const name = /(?:docs\/12\.txt|page\.html)$/.exec(url)?.[0]
      if (!holds || method !== 'GET' || name === undefined) return null
      reached.add(name)
      return new Promise(() => undefined)
    }
    const environment = {
      SLUICE_DATABASE_URL: cluster.schema.url,
      SLUICE_SECURITY_SECRET_KEY: secretKeyText,
      SLUICE_DOCUMENTS_SOURCES_ALLOW_PRIVATE: 'true',
      SLUICE_DOCUMENTS_URLS_ALLOW_PRIVATE: 'true',
      SLUICE_DOCUMENTS_LEASE_SECONDS: '2',
    }
    const [one, two] = [0, 1].map(() => resources.use(new Installation(environment)))
    const first = await one!.start()
    const call = async <T>(server: RunningServer, key: string, path: string, body?: object): Promise<T> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await fetch(server.address + path, init)).json()) as T
    }
    const place = { name: 'folder', kind: 'webdav', url: `${remote.origin}/dav/docs/`, user_id: cluster.userId }
    const { id } = await call<SourceOnWire>(first, cluster.adminKey, '/admin/api/v1/sources', place)
    const item = { name: 'page', category: 'web', url: `${remote.origin}/x/site/page.html` }
    await call(first, cluster.userKey, '/api/v1/documents', { files: [item] })
    await until(() => reached.size === 2)
    const second = await two!.start()
    await first.kill()
    holds = false

    let last: SourceOnWire['last_run'] = null
    await until(async () => {
      last = (await call<SourceOnWire>(second, cluster.adminKey, `/admin/api/v1/sources/${id}`)).last_run
      return last !== null
    })
    const { imported, unchanged } = last!
    expect(last).toMatchObject({ outcome: 'completed', failed: 0, errors: [] })
    // What the first one had imported was not imported again.
    expect([imported + unchanged, unchanged > 0, imported > 0]).toEqual([files, true, true])
    let documents: readonly DocumentOnWire[] = []
    await until(async () => {
      const path = '/api/v1/documents?limit=200'
      documents = (await call<{ data: DocumentOnWire[] }>(second, cluster.userKey, path)).data
      return documents.every(({ state }) => state === 'completed' || state === 'failed')
    })
    expect(documents.map(({ name, state, version }) => `${name} ${state} ${version}`).toSorted()).toEqual(
      ['page', ...Array.from({ length: files }, (_each, at) => `${at}.txt`)]
        .map((name) => `${name} completed 1`)
        .toSorted(),
    )
  }, 120_000)
})

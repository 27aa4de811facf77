/** A table that stays locked, as by `alter table` or `vacuum full`, keeps a change from being read: what is refused then. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { holdTables } from '#test/support/store/hold-tables.ts'
import { createKeySecret } from '#identity/api-key.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

const newCluster = (): Promise<Cluster> => makeCluster(String(serverUrl), 10)

describe.skipIf(serverUrl === undefined)(`while a table is locked${reason}`, () => {
  test('a key that has changed is refused on all processes, and every other key works', async () => {
    await using cluster = await newCluster()
    const replicas = [await cluster.start(), await cluster.start(), await cluster.start()] as const
    const [one] = replicas
    const key = await cluster.makeKey(one)
    await using held = await holdTables(cluster.schema, ['api_keys'])
    await held.run(`delete from api_keys where id = '${key.id}'`)
    await publish(cluster, { kind: 'key', id: key.id })
    for (const each of replicas) await until(async () => (await each.statusWith(key.secret)) === 503)
    // They confirm changes as ever, this one by its third heartbeat since.
    for (const value of [3, 4, 5]) await one.admin('PUT', '/settings/limits.realtime_inflight.default', { value })
    for (const each of replicas) {
      await beats(cluster, 3)
      expect([await each.statusWith(cluster.userKey), await each.statusWith(key.secret)]).toEqual([200, 503])
    }
    expect(await refusal(one, key.secret)).toBe('store_unavailable')
    await held.release()
    for (const each of replicas) await until(async () => (await each.statusWith(key.secret)) === 401)
  })

  test('a key that nobody knows is not called invalid, since it may be the new one', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const { secret } = createKeySecret()
    expect(await one.statusWith(secret)).toBe(401)
    await using held = await holdTables(cluster.schema, ['api_keys'])
    await publish(cluster, { kind: 'key', id: crypto.randomUUID() })
    await until(async () => (await one.statusWith(secret)) === 503)
    expect(await one.statusWith(cluster.userKey)).toBe(200)
    await held.release()
    await until(async () => (await one.statusWith(secret)) === 401)
  })

  test('the keys of a user who has changed are refused, and those of others work', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    await using held = await holdTables(cluster.schema, ['users'])
    await publish(cluster, { kind: 'user', id: cluster.userId })
    await until(async () => (await one.statusWith(cluster.userKey)) === 503)
    expect(await one.statusWith(cluster.adminKey)).toBe(200)
    await held.release()
    await until(async () => (await one.statusWith(cluster.userKey)) === 200)
  })

  test('a model, or the models of a provider, that have changed are refused, and the others serve', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const model = (await addPractice(one, 'a'))[0]!
    const others = await addPractice(one, 'b')
    const statusOf = (name: string): Promise<number> => chat(one, cluster.userKey, name)
    for (const change of [
      { kind: 'model', id: model.id },
      { kind: 'provider', id: model.providerId },
    ]) {
      await using held = await holdTables(cluster.schema, ['models'])
      await publish(cluster, change)
      await until(async () => (await statusOf(model.name)) === 503)
      expect(await statusOf(others[0]!.name)).toBe(200)
      // A list of all, and a name that is not there, would be old.
      expect([await one.statusWith(cluster.userKey), await statusOf('not-there')]).toEqual([503, 503])
      await held.release()
      await until(async () => (await statusOf(model.name)) === 200)
      expect([await one.statusWith(cluster.userKey), await statusOf('not-there')]).toEqual([200, 404])
    }
  })

  test.each(['api_keys', 'users', 'models', 'providers', 'settings'])(
    'nothing is refused because of what nobody was promised: a killed process, a write without an answer (%s)',
    async (table) => {
      await using cluster = await makeCluster(String(serverUrl), 2)
      const replicas = [await cluster.start(), await cluster.start()] as const
      const [model] = await addPractice(replicas[0], 'a')
      const hidden = await cluster.makeKey(replicas[0])
      const deletion = `delete from api_keys where id = '${hidden.id}'`
      if (table !== 'api_keys') await cluster.schema.run(deletion)
      await using held = await holdTables(cluster.schema, [table])
      if (table === 'api_keys') await held.run(deletion)
      await publish(cluster, { kind: 'unknown' })
      // They confirm it at once, and serve as before.
      await beats(cluster, 6)
      for (const each of replicas) {
        expect(await each.statusWith(cluster.userKey)).toBe(200)
        expect(await chat(each, cluster.userKey, model!.name)).toBe(200)
      }
      await held.release()
      for (const each of replicas) await until(async () => (await each.statusWith(hidden.secret)) === 401)
    },
  )

  test('an administrator names what was changed and nothing wider', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const [model] = await addPractice(one, 'a')
    const { id, providerId } = model!
    const user = await one.admin<{ id: string }>('POST', '/users', { email: 'gone@example.org', name: 'Gone' })
    await one.admin('PATCH', `/models/${id}`, { description: 'changed' })
    await one.admin('PUT', `/models/${id}/inflight-limits/${user.id}`, { limit: 2 })
    await one.admin('DELETE', `/models/${id}/inflight-limits/${user.id}`)
    await one.admin('DELETE', `/models/${id}`)
    await one.admin('PATCH', `/providers/${providerId}`, { enabled: false })
    await one.admin('DELETE', `/users/${user.id}`)
    const entries = await cluster.schema.run('select entry from changes order by version')
    const named = entries.flatMap(({ entry }) => JSON.parse(String(entry)) as { kind: string; id?: string }[])
    expect(named.slice(-7)).toEqual([
      { kind: 'user', id: user.id },
      ...Array.from({ length: 4 }, () => ({ kind: 'model', id })),
      { kind: 'provider', id: providerId },
      { kind: 'user', id: user.id },
    ])
  })
})

/** What a process does that has changed this and was not held up. */
async function publish({ schema }: Cluster, change: { readonly kind: string; readonly id?: string }): Promise<void> {
  await schema.run(`
    with next as (update change_counter set version = version + 1 returning version)
    insert into changes select version, '${JSON.stringify([change])}' from next`)
}

/** Resolves when every process has sent so many heartbeats. */
async function beats({ schema }: Cluster, count: number): Promise<void> {
  const seen = new Map<string, Set<string>>()
  await until(async () => {
    for (const { id, beat } of await schema.run('select id, beat from replicas')) {
      const own = seen.get(String(id)) ?? new Set<string>()
      seen.set(String(id), own.add(String(beat)))
    }
    return [...seen.values()].every(({ size }) => size > count)
  })
}

interface PracticeModel {
  readonly id: string
  readonly name: string
  readonly providerId: string
}

/** A provider with models that everybody may use, whose names end with this. */
async function addPractice(on: TestReplica, suffix: string): Promise<readonly PracticeModel[]> {
  const provider = await on.admin<{ id: string }>('POST', '/providers', { name: `practice-${suffix}`, kind: 'demo' })
  const body = { name: `chat-${suffix}`, provider_id: provider.id, upstream_name: 'demo-chat' }
  const { id, name } = await on.admin<{ id: string; name: string }>('POST', '/models', body)
  return [{ id, name, providerId: provider.id }]
}

async function chat(on: TestReplica, key: string, model: string): Promise<number> {
  const answer = await fetch(`${on.url}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 }),
  })
  await answer.arrayBuffer()
  return answer.status
}

async function refusal(on: TestReplica, key: string): Promise<string> {
  const answer = await fetch(`${on.url}/ai/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  return ((await answer.json()) as { error: { code: string } }).error.code
}

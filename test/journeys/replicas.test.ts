/** Several processes on one PostgreSQL: what is changed on one holds on all when the change is answered. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, secretKeyText, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { openLine, type NetworkLine } from '#test/support/network/network-line.ts'
import { Installation } from '../cli/sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

/** Seconds after which a silent process counts as gone, in the tests that wait for it. */
const shortTimeoutSeconds = 1

/** With a time-out that no test outlasts, unless it waits for it. */
const newCluster = (timeoutSeconds = 30): Promise<Cluster> => makeCluster(String(serverUrl), timeoutSeconds)

/** A line to the database server. Opened before the cluster, so that it is there until all processes have stopped. */
async function newLine(): Promise<NetworkLine & { readonly to: (cluster: Cluster) => string }> {
  const { hostname, port } = new URL(String(serverUrl))
  const line = await openLine({ host: hostname, port: Number(port || '5432') })
  return {
    ...line,
    to({ schema }) {
      const url = new URL(schema.url)
      url.hostname = '127.0.0.1'
      url.port = String(line.port)
      return url.href
    },
  }
}

describe.skipIf(serverUrl === undefined)(`several processes on one database${reason}`, () => {
  test('a key deleted on one is refused on the other by the very next request, and a new one works at once', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const two = await cluster.start()
    for (let round = 0; round < 100; round += 1) {
      for (const [here, there] of [
        [one, two],
        [two, one],
      ] as const) {
        const key = await cluster.makeKey(here)
        expect(await there.statusWith(key.secret)).toBe(200)
        await here.admin('DELETE', `/keys/${key.id}`)
        expect(await there.statusWith(key.secret)).toBe(401)
      }
    }
  })

  test('of two administrators who are taken away on two processes at the same moment one stays', async () => {
    await using cluster = await newCluster()
    const [one, two] = [await cluster.start(), await cluster.start()]
    const own = await one.admin<{ user: { id: string } }>('GET', '/me')
    for (let round = 0; round < 10; round += 1) {
      const email = `second-${round}@example.org`
      const second = await one.admin<{ id: string }>('POST', '/users', { email, role: 'admin' })
      await Promise.allSettled([
        one.admin('PATCH', `/users/${own.user.id}`, { disabled: true }),
        two.admin('DELETE', `/users/${second.id}`),
      ])
      const left = await cluster.schema.run(`select id from users where role = 'admin' and disabled = 0`)
      expect(left.map(({ id }) => id)).toHaveLength(1)
      await cluster.schema.run(`update users set disabled = 0 where id = '${own.user.id}'`)
      await cluster.schema.run(`delete from users where id = '${second.id}'`)
      for (const replica of [one, two]) await replica.app.state.load()
    }
  })

  test('several keys deleted in one call are refused everywhere', async () => {
    await using cluster = await newCluster()
    const replicas = [await cluster.start(), await cluster.start(), await cluster.start()]
    const [one] = replicas
    const keys = await Promise.all(Array.from({ length: 20 }, () => cluster.makeKey(one!)))
    await one!.admin('POST', '/keys/delete', { ids: keys.map((key) => key.id) })
    const statuses = await Promise.all(keys.flatMap((key) => replicas.map((each) => each.statusWith(key.secret))))
    expect(new Set(statuses)).toEqual(new Set([401]))
  })

  test('a disabled user, a membership, a deleted group, a model and a setting hold everywhere', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const two = await cluster.start()
    const { userId, userKey } = cluster
    const provider = await one.admin<{ id: string }>('POST', '/providers', { name: 'practice', kind: 'demo' })
    const group = await one.admin<{ id: string }>('POST', '/groups', { name: 'team' })
    await one.admin('POST', `/providers/${provider.id}/import-models`, { groups: [group.id] })
    expect(await two.modelsOf(userKey)).toEqual([])
    await two.admin('PUT', `/users/${userId}/groups/${group.id}`)
    expect(await one.modelsOf(userKey)).toContain('demo-chat')
    expect(await two.modelsOf(userKey)).toContain('demo-chat')
    await one.admin('DELETE', `/groups/${group.id}`)
    expect(await two.modelsOf(userKey)).toEqual([])

    await one.admin('PUT', '/settings/limits.realtime_inflight.default', { value: 3 })
    const { data } = await two.admin<{ data: { name: string; value: unknown }[] }>('GET', '/settings')
    expect(data.find(({ name }) => name === 'limits.realtime_inflight.default')?.value).toBe(3)

    await one.admin('PATCH', `/users/${userId}`, { disabled: true })
    expect(await two.statusWith(userKey)).toBe(401)
    await two.admin('PATCH', `/users/${userId}`, { disabled: false })
    expect(await one.statusWith(userKey)).toBe(200)
  })

  test('a hundred concurrent changes from both sides end in equal memories', async () => {
    await using cluster = await newCluster()
    const replicas = [await cluster.start(), await cluster.start()]
    const changes = Array.from({ length: 100 }, async (_each, index) => {
      const [here, there] = index % 2 === 0 ? [replicas[0]!, replicas[1]!] : [replicas[1]!, replicas[0]!]
      const key = await cluster.makeKey(here)
      const kept = index % 3 !== 0
      if (!kept) await there.admin('DELETE', `/keys/${key.id}`)
      return { key, kept }
    })
    for (const { key, kept } of await Promise.all(changes)) {
      for (const each of replicas) expect(await each.statusWith(key.secret)).toBe(kept ? 200 : 401)
    }
  })

  test('a process that joins while changes are made misses none', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    let joining = true
    const deleted: string[] = []
    const changing = (async () => {
      while (joining) {
        const key = await cluster.makeKey(one)
        await one.admin('DELETE', `/keys/${key.id}`)
        deleted.push(key.secret)
      }
    })()
    const joined: TestReplica[] = []
    for (let count = 0; count < 5; count += 1) joined.push(await cluster.start())
    joining = false
    await changing
    expect(deleted.length).toBeGreaterThan(0)
    for (const each of joined) for (const secret of deleted) expect(await each.statusWith(secret)).toBe(401)
  })

  test('one that stops leaves, and nobody waits for it', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const two = await cluster.start()
    expect(await cluster.registered()).toHaveLength(2)
    await two.app.close()
    expect(await cluster.registered()).toHaveLength(1)
    await one.app.close()
    expect(await cluster.registered()).toEqual([])
  })
})

describe.skipIf(serverUrl === undefined)(`a process that cannot hear of changes${reason}`, () => {
  test('answers 503 once a deletion was answered elsewhere, and comes back when its line does', async () => {
    await using line = await newLine()
    await using cluster = await newCluster(shortTimeoutSeconds)
    const one = await cluster.start()
    const two = await cluster.start(line.to(cluster))
    const key = await cluster.makeKey(one)
    expect(await two.statusWith(key.secret)).toBe(200)
    line.silence()
    await one.admin('DELETE', `/keys/${key.id}`)
    expect(await two.statusWith(key.secret)).toBe(503)
    expect(await two.statusWith(cluster.userKey)).toBe(503)
    expect((await fetch(`${two.url}/readyz`)).status).toBe(503)
    line.restore()
    await until(async () => (await two.statusWith(cluster.userKey)) === 200)
    expect(await two.statusWith(key.secret)).toBe(401)
    await one.admin('DELETE', `/keys/${(await cluster.makeKey(two)).id}`)
  })

  test('never answers 200 for a deleted key when its connections break in the middle of the deletion', async () => {
    await using line = await newLine()
    await using cluster = await newCluster(shortTimeoutSeconds)
    const one = await cluster.start()
    const two = await cluster.start(line.to(cluster))
    for (let round = 0; round < 30; round += 1) {
      const key = await cluster.makeKey(one)
      const deletion = one.admin('DELETE', `/keys/${key.id}`)
      line.breakAll()
      await deletion
      expect([401, 503]).toContain(await two.statusWith(key.secret))
    }
    const key = await eventually(() => cluster.makeKey(two))
    expect(await two.statusWith(key.secret)).toBe(200)
  })

  test('stops answering at once when its clock shows that it slept, and goes on after the next heartbeat', async () => {
    await using line = await newLine()
    await using cluster = await newCluster(shortTimeoutSeconds)
    const two = await cluster.start(line.to(cluster))
    line.silence()
    two.advance(shortTimeoutSeconds * 1000)
    expect(await two.statusWith(cluster.userKey)).toBe(503)
    line.restore()
    await until(async () => (await two.statusWith(cluster.userKey)) === 200)
  })

  test('comes back by itself when the server has ended all connections', async () => {
    await using cluster = await newCluster(shortTimeoutSeconds)
    const { schema, userKey } = cluster
    const name = crypto.randomUUID()
    const one = await cluster.start(`${schema.url}&application_name=${name}`)
    const two = await cluster.start(`${schema.url}&application_name=${name}`)
    const ended = await schema.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`,
    )
    expect(ended.length).toBeGreaterThanOrEqual(2)
    const key = await eventually(() => cluster.makeKey(one))
    await until(async () => (await two.statusWith(key.secret)) === 200)
    await eventually(() => two.admin('DELETE', `/keys/${key.id}`))
    await until(async () => (await one.statusWith(userKey)) === 200)
    expect(await one.statusWith(key.secret)).toBe(401)
  })

  test('a change whose publication failed is told to the others later', async () => {
    await using cluster = await newCluster(shortTimeoutSeconds)
    const one = await cluster.start()
    const two = await cluster.start()
    const key = await cluster.makeKey(one)
    // The log takes nothing and can be read: the deletion is stored and cannot be told.
    await cluster.schema.run('alter table changes add constraint closed check (false) not valid')
    expect(String(await rejection(one.admin('DELETE', `/keys/${key.id}`)))).toContain('500')
    expect(await two.statusWith(key.secret)).toBe(200)
    await cluster.schema.run('alter table changes drop constraint closed')
    await until(async () => (await two.statusWith(key.secret)) === 401)
  })

  test('reads everything again when it is further behind than the log goes back', async () => {
    await using cluster = await newCluster(shortTimeoutSeconds)
    const one = await cluster.start()
    const key = await cluster.makeKey(one)
    // Two entries were added, and the older one, which told of the key, is not kept any more.
    await cluster.schema.run(`delete from api_keys where id = '${key.id}'`)
    await cluster.schema.run(`
      with next as (update change_counter set version = version + 2 returning version)
      insert into changes select version, '[{"kind":"settings"}]' from next`)
    await until(async () => (await one.statusWith(key.secret)) === 401)
  })

  test('that has crashed delays a change until it counts as gone, and the others read everything again', async () => {
    await using cluster = await newCluster(shortTimeoutSeconds)
    await using crashing = new Installation(environmentOf(cluster))
    const server = await crashing.start()
    expect(await server.statusWith(cluster.userKey)).toBe(200)
    const [crashed] = await cluster.registered()
    const one = await cluster.start()
    const key = await cluster.makeKey(one)
    await server.kill()
    // What the crashed one has stored and not told anybody.
    await cluster.schema.run(`delete from api_keys where id = '${key.id}'`)
    await cluster.makeKey(one)
    expect(await cluster.registered()).not.toContain(crashed)
    await until(async () => (await one.statusWith(key.secret)) === 401)
  })

  test('that was frozen does not know deleted keys when it goes on', async () => {
    await using cluster = await newCluster(shortTimeoutSeconds)
    await using frozen = new Installation(environmentOf(cluster))
    const server = await frozen.start()
    const one = await cluster.start()
    for (let round = 0; round < 3; round += 1) {
      const key = await cluster.makeKey(one)
      await until(async () => (await server.statusWith(key.secret)) === 200)
      server.child.kill('SIGSTOP')
      await one.admin('DELETE', `/keys/${key.id}`)
      const answers = Array.from({ length: 10 }, () => server.statusWith(key.secret))
      server.child.kill('SIGCONT')
      for (const status of await Promise.all(answers)) expect([401, 503]).toContain(status)
      await until(async () => (await server.statusWith(cluster.userKey)) === 200)
      expect(await server.statusWith(key.secret)).toBe(401)
    }
  })
})

function environmentOf({ schema }: Cluster): Record<string, string> {
  return {
    SLUICE_DATABASE_URL: schema.url,
    SLUICE_SECURITY_SECRET_KEY: secretKeyText,
    SLUICE_CLUSTER_REPLICA_TIMEOUT_SECONDS: String(shortTimeoutSeconds),
  }
}

/** The first success. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch {
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}

/** Two versions of Sluice on one PostgreSQL: what a migration of the newer one does to the older, under load. */
import { describe, expect, test } from 'bun:test'
import { sealer } from '#lib/seal.ts'
import { migrations } from '#store/migrate.ts'
import { StoreTooNew } from '#store/migrating/schema-state.ts'
import type { ReplicaStore } from '#store/replicas.ts'
import { openStore, type Store } from '#store/store.ts'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { addLoadModel, Load } from '#test/support/app/load.ts'
import { openDatabaseLine } from '#test/support/network/database-line.ts'
import { holdTables } from '#test/support/store/hold-tables.ts'
import { known, nextVersion, secondNextVersion } from '#test/support/store/next-migrations.ts'
import { rejection } from '#test/support/store/store-test.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

const newCluster = (timeoutSeconds = 10): Promise<Cluster> => makeCluster(String(serverUrl), timeoutSeconds)
const draining = ['server.drain_seconds=30', 'server.drain_delay_seconds=1']

/** The processes that clients ask; one leaves before it stops. */
class Fleet {
  readonly #cluster: Cluster
  readonly #running: TestReplica[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  get urls(): readonly string[] {
    return this.#running.map(({ url }) => url)
  }

  async add(version: 'this' | 'next'): Promise<TestReplica> {
    const replica = await this.#cluster.start(
      undefined,
      draining,
      version === 'next' ? { migrations: nextVersion() } : {},
    )
    this.#running.push(replica)
    return replica
  }

  /** Stops the oldest one. */
  async removeFirst(): Promise<void> {
    await this.#running.shift()?.app.close()
  }
}

describe.skipIf(serverUrl === undefined)(`an upgrade and the way back, under load${reason}`, () => {
  test('processes of both versions serve side by side, and a process of the older one starts beside the newer', async () => {
    await using cluster = await newCluster()
    const fleet = new Fleet(cluster)
    const one = await fleet.add('this')
    await addLoadModel(one)
    await fleet.add('this')
    await using load = new Load(() => fleet.urls, cluster)
    for (const version of ['next', 'this', 'next', 'next', 'this', 'this'] as const) {
      const added = await fleet.add(version)
      await load.more(20)
      const key = await cluster.makeKey(added)
      for (const url of fleet.urls) expect(await statusWith(url, key.secret)).toBe(200)
      await added.admin('DELETE', `/keys/${key.id}`)
      for (const url of fleet.urls) expect(await statusWith(url, key.secret)).toBe(401)
      await fleet.removeFirst()
      await load.more(20)
    }
    await load.stop()
    expect(load.failures).toEqual([])
    expect(await applied(cluster)).toContain(known + 1)
  }, 60_000)

  test('a migration waits for a table that is locked, while the older process serves', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    await addLoadModel(one)
    await using load = new Load(() => [one.url], cluster)
    await using held = await holdTables(cluster.schema, ['api_keys'])
    let blocked = 0
    const starting = cluster.start(undefined, [], { migrations: nextVersion(), onBlocked: () => (blocked += 1) })
    // Each try waits half a second at most, so that statements behind it are not held up for longer.
    await until(() => blocked >= 5)
    expect(await applied(cluster)).not.toContain(known + 1)
    await load.more(20)
    await held.release()
    const two = await starting
    await load.more(20)
    await load.stop()
    expect([load.failures, await two.statusWith(cluster.userKey)]).toEqual([[], 200])
    expect(await applied(cluster)).toContain(known + 1)
  }, 60_000)
})

describe.skipIf(serverUrl === undefined)(`a contract step${reason}`, () => {
  test('waits for the last older process to leave, and then refuses those that come back', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    await addLoadModel(one)
    const two = await cluster.start(undefined, [], { migrations: secondNextVersion() })
    const targets = [one.url, two.url]
    await using load = new Load(() => targets, cluster)
    await load.more(20)
    expect(await applied(cluster)).toEqual([...migrations.map(({ version }) => version), known + 1])
    targets.shift()
    await load.more(8)
    await one.app.close()
    // The running process comes back to it by itself.
    await until(async () => (await applied(cluster)).includes(known + 2))
    await load.more(20)
    await load.stop()
    expect(load.failures).toEqual([])
    expect(await rejection(cluster.start())).toBeInstanceOf(StoreTooNew)
    await (await cluster.start(undefined, [], { migrations: nextVersion() })).app.close()
  }, 60_000)

  test('does not wait for an older process that fell silent, which serves nothing when it comes back', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using cluster = await newCluster(2)
    const one = await cluster.start(line.to(cluster.schema))
    await cluster.start(undefined, [], { migrations: secondNextVersion() })
    line.silence()
    await until(async () => (await applied(cluster)).includes(known + 2))
    line.restore()
    await until(() => one.log().includes('newer version of Sluice'))
    expect(await one.statusWith(cluster.userKey)).toBe(503)
    expect(await cluster.registered()).toHaveLength(1)
  }, 60_000)

  test('and older processes that register at the same moment: either it waits, or they are refused', async () => {
    await using cluster = await newCluster()
    await using opening = new AsyncDisposableStack()
    const openOne = async (list = migrations): Promise<Store> => {
      const store = await openStore({ url: cluster.schema.url, sealer: sealer(new Uint8Array(32)), migrations: list })
      opening.defer(() => store.close())
      return store
    }
    const older = (await openOne()).replicas!
    await register(older, 'first')
    let newer = await openOne(secondNextVersion())
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round += 1) {
      await cluster.schema.run("delete from replicas where id = 'first'")
      const ids = ['a', 'b', 'c']
      // From before the step to after it: each asks the database some questions first, and in the last rounds waits.
      const finishing = newer.finishUpgrade()
      const registering = ids.map(async (id, index) => {
        for (let question = 0; question < round * (index + 1); question += 1) await older.all()
        if (round > 20) await finishing
        return register(older, id)
      })
      const [left, ...registered] = await Promise.all([finishing, ...registering])
      const isDone = (await applied(cluster)).includes(known + 2)
      expect(left).toEqual(isDone ? [] : ['next contract'])
      // Done: it saw none of them, and they saw it. Waits: it saw one.
      expect(registered).toEqual(ids.map(() => !isDone))
      outcomes.add(isDone ? 'done' : 'waits')
      if (!isDone) {
        await cluster.schema.run('delete from replicas')
        await register(older, 'first')
        continue
      }
      await undoContract(cluster)
      await register(older, 'first')
      newer = await openOne(secondNextVersion())
    }
    expect(outcomes).toEqual(new Set(['done', 'waits']))
  }, 60_000)
})

/** The database as it was before the step. */
async function undoContract({ schema }: Cluster): Promise<void> {
  await schema.run(`delete from schema_migrations where version = ${known + 2}`)
  await schema.run('update schema_range set needs = 0')
  await schema.run('alter table api_keys alter column fills set default 0')
}

/** Whether the registration was accepted. */
async function register(replicas: ReplicaStore, id: string): Promise<boolean> {
  const session = await replicas.connect({ answerTimeoutMs: 5000, onNotice: () => undefined, onEnd: () => undefined })
  try {
    await session.register({ id, appliedVersion: 0, timeoutMs: 60_000, process: null })
    return true
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(StoreTooNew)
    return false
  } finally {
    await session.close()
  }
}

async function applied({ schema }: Cluster): Promise<readonly number[]> {
  const rows = await schema.run('select version from schema_migrations order by version')
  return rows.map((row) => Number(row['version']))
}

async function statusWith(url: string, secret: string): Promise<number> {
  const answer = await fetch(`${url}/ai/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
  await answer.arrayBuffer()
  return answer.status
}

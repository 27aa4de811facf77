import { describe, expect, test } from 'bun:test'
import { sealer } from '#lib/seal.ts'
import type { ConnectOptions, Notice, ReplicaSession, ReplicaStore } from '#store/replicas.ts'
import { openStore } from '#store/store.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { StoreUnavailable } from '#store/errors.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL names no server)' : ''

interface Opened extends AsyncDisposable {
  readonly schema: PostgresSchema
  readonly replicas: ReplicaStore
  /** The same database through another pool, as another process has it. */
  readonly others: ReplicaStore
  connect(options?: Partial<ConnectOptions>): Promise<ReplicaSession>
}

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack()
  const schema = await makePostgresSchema(String(serverUrl))
  opening.defer(() => schema.drop())
  const openOne = async (): Promise<ReplicaStore> => {
    const store = await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })
    opening.defer(() => store.close())
    return store.replicas!
  }
  const [replicas, others] = [await openOne(), await openOne()]
  const resources = opening.move()
  return {
    schema,
    replicas,
    others,
    async connect(options = {}) {
      const session = await replicas.connect({
        answerTimeoutMs: 5000,
        onNotice: () => undefined,
        onEnd: () => undefined,
        ...options,
      })
      resources.defer(() => session.close())
      return session
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const replica = { id: 'one', appliedVersion: 0, timeoutMs: 1000, process: null }

describe.skipIf(serverUrl === undefined)(`the log and the processes${reason}`, () => {
  test('entries that are added at once have versions without gaps, in the order in which they appear', async () => {
    await using opened = await open()
    const session = await opened.connect()
    const seen: number[] = []
    let adding = true
    const reading = (async () => {
      while (adding) for (const { version } of await session.entriesAfter(seen.at(-1) ?? 0)) seen.push(version)
    })()
    const stores = [opened.replicas, opened.others]
    const versions = await Promise.all(
      Array.from({ length: 200 }, (_each, index) => stores[index % 2]!.append(`entry ${index}`)),
    )
    adding = false
    await reading
    for (const { version } of await session.entriesAfter(seen.at(-1) ?? 0)) seen.push(version)
    const expected = Array.from({ length: 200 }, (_each, index) => index + 1)
    expect(seen).toEqual(expected)
    expect(versions.toSorted((a, b) => a - b)).toEqual(expected)
    expect(await session.version()).toBe(200)
  })

  test('the log keeps the newest thousand entries', async () => {
    await using opened = await open()
    const session = await opened.connect()
    await opened.schema.run('insert into changes select n, $$[]$$ from generate_series(1, 5000) as n')
    await opened.schema.run('update change_counter set version = 5000')
    expect(await opened.replicas.append('newest')).toBe(5001)
    const kept = await session.entriesAfter(0)
    expect(kept).toHaveLength(1000)
    expect(kept.at(-1)).toEqual({ version: 5001, entry: 'newest' })
  })

  test('a process that has beaten since it was seen is not removed; one that has not is, and the entry is added', async () => {
    await using opened = await open()
    const session = await opened.connect()
    await session.register(replica)
    const [before] = await opened.others.all()
    expect(await session.beat(replica, false)).toBe(true)
    expect(await opened.others.remove(before!, 'gone')).toBe(false)
    expect(await session.entriesAfter(0)).toEqual([])

    const [after] = await opened.others.all()
    expect(await opened.others.remove(after!, 'gone')).toBe(true)
    expect(await session.entriesAfter(0)).toEqual([{ version: 1, entry: 'gone' }])
    expect(await session.beat(replica, false)).toBe(false)
    expect(await opened.others.remove(after!, 'gone')).toBe(false)
  })

  test('a process is shown with what it has last told', async () => {
    await using opened = await open()
    const session = await opened.connect()
    await session.register({ ...replica, appliedVersion: 4 })
    expect(await opened.others.all()).toEqual([{ ...replica, appliedVersion: 4, beat: expect.any(String) }])
    await session.beat({ id: replica.id, appliedVersion: 7 }, false)
    expect(await opened.others.all()).toMatchObject([{ appliedVersion: 7 }])
    await session.unregister(replica.id)
    expect(await opened.others.all()).toEqual([])
  })

  test('sessions hear of entries and of what was applied, and nothing from other installations in the database', async () => {
    await using opened = await open()
    await using elsewhere = await open()
    const heard: Notice[] = []
    const session = await opened.connect({ onNotice: (notice) => heard.push(notice) })
    await elsewhere.replicas.append('of another installation')
    await session.register(replica)
    await opened.others.append('ours')
    await session.beat(replica, true)
    // Notifications come before the answer to a statement that is sent after them.
    await session.version()
    expect(heard).toEqual(['changed', 'applied'])
  })

  test('a session that the server ends says so, and its statements are refused as unavailable', async () => {
    await using opened = await open()
    const ended = Promise.withResolvers<void>()
    const session = await opened.connect({ onEnd: ended.resolve })
    await opened.schema.run(`
      select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen "sluice_' || md5(current_schema()) || '"'`)
    await ended.promise
    expect(await rejection(session.version())).toBeInstanceOf(StoreUnavailable)
  })
})

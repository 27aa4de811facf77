import { describe, expect, test } from 'bun:test'
import { until } from '#test/support/until.ts'
import { sealer } from '#lib/seal.ts'
import { sql } from 'kysely'
import { BackupRefused } from '#store/backup.ts'
import { openDatabase } from '#store/database.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { StoreTooNew } from '#store/migrating/schema-state.ts'
import { migrations } from '#store/migrate.ts'
import { openStore, type Store } from '#store/store.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { storeContract } from '#test/support/store/store-contract.ts'
import { openAtOnce } from '#test/support/store/store-processes.ts'
import { aUser } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reasonToSkip = serverUrl === undefined ? 'SLUICE_TEST_POSTGRES_URL names no server' : undefined
const ownSealer = sealer(new Uint8Array(32))

async function withSchema(body: (schema: PostgresSchema) => Promise<void>): Promise<void> {
  const schema = await makePostgresSchema(serverUrl ?? '')
  try {
    await body(schema)
  } finally {
    await schema.drop()
  }
}

async function withStore(body: (store: Store, schema: PostgresSchema) => Promise<void>): Promise<void> {
  await withSchema(async (schema) => {
    const store = await openStore({ url: schema.url, sealer: ownSealer })
    try {
      await body(store, schema)
    } finally {
      await store.close()
    }
  })
}

storeContract(
  'PostgreSQL',
  async () => {
    const schema = await makePostgresSchema(serverUrl ?? '')
    const store = await openStore({ url: schema.url, sealer: ownSealer })
    return {
      store,
      async close() {
        await store.close()
        await schema.drop()
      },
    }
  },
  reasonToSkip,
)

const suite = reasonToSkip === undefined ? describe : describe.skip

suite(reasonToSkip === undefined ? 'PostgreSQL server' : `PostgreSQL server (skipped: ${reasonToSkip})`, () => {
  test('several processes can start on a new database at once', async () => {
    await withSchema(async (schema) => {
      const results = await openAtOnce(schema.url, 5)
      expect(results).toEqual(results.map(() => ({ printed: 'ready\n', code: 0 })))
      expect(await schema.run('select version from schema_migrations order by version')).toEqual(
        migrations.map(({ version }) => ({ version })),
      )
    })
  }, 30_000)

  test('a database of a newer version is refused, and no connection stays open', async () => {
    await withStore(async (store, schema) => {
      await store.close()
      await schema.run('update schema_range set needs = 99')
      const name = `too_new_${crypto.randomUUID()}`
      const url = `${schema.url}&application_name=${name}`
      expect(await rejection(openStore({ url, sealer: ownSealer }))).toBeInstanceOf(StoreTooNew)
      // The server shows a connection for a moment after its client has closed it.
      const open = () => schema.run(`select 1 from pg_stat_activity where application_name = '${name}'`)
      await until(async () => (await open()).length === 0)
    })
  })

  test('connections that the server ends are replaced, and what ran on them is unavailable', async () => {
    await withStore(async (store, schema) => {
      await store.users.insert(aUser(), null)
      const mine = `select pg_terminate_backend(pid) from pg_stat_activity
        where pid in (select pid from pg_locks where not granted and relation = 'users'::regclass)`
      // The server holds the table, so that the write is still running when its connection ends.
      await schema.run('begin; lock table users in access exclusive mode')
      const write = rejection(store.users.insert(aUser(), null))
      await waitForWaiter(schema)
      await schema.run(mine)
      expect(await write).toBeInstanceOf(StoreUnavailable)
      await schema.run('rollback')
      expect(await store.users.all()).toHaveLength(1)
      await store.ping()
    })
  })

  test('a connection that ends between two statements of a transaction harms nothing else', async () => {
    await withSchema(async (schema) => {
      const database = openDatabase({ url: schema.url })
      const transaction = database.kysely.transaction().execute(async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        const { pid } = rows[0]!
        await schema.run(`select pg_terminate_backend(${pid})`)
        while ((await schema.run(`select 1 from pg_stat_activity where pid = ${pid}`)).length > 0) continue
        await sql`select 1`.execute(trx)
      })
      expect(await rejection(transaction)).toBeInstanceOf(Error)
      expect((await sql`select 1 as one`.execute(database.kysely)).rows).toEqual([{ one: 1 }])
      await database.close()
    })
  })

  test('a process that does not go on with a transaction gives up its locks, and others get them', async () => {
    await withSchema(async (schema) => {
      const [frozen, other] = [0, 1].map(() => openDatabase({ url: schema.url, poolMax: 1 }))
      try {
        await sql`create table rows_of_all (n integer)`.execute(other!.kysely)
        await sql`insert into rows_of_all values (1)`.execute(other!.kysely)
        const held = await frozen!.kysely.startTransaction().execute()
        await sql`select n from rows_of_all for update`.execute(held)
        expect((await sql`update rows_of_all set n = 2`.execute(other!.kysely)).numAffectedRows).toBe(1n)
        await held
          .rollback()
          .execute()
          .catch(() => undefined)
        // Its next transaction is a new one.
        const { rows } = await sql<{ n: number }>`select n from rows_of_all`.execute(frozen!.kysely)
        expect(rows).toEqual([{ n: 2 }])
      } finally {
        await frozen!.close()
        await other!.close()
      }
    })
  }, 60_000)

  test('a backup that pg_dump cannot write is refused', async () => {
    await withStore(async (store) => {
      const refused = await rejection(store.backup('/dev/null/never.db'))
      expect(refused).toBeInstanceOf(BackupRefused)
    })
  })

  test('a database that does not exist is unavailable, and the message holds no password', async () => {
    const url = new URL(serverUrl ?? '')
    url.pathname = '/no_such_database'
    url.password = 'pass-word'
    const refused = await rejection(openStore({ url: url.href, sealer: ownSealer }))
    expect(refused).toBeInstanceOf(StoreUnavailable)
    expect(String(refused)).not.toContain('pass-word')
  })
})

/** Resolves when a statement of another connection waits for the lock on the users of this schema. */
async function waitForWaiter(schema: PostgresSchema): Promise<void> {
  const waiting = "select 1 from pg_locks where not granted and relation = 'users'::regclass"
  while ((await schema.run(waiting)).length === 0) continue
}

test('a PostgreSQL server that does not listen is unavailable', async () => {
  // A port that was free a moment ago and on which nothing listens now.
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const { port } = listener
  listener.stop(true)
  const url = `postgres://sluice:pass-word@127.0.0.1:${port}/sluice`
  const refused = await rejection(openStore({ url, sealer: ownSealer }))
  expect(refused).toBeInstanceOf(StoreUnavailable)
  expect(String(refused)).not.toContain('pass-word')
})

test('a PostgreSQL server that hangs up at once is unavailable', async () => {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.end(), data: () => undefined },
  })
  const url = `postgres://sluice@127.0.0.1:${listener.port}/sluice`
  expect(await rejection(openStore({ url, sealer: ownSealer }))).toBeInstanceOf(StoreUnavailable)
  listener.stop(true)
})

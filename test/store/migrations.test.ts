/** Migrations that are interrupted, run at once or wait: what they leave, on both engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { sealer } from '#lib/seal.ts'
import { openDatabase, type Database } from '#store/database.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { migrate, migrations, plannedMigrations } from '#store/migrate.ts'
import type { Migration } from '#store/migrating/migration.ts'
import { readSchemaState, StoreTooNew } from '#store/migrating/schema-state.ts'
import { openStore } from '#store/store.ts'
import { holdTables } from '#test/support/store/hold-tables.ts'
import { contractKeys, known, nextVersion, secondNextVersion } from '#test/support/store/next-migrations.ts'
import { makePostgresSchema, type PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { aKey, aUsage, aUser } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { until } from '#test/support/until.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const script = new URL('../support/store/migrate-process.ts', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'sluice-migrations-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Place extends AsyncDisposable {
  readonly database: Database
  readonly url: string
  /** Null on SQLite. */
  readonly schema: PostgresSchema | null
}

const engines = ['sqlite', ...(serverUrl === undefined ? [] : ['postgres'])]

/** A database of this version with so many keys. */
async function makePlace(engine: string, keys = 0): Promise<Place> {
  const place = await makeEmptyPlace(engine)
  const { url } = place
  const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
  const user = aUser()
  await store.users.insert(user, null)
  for (let index = 0; index < keys; index += 1) await store.keys.insert(aKey(user.id))
  await store.close()
  return place
}

async function makeEmptyPlace(engine: string): Promise<Place> {
  const schema = engine === 'postgres' ? await makePostgresSchema(String(serverUrl)) : null
  const url = schema?.url ?? `sqlite:${join(folder, `${crypto.randomUUID()}.db`)}`
  const database = openDatabase({ url })
  return {
    database,
    url,
    schema,
    async [Symbol.asyncDispose]() {
      await database.close()
      await schema?.drop()
    },
  }
}

/** Starts a process that migrates to the next version. */
function begin(url: string): Bun.Subprocess<'ignore', 'pipe', 'inherit'> {
  return Bun.spawn([process.execPath, script, url, 'next'], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
}

/** How often each row was filled; every row says the same when nothing was lost or done twice. */
async function fills({ database }: Place): Promise<ReadonlySet<unknown>> {
  const { rows } = await sql<{ fills: number }>`select fills from api_keys`.execute(database.kysely)
  return new Set(rows.map((row) => row.fills))
}

/** Tables with their columns, and indexes, as the engine describes them, in any order. */
async function schemaOf({ database, schema }: Place): Promise<readonly string[]> {
  const { rows } = await (
    schema === null
      ? sql<{ line: string }>`select type || ' ' || name || ' ' || coalesce(sql, '') as line from sqlite_master`
      : sql<{ line: string }>`
          select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
            as line from information_schema.columns where table_schema = current_schema()
          union all select indexdef || ' ' || indisvalid from pg_indexes
            join pg_index on indexrelid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(indexname))
            where schemaname = current_schema()`
  ).execute(database.kysely)
  return rows.map(({ line }) => line.replaceAll(/sluice_test_\w+/g, '')).toSorted()
}

async function appliedIn({ database }: Place): Promise<readonly number[]> {
  const { applied } = await readSchemaState(database.kysely, database.engine)
  return [...applied].sort((one, other) => one - other)
}

describe.each(engines)('on %s', (engine) => {
  test('versions of migrations are in ascending order, and a contract step needs an earlier one', () => {
    const versions = migrations.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
    for (const migration of migrations) {
      if (migration.kind === 'contract') expect(migration.needs).toBeLessThan(migration.version)
    }
  })

  test('a process killed in any batch leaves what it had finished, and the next one goes on from there', async () => {
    for (const batchesMax of [1, 2, 4]) {
      await using place = await makePlace(engine, 9)
      const child = begin(place.url)
      let printed = ''
      const decoder = new TextDecoder()
      for await (const bytes of child.stdout) {
        printed += decoder.decode(bytes, { stream: true })
        if (printed.includes(`batch ${batchesMax}\n`)) child.kill('SIGKILL')
      }
      await child.exited
      // This version works on with what is there: the store opens, and keys are added.
      const store = await openStore({ url: place.url, sealer: sealer(new Uint8Array(32)) })
      expect((await store.keys.all()).length).toBe(9)
      await store.close()
      await migrate(place.database, { migrations: nextVersion() })
      expect([...(await fills(place))]).toEqual([1])
      expect(await appliedIn(place)).toContain(known + 1)
    }
  }, 60_000)

  test('of several processes that start at once on a database of the version before, one migrates', async () => {
    await using place = await makePlace(engine, 5)
    const children = [begin(place.url), begin(place.url), begin(place.url)]
    const printed = await Promise.all(children.map((child) => child.stdout.text()))
    for (const text of printed) expect(text.endsWith('ready\n')).toBe(true)
    const batches = printed.flatMap((text) => text.split('\n').filter((line) => line.startsWith('batch')))
    expect(batches).toEqual(['batch 1', 'batch 2', 'batch 3'])
    expect([...(await fills(place))]).toEqual([1])
  }, 60_000)

  test('a new database has its schema at once, and the same as one that grew from version to version', async () => {
    await using fresh = await makeEmptyPlace(engine)
    await migrate(fresh.database, { migrations: nextVersion() })
    await using grown = await makeEmptyPlace(engine)
    for (let count = 1; count <= migrations.length; count += 1)
      await migrate(grown.database, { migrations: migrations.slice(0, count) })
    await migrate(grown.database, { migrations: nextVersion() })
    expect(await schemaOf(fresh)).toEqual(await schemaOf(grown))
    expect(await appliedIn(fresh)).toEqual(await appliedIn(grown))
  })

  test('a new database on which a step fails has nothing, and is whole after the next start', async () => {
    await using place = await makeEmptyPlace(engine)
    const failing: Migration = {
      version: known + 1,
      name: 'fails',
      kind: 'expand',
      run: async (trx) => void (await sql`select * from no_such_table`.execute(trx)),
    }
    expect(String(await rejection(migrate(place.database, { migrations: [...migrations, failing] })))).toContain(
      'no_such_table',
    )
    expect(await appliedIn(place)).toEqual([])
    expect((await schemaOf(place)).filter((line) => line.includes('api_keys'))).toEqual([])
    await migrate(place.database, { migrations })
    expect(await appliedIn(place)).toEqual(migrations.map(({ version }) => version))
  })

  test('of several processes that start at once on an empty database, one makes the schema', async () => {
    await using place = await makeEmptyPlace(engine)
    const children = [begin(place.url), begin(place.url), begin(place.url)]
    const printed = await Promise.all(children.map((child) => child.stdout.text()))
    expect(printed.map((text) => text.endsWith('ready\n'))).toEqual([true, true, true])
    expect(await appliedIn(place)).toEqual([...migrations.map(({ version }) => version), known + 1])
  }, 60_000)

  test('a step that fails leaves nothing of itself, and those before it stay', async () => {
    await using place = await makePlace(engine)
    const failing: Migration = {
      version: known + 2,
      name: 'fails',
      kind: 'expand',
      async run(trx) {
        await sql`create table half_done (id integer)`.execute(trx)
        await sql`select * from no_such_table`.execute(trx)
      },
    }
    const list = [...nextVersion(), failing]
    expect(String(await rejection(migrate(place.database, { migrations: list })))).toContain('no_such_table')
    expect(await appliedIn(place)).toEqual([...migrations.map(({ version }) => version), known + 1])
    expect(String(await rejection(sql`select * from half_done`.execute(place.database.kysely)))).toContain('half_done')
  })

  test('a newer database that is compatible is used as it is, and one that is not is refused', async () => {
    await using place = await makePlace(engine)
    expect(await migrate(place.database, { migrations: nextVersion() })).toEqual([])
    expect(await migrate(place.database, { migrations })).toEqual([])
    expect(await migrate(place.database, { migrations: secondNextVersion() })).toEqual([])
    expect(await rejection(migrate(place.database, { migrations }))).toBeInstanceOf(StoreTooNew)
    expect(await rejection(plannedMigrations(place.database, migrations))).toBeInstanceOf(StoreTooNew)
    expect(await migrate(place.database, { migrations: nextVersion() })).toEqual([])
  })

  test('a database of version 0.1, which says nothing of ranges, gets what it has not had', async () => {
    await using place = await makePlace(engine)
    for (const table of ['schema_range', 'schema_progress']) {
      await sql`drop table ${sql.table(table)}`.execute(place.database.kysely)
    }
    await place.database.kysely.deleteFrom('schema_migrations').where('version', '>', 6).execute()
    const later = migrations.filter(({ version }) => version > 6)
    const planned = await plannedMigrations(place.database, migrations)
    expect(planned.map(({ migration }) => migration)).toEqual(later)
  })

  test('sums that are there have their margins after the migration that brings these', async () => {
    await using place = await makePlace(engine)
    const { kysely } = place.database
    const store = await openStore({ url: place.url, sealer: sealer(new Uint8Array(32)) })
    const names = ['a', 'b', null]
    const records = names.flatMap((userId) =>
      names.flatMap((modelServed) =>
        [1, 2, 25].map((hour) => aUsage({ userId, modelServed, provider: modelServed, at: hour * 3_600_000 })),
      ),
    )
    await store.usage.insertMany(records)
    await store.close()
    const read = () =>
      kysely
        .selectFrom('usage_margins')
        .selectAll()
        .orderBy('hours')
        .orderBy('margin')
        .orderBy('at')
        .orderBy('name')
        .execute()
    const written = await read()
    // Three times and two days, each for all and for three users, models and providers.
    expect(written).toHaveLength((3 + 2) * (1 + 3 + 3 + 3))
    await sql`drop table usage_margins`.execute(kysely)
    await kysely.deleteFrom('schema_migrations').where('version', '=', 26).execute()
    await migrate(place.database, { migrations })
    // Later migrations add sums of their own to the table as it is.
    const later = ['failures', 'stream_tokens', 'stream_ms']
    const own = written.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !later.includes(name))))
    expect(await read()).toEqual(own as unknown as typeof written)
  })
})

describe.skipIf(serverUrl === undefined)(`on PostgreSQL only${reason}`, () => {
  test('an index whose building was interrupted is built again', async () => {
    await using place = await makePlace('postgres', 3)
    // An older snapshot: a concurrent index waits until it is gone.
    await using holding = await openTransaction(place)
    const child = begin(place.url)
    await until(async () => (await indexes(place)).includes('api_keys_fills invalid'))
    child.kill('SIGKILL')
    await child.exited
    await endBackends(place)
    await holding.end()
    await migrate(place.database, { migrations: nextVersion() })
    expect(await indexes(place)).toEqual(['api_keys_fills valid'])
    expect([...(await fills(place))]).toEqual([1])
  }, 60_000)

  test('a step that cannot have its lock gives up after its tries, and says so', async () => {
    await using place = await makePlace('postgres')
    await using _held = await holdTables(place.schema!, ['api_keys'])
    const blocked: string[] = []
    const options = { attemptsMax: 2, onBlocked: ({ name }: Migration) => blocked.push(name) }
    const opening = openStore({
      url: place.url,
      sealer: sealer(new Uint8Array(32)),
      migrations: nextVersion(),
      ...options,
    })
    expect(await rejection(opening)).toBeInstanceOf(StoreUnavailable)
    expect(blocked).toEqual(['next expand'])
    expect(await appliedIn(place)).not.toContain(known + 1)
  })

  test('a plan names the processes that a contract step waits for, and holds the steps after it up too', async () => {
    await using place = await makePlace('postgres')
    await place.schema!.run("insert into replicas values ('old', gen_random_uuid(), 0, 60000, now(), 0)")
    const afterwards: Migration = { ...contractKeys, version: known + 3, needs: known - 1, name: 'afterwards' }
    const list = [...secondNextVersion(), afterwards]
    const shown = (await plannedMigrations(place.database, list)).map(({ migration, waitsFor }) => [
      migration.version,
      waitsFor,
    ])
    expect(shown).toEqual([
      [known + 1, []],
      [known + 2, ['old']],
      [known + 3, ['old']],
    ])
    const waiting = await migrate(place.database, { migrations: list })
    expect(waiting.map(({ version }) => version)).toEqual([known + 2, known + 3])
  })
})

async function openTransaction({ url }: Place): Promise<AsyncDisposable & { end(): Promise<void> }> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select 1 from users')
  let ending: Promise<void> | undefined
  const end = (): Promise<void> => (ending ??= client.end())
  return { end, [Symbol.asyncDispose]: end }
}

/** The server notices a killed client only when it next writes to it. */
async function endBackends({ schema }: Place): Promise<void> {
  await schema!.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index concurrently%'
      and pid in (select pid from pg_locks join pg_class on pg_class.oid = relation
        where relnamespace = current_schema()::regnamespace)`,
  )
}

async function indexes({ schema }: Place): Promise<readonly string[]> {
  const rows = await schema!.run(`
    select relname || case when indisvalid then ' valid' else ' invalid' end as shown
    from pg_index join pg_class on oid = indexrelid
    where relname = 'api_keys_fills' and relnamespace = current_schema()::regnamespace`)
  return rows.map((row) => String(row['shown']))
}

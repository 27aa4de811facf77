/** `sluice migrate` with the real binary: what it changes, what it only says, and its exit codes. */
import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrations } from '#store/migrate.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { Installation } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const versions = migrations.map(({ version }) => version)

interface Answer {
  readonly pending: readonly {
    readonly version: number
    readonly kind: string
    readonly waits_for: readonly string[]
  }[]
}

describe.skipIf(serverUrl === undefined)(`sluice migrate on PostgreSQL${reason}`, () => {
  test('plan and check change nothing and list every step; check exits with 1 until the steps are done', async () => {
    const schema = await makePostgresSchema(String(serverUrl))
    await using _dropped = { [Symbol.asyncDispose]: () => schema.drop() }
    await using sluice = new Installation({ SLUICE_DATABASE_URL: schema.url })
    const plan = await sluice.json<Answer>(['migrate', '--plan'])
    expect(plan.pending.map(({ version }) => version)).toEqual(versions)
    const before = await sluice.run(['migrate', '--check', '--json'])
    expect([before.code, JSON.parse(before.stdout)]).toEqual([1, plan])
    expect(await schema.run('select 1 from pg_tables where schemaname = current_schema()')).toEqual([])
    expect(await sluice.json<Answer>(['migrate'])).toEqual({ pending: [] })
    const after = await sluice.run(['migrate', '--check'])
    expect([after.code, after.stdout]).toEqual([0, 'The database has the schema of this version.\n'])
  })

  test('a database that has been closed to this version is refused with exit code 2', async () => {
    const schema = await makePostgresSchema(String(serverUrl))
    await using _dropped = { [Symbol.asyncDispose]: () => schema.drop() }
    await using sluice = new Installation({ SLUICE_DATABASE_URL: schema.url })
    await sluice.json(['migrate'])
    await schema.run('update schema_range set needs = 999')
    for (const command of [['migrate'], ['migrate', '--check'], ['start']]) {
      const { code, lines } = await sluice.run(command)
      expect([code, lines.length]).toEqual([2, 1])
      expect(lines[0]).toContain('newer version of Sluice')
    }
  })
})

describe('sluice migrate on SQLite', () => {
  test('asks for a database that is there, runs beside a server, and starts on a compatible newer database', async () => {
    await using sluice = new Installation()
    expect((await sluice.run(['migrate'])).code).toBe(2)
    const server = await sluice.start()
    expect(await sluice.json<Answer>(['migrate'])).toEqual({ pending: [] })
    await server.stop()
    using database = new Database(join(sluice.dataDirectory, 'sluice.db'))
    database.run("insert into schema_migrations (version, name) values (999, 'of a newer version')")
    await (await sluice.start()).stop()
    expect((await sluice.run(['migrate', '--plan', '--check'])).code).toBe(2)
  })
})

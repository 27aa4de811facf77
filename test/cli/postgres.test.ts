/** The same binary on PostgreSQL, where several processes may start at once. */
import { describe, expect, test } from 'bun:test'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { Installation } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

/** A schema of its own that is dropped at the end. */
async function newSchema(): Promise<AsyncDisposable & { readonly url: string }> {
  const schema = await makePostgresSchema(String(serverUrl))
  return { url: schema.url, [Symbol.asyncDispose]: () => schema.drop() }
}

const secretKey = Buffer.alloc(32, 3).toString('base64')

describe.skipIf(serverUrl === undefined)(`on PostgreSQL${reason}`, () => {
  test('of two processes that start at once, one makes and shows the first secrets', async () => {
    await using schema = await newSchema()
    const environment = { SLUICE_DATABASE_URL: schema.url, SLUICE_SECURITY_SECRET_KEY: secretKey }
    await using one = new Installation(environment)
    await using two = new Installation(environment)
    const servers = await Promise.all([one.start(['--json']), two.start(['--json'])])
    const shown = servers.filter((server) => server.started.first_start !== null)
    expect(shown).toHaveLength(1)
    expect(await shown[0]!.statusWith(shown[0]!.started.first_start!.api_key)).toBe(200)
  })

  test('a key made while no server runs works at the next start, and one deleted by the running server is refused', async () => {
    await using schema = await newSchema()
    await using sluice = new Installation({ SLUICE_DATABASE_URL: schema.url, SLUICE_SECURITY_SECRET_KEY: secretKey })
    await (await sluice.start()).stop()
    const key = await sluice.json<{ id: string; secret: string }>(['keys', 'create', 'k', '--user', 'admin@localhost'])
    const server = await sluice.start()
    expect(await server.statusWith(key.secret)).toBe(200)
    await sluice.json(['keys', 'delete', key.id])
    expect(await server.statusWith(key.secret)).toBe(401)
  })
})

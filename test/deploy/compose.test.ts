/** The profile `cluster` of compose.yaml, started as it is written, as processes of this machine. */
import { describe, expect, test } from 'bun:test'
import { ComposeCluster, compose, valkeyServer } from '#test/support/deploy/compose.ts'
import { nginx } from '#test/support/network/documented-nginx.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const missing = [
  [serverUrl, 'SLUICE_TEST_POSTGRES_URL is not set'],
  [nginx, 'nginx is not installed'],
  [valkeyServer, 'neither valkey-server nor redis-server is installed'],
].find(([there]) => there === undefined || there === null)?.[1]
const reason = missing === undefined ? '' : ` (skipped: ${missing})`

describe.skipIf(missing !== undefined)(`compose.yaml with the profile cluster${reason}`, () => {
  test('changes the schema, starts three processes behind nginx, and all of them answer as one', async () => {
    const schema = await makePostgresSchema(String(serverUrl))
    await using _dropped = { [Symbol.asyncDispose]: () => schema.drop() }
    const variables = { SLUICE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'), POSTGRES_PASSWORD: 'unused' }
    await using cluster = new ComposeCluster({ variables, databaseUrl: schema.url })
    const port = await cluster.up('nginx')
    expect(await cluster.exitCode('migrate')).toBe(0)

    const members = Object.keys(compose.services).filter((name) => /^sluice-\d$/.test(name))
    const reports = await Promise.all(members.map((name) => cluster.output(name)))
    const [key = '', ...others] = reports.flatMap((report) => /sk-slu-\w+/.exec(report)?.[0] ?? [])
    // One of them has made the installation.
    expect(others).toEqual([])
    const ask = (path: string, body: object): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const messages = [{ role: 'user', content: 'Hi' }]
    for (let turn = 0; turn < 9; turn += 1) {
      const answer = await ask('/ai/v1/chat/completions', { model: 'demo-chat', messages, max_tokens: 1 })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('chat.completion')])
    }
    for (const name of members) {
      const text = await (await fetch(`http://127.0.0.1:${await cluster.up(name)}/metrics`)).text()
      expect([name, text]).toEqual([name, expect.stringMatching(/^sluice_requests_total\{[^}]*"200"[^}]*\} [1-9]/m)])
    }
    const files = [{ name: 'leave.txt', category: 'notes', bytes: 'Thirty days of leave.', encoding: 'utf-8' }]
    expect((await ask('/api/v1/documents', { files, wait_for_completion: true })).status).toBe(202)
    const found = await (await ask('/api/v1/search', { query: 'days of leave' })).text()
    expect(found).toContain('Thirty days of leave.')
    expect(await cluster.down()).toEqual([0, 0, 0])
  }, 60_000)
})

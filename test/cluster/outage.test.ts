/** PostgreSQL cannot be reached: what goes on, for how long, and what a deletion waits for. */
import { describe, expect, test } from 'bun:test'
import { createServer, type AddressInfo } from 'node:net'
import { makeCluster, secretKeyText, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { openDatabaseLine, throughPort } from '#test/support/network/database-line.ts'
import { Installation, RunningServer } from '../cli/sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

const timeoutSeconds = 2
const newCluster = (): Promise<Cluster> => makeCluster(String(serverUrl), timeoutSeconds)

describe.skipIf(serverUrl === undefined)(`with cluster.outage_grace_seconds${reason}`, () => {
  test('AI requests go on from memory for so long and not longer, and everything else is refused', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using cluster = await newCluster()
    const one = await cluster.start(line.to(cluster.schema), ['cluster.outage_grace_seconds=600'])
    expect(await readiness(one)).toEqual({ code: 200, status: 'ready' })
    line.silence()
    one.advance(timeoutSeconds * 1000)
    expect(await one.statusWith(cluster.userKey)).toBe(200)
    expect(await statusOf(one, '/admin/api/v1/me', cluster.userKey)).toBe(503)
    const { code, status, grace_seconds_left: left } = await readiness(one)
    expect([code, status]).toEqual([200, 'outage'])
    expect(left).toBeLessThanOrEqual(600)
    expect(await outageSeconds(one)).toBeGreaterThanOrEqual(timeoutSeconds)
    one.advance(600_000)
    expect(await one.statusWith(cluster.userKey)).toBe(503)
    expect((await readiness(one)).code).toBe(503)
    line.restore()
    await until(async () => (await one.statusWith(cluster.userKey)) === 200)
    await until(async () => (await readiness(one)).status === 'ready')
    expect(await outageSeconds(one)).toBe(0)
  })

  test('a process that is cut off serves a key that is deleted elsewhere, but not once the deletion is answered', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using cluster = await newCluster()
    const set = ['cluster.outage_grace_seconds=5']
    const one = await cluster.start(cluster.schema.url, set)
    const two = await cluster.start(line.to(cluster.schema), set)
    const key = await cluster.makeKey(one)
    line.silence()
    let answered = false
    const deletion = one.admin('DELETE', `/keys/${key.id}`).then(() => (answered = true))
    await until(async () => (await one.statusWith(key.secret)) === 401)
    await until(async () => (await readiness(two)).status === 'outage' && (await outageSeconds(two)) > 0)
    expect([await two.statusWith(key.secret), answered]).toEqual([200, false])
    await deletion
    expect([await two.statusWith(key.secret), await two.statusWith(cluster.userKey)]).toEqual([503, 503])
    expect(await one.statusWith(cluster.userKey)).toBe(200)
    line.restore()
    await until(async () => (await two.statusWith(cluster.userKey)) === 200)
    expect(await two.statusWith(key.secret)).toBe(401)
  }, 90_000)

  test('without it AI requests stop with everything else', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using cluster = await newCluster()
    const one = await cluster.start(line.to(cluster.schema))
    line.silence()
    one.advance(timeoutSeconds * 1000)
    expect([await one.statusWith(cluster.userKey), (await readiness(one)).code]).toEqual([503, 503])
    line.restore()
    await until(async () => (await one.statusWith(cluster.userKey)) === 200)
  }, 90_000)
})

describe.skipIf(serverUrl === undefined)(`a server that starts before its database${reason}`, () => {
  test('waits for it, says so, and then serves', async () => {
    await using cluster = await newCluster()
    const closed = await openClosedDoor()
    await using sluice = new Installation(environmentOf(cluster, closed.port))
    const server = new RunningServer(sluice.begin(['start']))
    await until(() => closed.knocks >= 2)
    await closed[Symbol.asyncDispose]()
    await using _line = await openDatabaseLine(String(serverUrl), closed.port)
    await server.ready
    expect(await server.statusWith(cluster.userKey)).toBe(200)
    const { code, stderr } = await server.stop()
    expect([code, stderr.includes('the database cannot be reached yet')]).toEqual([0, true])
  })

  test('gives up when it is told to stop', async () => {
    await using cluster = await newCluster()
    await using closed = await openClosedDoor()
    await using sluice = new Installation(environmentOf(cluster, closed.port))
    const child = sluice.begin(['start'])
    await until(() => closed.knocks >= 2)
    child.kill('SIGTERM')
    const [code, stderr] = await Promise.all([child.exited, child.stderr.text()])
    expect([code, stderr.includes('cannot be used')]).toEqual([2, true])
  })
})

function environmentOf({ schema }: Cluster, port: number): Record<string, string> {
  return {
    SLUICE_DATABASE_URL: throughPort(schema, port),
    SLUICE_DATABASE_START_WAIT_SECONDS: '600',
    SLUICE_SECURITY_SECRET_KEY: secretKeyText,
  }
}

/** A port that ends every connection, as a proxy does before its database. */
async function openClosedDoor(): Promise<AsyncDisposable & { readonly port: number; readonly knocks: number }> {
  let knocks = 0
  const server = createServer((socket) => {
    knocks += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get knocks() {
      return knocks
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

interface Readiness {
  readonly code: number
  readonly status?: string
  readonly grace_seconds_left?: number
}

async function readiness({ url }: TestReplica): Promise<Readiness> {
  const answer = await fetch(`${url}/readyz`)
  return { code: answer.status, ...((await answer.json()) as object) }
}

async function statusOf({ url }: TestReplica, path: string, key: string): Promise<number> {
  return (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
}

async function outageSeconds({ url }: TestReplica): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^sluice_outage_seconds (\S+)$/m.exec(text)?.[1])
}

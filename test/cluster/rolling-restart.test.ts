/** Two processes behind nginx, with the settings of docs/several-processes.md, are restarted in turn while requests arrive. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { addLoadModel, Load } from '#test/support/app/load.ts'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { nginx, startNginx } from '#test/support/network/documented-nginx.ts'
import { freePort } from '#test/support/network/free-port.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const missing =
  serverUrl === undefined ? 'SLUICE_TEST_POSTGRES_URL is not set' : nginx === null && 'nginx is not installed'
const reason = missing === false ? '' : ` (skipped: ${missing})`

test('with a drain delay, requests are served while readyz is 503, and refused after it', async () => {
  await using gateway = await startGateway({ set: ['server.drain_delay_seconds=3', 'server.drain_seconds=0'] })
  const ask = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      headers: { authorization: `Bearer ${gateway.keys.main.secret}` },
    })
  const closing = gateway.app.close()
  const ready = await ask('/readyz')
  expect([ready.status, ((await ready.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'shutting_down',
  ])
  const models = await ask('/ai/v1/models')
  expect([models.status, models.headers.get('connection')]).toEqual([200, 'close'])
  await closing
  expect(await ask('/healthz').catch(() => 'closed')).toBe('closed')
})

describe.skipIf(missing !== false)(`a rolling restart behind nginx${reason}`, () => {
  test('fails no request', async () => {
    await using cluster = await makeCluster(String(serverUrl), 10)
    const ports = [await freePort(), await freePort()] as const
    const replicas = [await startOn(cluster, ports[0]), await startOn(cluster, ports[1])]
    await addLoadModel(replicas[0]!)
    await using proxy = await startNginx(ports)
    await using load = new Load(() => [`http://127.0.0.1:${proxy.port}`], cluster)
    for (const [index, port] of ports.entries()) {
      await load.more(20)
      await replicas[index]!.app.close()
      await load.more(20)
      replicas[index] = await startOn(cluster, port)
      await load.more(20)
    }
    await load.stop()
    expect(load.failures).toEqual([])
    expect(load.answered).toBeGreaterThanOrEqual(120)
  })
})

function startOn(cluster: Cluster, port: number): Promise<TestReplica> {
  return cluster.start(cluster.schema.url, [
    `server.port=${port}`,
    'server.drain_seconds=30',
    'server.drain_delay_seconds=1',
  ])
}

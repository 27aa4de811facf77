/** Two processes behind nginx, with the settings of docs/operations.md, are restarted in turn while requests arrive. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCluster, until, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { addLoadModel, Load } from '#test/support/app/load.ts'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { freePort } from '#test/support/network/free-port.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const nginx = Bun.which('nginx', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` })
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

/** The block that docs/operations.md gives, with these addresses in place of its own. */
function documentedConfiguration(ports: readonly number[]): string {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const block = /```nginx\n([\s\S]*?)```/.exec(page)?.[1]
  if (block === undefined) throw new Error('docs/operations.md has no block for nginx')
  let next = 0
  return block.replaceAll(/server 10\.0\.0\.\d+:3001/g, () => `server 127.0.0.1:${ports[next++]}`)
}

async function startNginx(ports: readonly number[]): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const configuration = documentedConfiguration(ports).replace(/listen [^;]+;/, `listen 127.0.0.1:${port};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
     events {} http { access_log off; ${paths.join(' ')} ${configuration} }`,
  )
  const child = Bun.spawn([
    String(nginx),
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    join(folder, 'error.log'),
  ])
  await until(
    async () =>
      child.exitCode !== null ||
      (await fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      )),
  )
  if (child.exitCode !== null) throw new Error(`nginx: ${readFileSync(join(folder, 'error.log'), 'utf8')}`)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}

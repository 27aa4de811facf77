/** A process that is killed holds up nobody on its machine: others know that it has ended before its time-out. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, secretKeyText } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from '../cli/sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

describe.skipIf(serverUrl === undefined)(`processes that are killed${reason}`, () => {
  test.each([1, 2])(
    'when there are %i of them, a restart serves limited requests and a change is answered',
    async (count) => {
      await using resources = new AsyncDisposableStack()
      const cluster = resources.use(await makeCluster(String(serverUrl), 60))
      const environment = {
        SLUICE_DATABASE_URL: cluster.schema.url,
        SLUICE_SECURITY_SECRET_KEY: secretKeyText,
        // Longer than the test: a process that others only hear nothing of does not count as gone here.
        SLUICE_CLUSTER_REPLICA_TIMEOUT_SECONDS: '300',
      }
      const installations = Array.from({ length: count }, () => resources.use(new Installation(environment)))
      const started = await Promise.all(installations.map((each) => each.start()))
      const admin = async (server: RunningServer | undefined, path: string, body: object): Promise<{ id: string }> => {
        const answer = await fetch(`${server?.address}/admin/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${cluster.adminKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        expect(answer.status).toBe(201)
        return (await answer.json()) as { id: string }
      }
      const registered = async (): Promise<number> => (await cluster.schema.run('select id from replicas')).length
      expect(await registered()).toBe(count)
      const provider = await admin(started[0], '/providers', { name: 'practice', kind: 'demo' })
      await admin(started[0], '/models', { name: 'demo-chat', provider_id: provider.id })
      for (const server of started) await server.kill()
      const [server] = await Promise.all(installations.map((each) => each.start()))
      // In flight, an account is limited: a process that waits for others to make room refuses.
      await until(async () => {
        const answer = await server!.chat(cluster.userKey, 'hello')
        await answer.arrayBuffer()
        return answer.status === 200
      })
      // A change is answered when every process that could be running has applied it.
      await admin(server, `/users/${cluster.userId}/keys`, { name: 'one more' })
      await until(async () => (await registered()) === count)
    },
    60_000,
  )
})

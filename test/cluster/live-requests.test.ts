/** A viewer at any process is shown what ends at all of them. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, type TestReplica } from '#test/support/app/cluster.ts'
import { LiveStream } from '#test/support/app/live-stream.ts'
import { until } from '#test/support/until.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

let count = 0
/** A request that is refused, and so needs no provider. */
async function ask({ url }: TestReplica, key: string): Promise<string> {
  const id = `live-${++count}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': id }
  const body = JSON.stringify({ model: 'nothing', messages: [{ role: 'user', content: 'Hello' }] })
  expect((await fetch(`${url}/ai/v1/chat/completions`, { method: 'POST', headers, body })).status).toBe(404)
  return id
}

describe.skipIf(serverUrl === undefined)(`requests of several processes${reason}`, () => {
  test('are shown at each of them as they end, also after the connection between them was cut', async () => {
    await using cluster = await makeCluster(String(serverUrl), 10)
    const [one, two] = [await cluster.start(), await cluster.start()]
    const watch = (at: TestReplica): Promise<LiveStream> =>
      LiveStream.open(`${at.url}/admin/api/v1/live/requests`, { authorization: `Bearer ${cluster.adminKey}` })
    await using stream = await watch(one)
    /** The other process learns within a second or two that it is watched. */
    const seesOther = async (): Promise<void> => {
      const asked = new Set<string>()
      await until(async () => {
        asked.add(await ask(two, cluster.userKey))
        return stream.waiting.some(({ data }) => asked.has(String(data['request_id'])))
      })
    }
    await seesOther()
    await using other = await watch(two)
    const own = await ask(one, cluster.userKey)
    await until(() => stream.waiting.some(({ data }) => data['request_id'] === own))
    expect(stream.waiting.filter(({ data }) => data['request_id'] === own)).toHaveLength(1)
    await until(async () => other.waiting.length > 0 || (await ask(one, cluster.userKey)) === '')

    await cluster.schema.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen "sluice_live_%' and pid <> pg_backend_pid()`,
    )
    await until(() => stream.waiting.some(({ name }) => name === 'missed'))
    for (let event = stream.waiting.at(0); event !== undefined; event = stream.waiting.at(0)) await stream.next()
    await seesOther()
  }, 30_000)
})

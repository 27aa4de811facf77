/** A rate over two processes on one PostgreSQL. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const [perSecond, burst] = [10, 5]

describe.skipIf(serverUrl === undefined)(`a rate over two processes${reason}`, () => {
  test('is never exceeded, and one process gets more than its half while the other needs nothing', async () => {
    await using cluster = await makeCluster(String(serverUrl), 10)
    const settings = [`limits.rates=user:* requests ${perSecond}/second burst ${burst}`]
    const [one, two] = [await cluster.start(undefined, settings), await cluster.start(undefined, settings)]
    const { id } = await one.admin<{ id: string }>('POST', '/providers', { name: 'practice', kind: 'demo' })
    await one.admin('POST', '/models', { name: 'chat', provider_id: id, upstream_name: 'demo-chat' })
    const began = performance.now()
    const refill = (): number => ((performance.now() - began) * perSecond) / 1000
    let answered = 0
    const ask = async (on: TestReplica): Promise<void> => {
      const answer = await fetch(`${on.url}/ai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cluster.userKey}`, 'content-type': 'application/json' },
        body: '{"model":"chat","messages":[{"role":"user","content":"Hi"}],"max_tokens":1}',
      })
      await answer.arrayBuffer()
      expect([200, 429]).toContain(answer.status)
      if (answer.status === 200) answered += 1
      expect(answered).toBeLessThanOrEqual(burst + refill())
    }
    await until(async () => {
      await Promise.all([1, 2, 3, 4].map(() => ask(one)))
      return answered > 2 * burst && answered > burst + refill() * 0.55
    })
    const before = answered
    await until(async () => {
      await Promise.all([ask(one), ask(two)])
      return answered > before + 2 * burst
    })
  })
})

/** Rates over several processes on one PostgreSQL that lend each other their parts, by it or by Valkey. */
import { describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const valkeyUrl = process.env['SLUICE_TEST_REDIS_URL']
const [perSecond, burst] = [40, 20]

for (const shared of ['postgres', 'valkey'] as const) {
  const missing = [
    serverUrl === undefined && 'SLUICE_TEST_POSTGRES_URL',
    shared === 'valkey' && valkeyUrl === undefined && 'SLUICE_TEST_REDIS_URL',
  ].filter((name) => name !== false)
  const reason = missing.length === 0 ? '' : ` (skipped: ${missing.join(', ')} is not set)`
  const place = shared === 'valkey' ? ['limits.shared=valkey', `limits.valkey_url=${valkeyUrl}`] : []

  describe.skipIf(missing.length > 0)(`a rate over three processes that share by ${shared}${reason}`, () => {
    test('is never exceeded; one process gets nearly all while the others need nothing, and gives back what they need later', async () => {
      await using cluster = await makeCluster(String(serverUrl), 10)
      const rate = `limits.rates=user:* requests ${perSecond}/second burst ${burst}`
      const all: TestReplica[] = []
      for (let count = 0; count < 3; count += 1) all.push(await cluster.start(undefined, [rate, ...place]))
      const [first] = all
      const { id } = await first!.admin<{ id: string }>('POST', '/providers', { name: 'practice', kind: 'demo' })
      await first!.admin('POST', '/models', { name: 'chat', provider_id: id, upstream_name: 'demo-chat' })
      const meter = new Meter(cluster)
      await until(async () => {
        await Promise.all([1, 2, 3, 4].map(() => meter.ask(first!)))
        return meter.partOfLast(first!, 2 * perSecond) > 0.9
      })
      await until(async () => {
        await Promise.all([first!, first!, first!, ...all].map((each) => meter.ask(each)))
        return all.every((each) => meter.countOfLast(each, 3 * perSecond) >= (3 * perSecond) / 4)
      })
    }, 60_000)
  })
}

/** Asks, and counts who was admitted when. */
class Meter {
  readonly #cluster: Cluster
  readonly #began = performance.now()
  readonly #admitted: { readonly by: TestReplica; readonly atMs: number }[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async ask(on: TestReplica): Promise<void> {
    const answer = await fetch(`${on.url}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#cluster.userKey}`, 'content-type': 'application/json' },
      body: '{"model":"chat","messages":[{"role":"user","content":"Hi"}],"max_tokens":1}',
    })
    await answer.arrayBuffer()
    expect([200, 429]).toContain(answer.status)
    const atMs = performance.now() - this.#began
    if (answer.status === 200) this.#admitted.push({ by: on, atMs })
    expect(this.#admitted.length).toBeLessThanOrEqual(burst + (atMs * perSecond) / 1000)
  }

  /** How many of the last so many this process has admitted. */
  countOfLast(on: TestReplica, count: number): number {
    return this.#admitted.slice(-count).filter(({ by }) => by === on).length
  }

  /** The part of the rate that this process has used while the last so many were admitted. */
  partOfLast(on: TestReplica, count: number): number {
    const last = this.#admitted.slice(-count)
    const tookMs = (last.at(-1)?.atMs ?? 0) - (last[0]?.atMs ?? 0)
    return last.length < count ? 0 : (this.countOfLast(on, count) * 1000) / (tookMs * perSecond)
  }
}

/**
 * How much of a rate is reached under pressure? `SLUICE_TEST_POSTGRES_URL=… bun bench/rates.ts [SECONDS] [CLIENTS]`: three
 * processes' worth of gateways on one database, a rate of 600 requests a minute with a burst of 20 for one account, and clients
 * that ask all of them without a pause, then only one of them. Ends with 1 when more was let through than the rate and its burst.
 */
import { makeCluster, type TestReplica } from '#test/support/app/cluster.ts'

const [seconds = '60', clients = '30'] = process.argv.slice(2)
const [perMinute, burst] = [600, 20]

await using cluster = await makeCluster(String(process.env['SLUICE_TEST_POSTGRES_URL']), 10)
const settings = [`limits.rates=user:* requests ${perMinute}/minute burst ${burst}`]
const replicas = [
  await cluster.start(undefined, settings),
  await cluster.start(undefined, settings),
  await cluster.start(undefined, settings),
]
const [first] = replicas
const { id } = await first!.admin<{ id: string }>('POST', '/providers', { name: 'practice', kind: 'demo' })
await first!.admin('POST', '/models', { name: 'chat', provider_id: id, upstream_name: 'demo-chat' })

let exceeded = false
for (const [who, asked] of [
  ['all three', replicas],
  ['one of them', [first!]],
] as const) {
  const startedAt = performance.now()
  const passed = await press(asked, startedAt)
  const refill = ((performance.now() - startedAt) * perMinute) / 60_000
  exceeded ||= passed > refill + burst
  console.log(
    `${clients} clients ask ${who} for ${seconds} s: ${passed} let through, ${((100 * passed) / refill).toFixed(1)} % of the rate (at most ${(100 * (1 + burst / refill)).toFixed(1)} with the burst)`,
  )
}
process.exitCode = exceeded ? 1 : 0

/** Requests that were let through. */
async function press(asked: readonly TestReplica[], startedAt: number): Promise<number> {
  let passed = 0
  const client = async (number: number): Promise<void> => {
    for (let at = number; performance.now() - startedAt < Number(seconds) * 1000; at += 1) {
      const answer = await fetch(`${asked[at % asked.length]!.url}/ai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cluster.userKey}`, 'content-type': 'application/json' },
        body: '{"model":"chat","messages":[{"role":"user","content":"Hi"}],"max_tokens":1}',
      })
      await answer.arrayBuffer()
      if (answer.status === 200) passed += 1
      // A client that is refused comes back soon, as most do.
      else await Bun.sleep(50)
    }
  }
  await Promise.all(Array.from({ length: Number(clients) }, (_, number) => client(number)))
  return passed
}

/** A rate of tokens over three real processes while processes and Valkey are killed, as the provider counts them. */
import { describe, expect, test } from 'bun:test'
import { valkeyServer } from '#test/support/limits/arena.ts'
import { rateArena } from '#test/support/limits/rate-arena.ts'
import { until } from '#test/support/until.ts'

const postgresUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason =
  postgresUrl === undefined || valkeyServer === null
    ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set, or neither valkey-server nor redis-server is installed)'
    : ''
const [perSecond, burst] = [4000, 1000]

describe.skipIf(reason !== '')(`three processes that share a rate of tokens by valkey${reason}`, () => {
  test('give back what was not used exactly once, whoever is killed', async () => {
    const site = { postgresUrl: String(postgresUrl), shared: 'valkey' } as const
    const { arena, given } = await rateArena({ ...site, perSecond, burst })
    await using _ = arena
    const first = await arena.startProcess()
    const began = performance.now()
    await arena.startProcess()
    await arena.startProcess()
    arena.load(60)
    let kills = 0
    // After a killed process, its part of a burst can be used twice.
    const most = (): number => (1 + kills) * burst + ((performance.now() - began) * perSecond) / 1000
    const check = (): void => expect(given.tokens).toBeLessThanOrEqual(most())
    await fullUse()
    await arena.killValkey()
    await more(perSecond)
    kills += 1
    await arena.endProcess(first)
    await arena.startValkey()
    await fullUse()
    await arena.startProcess()
    await fullUse()
    // More was reserved than the rate has given: what was not used came back.
    expect(given.reserved).toBeGreaterThan(most())

    /** Resolves when nearly all of the rate was used for a second. */
    async function fullUse(): Promise<void> {
      let from = { tokens: given.tokens, atMs: performance.now() }
      await until(async () => {
        check()
        await Bun.sleep(10)
        const passedMs = performance.now() - from.atMs
        if (passedMs < 1000) return false
        const part = ((given.tokens - from.tokens) * 1000) / (passedMs * perSecond)
        from = { tokens: given.tokens, atMs: performance.now() }
        return part > 0.85
      })
    }

    async function more(tokens: number): Promise<void> {
      const wanted = given.tokens + tokens
      await until(async () => {
        check()
        await Bun.sleep(10)
        return given.tokens >= wanted
      })
    }
  }, 120_000)
})

/**
 * The in-flight limit over three real processes while processes and Valkey are killed, as the provider sees it. The
 * long form, with figures, is bench/chaos.ts.
 */
import { describe, expect, test } from 'bun:test'
import { Arena, valkeyServer } from '#test/support/limits/arena.ts'
import { until } from '#test/support/until.ts'

const postgresUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const limit = 20

for (const shared of ['valkey', 'postgres'] as const) {
  const missing =
    postgresUrl === undefined
      ? 'SLUICE_TEST_POSTGRES_URL is not set'
      : shared === 'valkey' && valkeyServer === null && 'neither valkey-server nor redis-server is installed'
  const reason = missing === false ? '' : ` (skipped: ${missing})`

  describe.skipIf(missing !== false)(`three processes that share limits by ${shared}${reason}`, () => {
    test('never exceed the limit, and use all of it, whoever is killed', async () => {
      const holdMs = (): number => 100 + Math.random() * 400
      await using arena = await Arena.open({ postgresUrl: String(postgresUrl), shared, limit, holdMs })
      for (let count = 0; count < 3; count += 1) await arena.startProcess()
      arena.load(60)
      await reached(arena)
      await arena.killValkey()
      await answered(arena, 2 * limit)
      const [oldest] = arena.processes
      await arena.killProcess(oldest!)
      await arena.startValkey()
      // What the killed process held comes back.
      await reached(arena)
      await arena.startProcess()
      await answered(arena, 2 * limit)
      await reached(arena)
      expect(arena.seen.most).toBe(limit)
      expect([...arena.statuses.keys()].filter((status) => !['200', '429', 'failed'].includes(status))).toEqual([])
    }, 120_000)

    test('give all of the limit to the one process that is asked', async () => {
      await using arena = await Arena.open({ postgresUrl: String(postgresUrl), shared, limit, holdMs: () => 3000 })
      const processes = [await arena.startProcess(), await arena.startProcess()]
      const asked: Promise<number>[] = []
      while (arena.seen.inFlight < limit) {
        asked.push(arena.ask(processes[0]!))
        await Bun.sleep(1)
      }
      expect(await arena.ask(processes[1]!)).toBe(429)
      expect(arena.seen.most).toBe(limit)
      await Promise.all(asked)
    }, 60_000)
  })
}

/** Resolves when the provider has so many in flight as the limit allows. */
function reached(arena: Arena): Promise<void> {
  return until(() => arena.seen.inFlight === limit)
}

/** Resolves when the provider has answered so many more. */
function answered(arena: Arena, more: number): Promise<void> {
  const wanted = arena.seen.answered + more
  return until(() => arena.seen.answered >= wanted)
}

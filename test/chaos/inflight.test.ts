/**
 * The in-flight limit over three real processes while processes and Valkey are killed, as the provider sees it. The
 * long form, with figures, is bench/chaos.ts.
 */
import { describe, expect, test } from 'bun:test'
import { valkeyServer } from '#test/support/limits/arena.ts'
import { inflightArena, type Sightings } from '#test/support/limits/inflight-arena.ts'
import { until } from '#test/support/until.ts'

const postgresUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const limit = 20

for (const shared of ['valkey', 'postgres'] as const) {
  const missing = whatIsMissing(shared)
  const reason = missing === null ? '' : ` (skipped: ${missing})`

  describe.skipIf(missing !== null)(`three processes that share limits by ${shared}${reason}`, () => {
    test('never exceed the limit, and use all of it, whoever is killed', async () => {
      const holdMs = (): number => 100 + Math.random() * 400
      const { arena, seen } = await inflightArena({ postgresUrl: String(postgresUrl), shared, limit, holdMs })
      await using _ = arena
      for (let count = 0; count < 3; count += 1) await arena.startProcess()
      arena.load(60)
      await reached(seen)
      await arena.killValkey()
      await answered(seen, 2 * limit)
      const [oldest] = arena.processes
      await arena.endProcess(oldest!)
      await arena.startValkey()
      // What the killed process held comes back.
      await reached(seen)
      await arena.startProcess()
      await answered(seen, 2 * limit)
      await reached(seen)
      expect(seen.most).toBe(limit)
      expect([...arena.statuses.keys()].filter((status) => !['200', '429', 'failed'].includes(status))).toEqual([])
    }, 120_000)

    test('give all of the limit to the one process that is asked, also when the others have lost their connection', async () => {
      const place = { postgresUrl: String(postgresUrl), shared } as const
      const { arena, seen } = await inflightArena({ ...place, limit, holdMs: () => 600_000 })
      await using _ = arena
      const processes = [await arena.startProcess(), await arena.startProcess()]
      // What the processes hear of each other is lost with it, and one of them will not ask for anything.
      await arena.cutValkey()
      for (let client = 0; client < limit; client += 1) void arena.insist(processes[0]!)
      await reached(seen)
      expect(await arena.ask(processes[1]!)).toBe(429)
      expect(seen.most).toBe(limit)
    }, 120_000)
  })
}

for (const shared of ['valkey', 'postgres'] as const) {
  const missing = whatIsMissing(shared)
  const reason = missing === null ? '' : ` (skipped: ${missing})`

  describe.skipIf(missing !== null)(`the cap of a model over three processes, by ${shared}${reason}`, () => {
    test('is never exceeded and is used up, whoever is killed; nobody is refused, and no process starves', async () => {
      const holdMs = (): number => 50 + Math.random() * 200
      const cap = 5
      const place = { postgresUrl: String(postgresUrl), shared } as const
      const { arena, seen } = await inflightArena({ ...place, limit: cap, kind: 'cap', holdMs })
      await using _ = arena
      for (let count = 0; count < 3; count += 1) await arena.startProcess()
      arena.load(40)
      await until(() => seen.inFlight === cap)
      await arena.killValkey()
      await answered(seen, 4 * cap)
      const [oldest] = arena.processes
      await arena.endProcess(oldest!)
      await arena.startValkey()
      await until(() => seen.inFlight === cap)
      const late = await arena.startProcess()
      // The others would use all of the cap; what a process asks for the first time is served all the same.
      expect(await Promise.all(Array.from({ length: 5 }, () => arena.ask(late)))).toEqual([200, 200, 200, 200, 200])
      await answered(seen, 4 * cap)
      expect(seen.most).toBe(cap)
      expect([...arena.statuses.keys()].filter((status) => !['200', 'failed'].includes(status))).toEqual([])
    }, 120_000)

    test('of one request is shared by two processes that both have requests waiting', async () => {
      const options = { postgresUrl: String(postgresUrl), shared, limit: 1, kind: 'cap', holdMs: () => 20 } as const
      const { arena, seen } = await inflightArena(options)
      await using _ = arena
      const processes = [await arena.startProcess(), await arena.startProcess()]
      const served = processes.map(() => 0)
      const isEnough = (): boolean => served.every((count) => count >= 25)
      const client = async (index: number): Promise<void> => {
        while (!isEnough()) {
          // On a busy machine the shared place can be too slow for a while; then one of the two waits in vain.
          const status = await arena.ask(processes[index]!)
          expect([200, 429]).toContain(status)
          if (status === 200) served[index]! += 1
        }
      }
      await Promise.all([client(0), client(0), client(0), client(1), client(1), client(1)])
      expect(seen.most).toBe(1)
    }, 120_000)
  })
}

/** Why tests with this place cannot run here; null when they can. */
function whatIsMissing(shared: 'valkey' | 'postgres'): string | null {
  if (postgresUrl === undefined) return 'SLUICE_TEST_POSTGRES_URL is not set'
  return shared === 'valkey' && valkeyServer === null ? 'neither valkey-server nor redis-server is installed' : null
}

/** Resolves when the provider has so many in flight as the limit allows. */
function reached(seen: Sightings): Promise<void> {
  return until(() => seen.inFlight === limit)
}

/** Resolves when the provider has answered so many more. */
function answered(seen: Sightings, more: number): Promise<void> {
  const wanted = seen.answered + more
  return until(() => seen.answered >= wanted)
}

/** Processes that die while they run a batch lose no line, and write none twice. */
import { describe, expect, test } from 'bun:test'
import { runBatch, type ChaosPlan } from '#test/support/batches/batch-chaos.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
// bench/batches.ts does the same with 20,000 lines and 100 kills.
const plan: ChaosPlan = { lines: 1500, kills: 0, seed: 20_261_122, lifeMsMax: 400, callMs: 40 }

async function comparesToUndisturbed(disturbed: ChaosPlan): Promise<void> {
  const calm = await runBatch({ ...disturbed, kills: 0 })
  const killed = await runBatch(disturbed)
  expect(calm.counts).toEqual({ total: plan.lines, completed: plan.lines * 0.99, failed: plan.lines * 0.01 })
  expect(killed.counts).toEqual(calm.counts)
  expect([killed.linesWritten, killed.results.size]).toEqual([plan.lines, plan.lines])
  expect(Object.fromEntries(killed.results)).toEqual(Object.fromEntries(calm.results))
  expect(killed.asked).toBeGreaterThanOrEqual(plan.lines)
  expect(killed.killsUnderWay).toBeGreaterThan(0)
}

test('a server on SQLite that is killed again and again makes what one makes that is left alone', async () => {
  await comparesToUndisturbed({ ...plan, kills: 4 })
}, 120_000)

test('so does one that is stopped and started', async () => {
  await comparesToUndisturbed({ ...plan, kills: 2, isGentle: true })
}, 120_000)

describe.skipIf(serverUrl === undefined)('needs SLUICE_TEST_POSTGRES_URL', () => {
  test('so do three processes on one PostgreSQL', async () => {
    await comparesToUndisturbed({ ...plan, kills: 3, postgres: { url: serverUrl ?? '', processes: 3 } })
  }, 240_000)
})

/**
 * A hard budget over three real processes while processes are killed and restarted, as the provider's bill shows it. The
 * long form, with figures, is bench/chaos-budgets.ts.
 */
import { describe, expect, test } from 'bun:test'
import { budgetArena } from '#test/support/budgets/budget-arena.ts'
import { until } from '#test/support/until.ts'

const postgresUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const amount = 1_500_000

describe.skipIf(postgresUrl === undefined)('three processes on one budget', () => {
  test('never let it be exceeded, lose nothing of it, and count what the records say, whoever is killed', async () => {
    const place = { postgresUrl: String(postgresUrl), shared: 'postgres' } as const
    const { arena, bill, counter, audit } = await budgetArena({ ...place, amount })
    await using _ = arena
    const state = async () => (await arena.store.budgets.counters([counter]))[0]
    const spent = async (): Promise<number> => (await state())?.spent ?? 0
    for (let count = 0; count < 3; count += 1) await arena.startProcess()
    arena.load(40)
    await until(async () => (await spent()) > amount * 0.2)
    await arena.endProcess(arena.processes[0]!, 'SIGKILL')
    await arena.startProcess()
    await until(async () => (await spent()) > amount * 0.4)
    await arena.endProcess(arena.processes[0]!, 'SIGTERM')
    await arena.startProcess()
    const before = arena.statuses.get('402') ?? 0
    await until(() => (arena.statuses.get('402') ?? 0) > before + 500)
    expect(bill.total).toBeLessThanOrEqual(amount)
    while (arena.processes.length > 0) await arena.endProcess(arena.processes[0]!, 'SIGTERM')

    const { spent: counted = 0, held = 0 } = (await state()) ?? {}
    expect(counted + held).toBeLessThanOrEqual(amount)
    // Every request has a record with exactly what it cost; that of one whose end was not seen may only say more.
    const { recorded, missing, wrong } = await audit()
    expect({ recorded, missing, wrong }).toEqual({ recorded: counted, missing: [], wrong: [] })
    expect(await arena.store.usage.proveCounters(0)).toMatchObject({ difference: 0, wrong: [] })
    const unexpected = [...arena.statuses.keys()].filter(
      (status) => !['200', '402', '503', 'failed', 'none'].includes(status),
    )
    expect(unexpected).toEqual([])
  }, 240_000)
})

/** What processes held of a budget and nobody will account for: it counts as spent until it is reconciled, and no more than that comes free. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { sliceOf, type BudgetRecord } from '#budgets/budget.ts'
import { holderGoneMs } from '#budgets/budget-place.ts'
import type { SliceAnswer } from '#budgets/slice.ts'
import { sealer } from '#lib/seal.ts'
import { openDatabase, type Database } from '#store/database.ts'
import { openStore, type Store } from '#store/store.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const amount = 10_000_000
const budget: BudgetRecord = {
  id: 'b',
  scope: 'model',
  scopeId: 'm',
  period: 'total',
  timeZone: 'UTC',
  amount,
  hard: true,
  thresholds: [],
  declared: false,
  createdAt: 0,
}
const counter = `${budget.id}@0`

const engines: Record<string, () => Promise<{ url: string; end: () => Promise<void> }>> = {
  SQLite() {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-reconcile-'))
    const end = (): Promise<void> => Promise.resolve(rmSync(directory, { recursive: true }))
    return Promise.resolve({ url: `sqlite:${join(directory, 'sluice.db')}`, end })
  },
  async PostgreSQL() {
    const schema = await makePostgresSchema(String(serverUrl))
    return { url: schema.url, end: () => schema.drop() }
  },
}

/** Processes that hold a different amount each. */
class Holders {
  readonly #sequences = new Map<string, number>()
  readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  async take(holder: string, change: number): Promise<SliceAnswer | null> {
    const sequence = (this.#sequences.get(holder) ?? 0) + 1
    this.#sequences.set(holder, sequence)
    const slice = sliceOf(counter, holder)
    return this.store.budgetPlace.change({ slice, counter, holder, sequence, change, least: 1 })
  }

  /** What the budget says of them. */
  async state() {
    const [state] = await this.store.budgets.counters([counter])
    return { spent: state?.spent, held: state?.held, unreconciled: state?.unreconciled }
  }
}

async function slicesOf({ kysely }: Database): Promise<number> {
  return (await kysely.selectFrom('budget_slices').select('id').execute()).length
}

const sumOf = (amounts: Iterable<number>): number => [...amounts].reduce((sum, each) => sum + each, 0)

for (const [engine, open] of Object.entries(engines)) {
  describe.skipIf(engine === 'PostgreSQL' && serverUrl === undefined)(`on ${engine}, of a budget`, () => {
    test.each([
      { gone: 0, living: 2 },
      { gone: 1, living: 0 },
      { gone: 3, living: 2 },
      { gone: 24, living: 8 },
    ])('that $gone dead and $living living processes hold, what the dead held comes free once', async (counts) => {
      const { url, end } = await open()
      await using ends = new AsyncDisposableStack()
      ends.defer(end)
      const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
      ends.defer(() => store.close())
      const clock = openDatabase({ url })
      ends.defer(() => clock.close())
      await store.budgets.insert(budget)

      const holders = new Holders(store)
      const held = new Map<string, number>()
      const named = (kind: 'dead' | 'living', count: number) =>
        Array.from({ length: count }, (_, at) => `${kind}-${at}`)
      const [dead, living] = [named('dead', counts.gone), named('living', counts.living)]
      for (const [at, holder] of [...dead, ...living].entries()) {
        await store.budgetPlace.open(holder)
        held.set(holder, (await holders.take(holder, 1000 + at))?.granted ?? 0)
      }
      expect([...held.values()].every((each) => each >= 1000)).toBe(true)
      const all = sumOf(held.values())
      expect(await holders.state()).toEqual({ spent: 0, held: all, unreconciled: 0 })
      expect(await store.budgets.release(budget.id)).toBe(0)

      for (const holder of dead) {
        await clock.kysely
          .updateTable('budget_holders')
          .set((is) => ({ seen_at: is('seen_at', '-', 2 * holderGoneMs) }))
          .where('id', '=', holder)
          .execute()
      }
      const lost = sumOf(dead.map((holder) => held.get(holder) ?? 0))
      expect(await holders.state()).toEqual({ spent: 0, held: all, unreconciled: lost })

      // Several administrators at once.
      const released = await Promise.all([1, 2, 3].map(() => store.budgets.release(budget.id)))
      expect(sumOf(released)).toBe(lost)
      expect(await holders.state()).toEqual({ spent: 0, held: all - lost, unreconciled: 0 })
      await store.budgets.purge()
      expect(await slicesOf(clock)).toBe(counts.living)
      // One that was only slow has to begin anew, and cannot give back what was taken from it.
      for (const holder of dead) {
        expect(await store.budgetPlace.beat(holder)).toBe(false)
        expect(await holders.take(holder, -1000)).toBeNull()
      }
      for (const holder of living) expect(await store.budgetPlace.beat(holder)).toBe(true)

      await store.budgetPlace.open('next')
      let taken = 0
      for (let granted = 1; granted > 0; taken += granted) granted = (await holders.take('next', amount))?.granted ?? 0
      expect(taken).toBe(amount - (all - lost))

      // Those that stop leave nothing behind; one that holds something is never forgotten by itself.
      for (const holder of [...living, 'next']) await store.budgetPlace.close(holder)
      expect(await slicesOf(clock)).toBe(0)
      await store.budgetPlace.open('killed')
      await new Holders(store).take('killed', 1000)
      await clock.kysely.updateTable('budget_holders').set({ seen_at: 0 }).execute()
      await store.budgets.purge()
      expect((await holders.state()).unreconciled).toBeGreaterThanOrEqual(1000)

      // A counter that says something else than the records is found, among others that do not.
      expect(await store.usage.proveCounters(0)).toEqual({ counters: 1, difference: 0, wrong: [] })
      await clock.kysely.updateTable('budget_counters').set({ spent: 5 }).execute()
      const wrong = [{ id: counter, spent: 5, recomputed: 0 }]
      expect(await store.usage.proveCounters(0)).toEqual({ counters: 1, difference: 5, wrong })
    })
  })
}

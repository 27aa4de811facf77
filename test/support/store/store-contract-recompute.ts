import { expect } from 'bun:test'
import { costOf, nothingUsed } from '#pricing/cost.ts'
import { priceAt } from '#pricing/price.ts'
import type { Store } from '#store/store.ts'
import type { RepricedModel } from '#store/usage/usage.ts'
import type { StoredUsage } from '#store/usage/usage-record.ts'
import { allRows, always, dayMs, days, firstMoment, models, recomputeAll, someCharged } from './priced-usage.ts'
import type { StoreTest } from './store-test.ts'

/** What a row has to cost, said plainly. */
function expectedCost(row: StoredUsage, priced: readonly RepricedModel[]): number | null {
  if (row.upstreamStatus !== 200) return row.cost
  const isPlain = row.modelServed === row.upstreamModel
  const model = priced.find(({ id, name }) => (isPlain ? id === row.modelId : name === row.upstreamModel))
  if (model === undefined) return row.cost
  const price = priceAt(model.prices, row.at)
  if (price === null) return null
  const units =
    row.units === null ? {} : (JSON.parse(row.units) as { images?: number; audioInput?: number; batch?: number })
  const cost = costOf(price, {
    ...nothingUsed,
    inputTokens: row.promptTokens,
    outputTokens: row.completionTokens,
    cachedTokens: row.cachedTokens ?? 0,
    reasoningTokens: row.reasoningTokens ?? 0,
    durationMs: row.durationMs,
    images: units.images ?? 0,
    audioInputTokens: units.audioInput ?? 0,
    isBatch: units.batch === 1,
  })
  return cost ?? (row.counters === null ? null : row.cost)
}

/** The sums of reports and the counters of budgets are those of the rows. */
export async function requireExact(store: Pick<Store, 'usage'>): Promise<void> {
  const rows = await allRows(store)
  const sumOf = (list: readonly StoredUsage[]): number => list.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  const span = { from: firstMoment, to: firstMoment + days * dayMs }
  expect((await store.usage.totals(span)).cost).toBe(sumOf(rows))
  for (const groupBy of ['model', 'user', 'key'] as const) {
    for (const bucketMs of [dayMs, 3_600_000]) {
      const { points } = await store.usage.series({ ...span, groupBy, bucketMs })
      const nameOf = (row: StoredUsage) => ({ model: row.modelServed, user: row.userId, key: row.keyId })[groupBy]
      const groups = Map.groupBy(rows, (row) => `${row.at - (row.at % bucketMs)} ${nameOf(row)}`)
      const expected = new Map([...groups].map(([key, list]) => [key, sumOf(list)]))
      expect(new Map(points.map(({ at, group, cost }) => [`${at} ${group}`, cost]))).toEqual(expected)
    }
  }
  const proof = await store.usage.proveCounters(0)
  expect(proof.counters).toBeGreaterThan(0)
  expect(proof).toMatchObject({ difference: 0, wrong: [] })
}

/** Counters of two budgets. */
export const counters = ['b0@0', `b1@${firstMoment}`, `b1@${firstMoment + dayMs}`]

/** Pricing records again. */
export function recomputeContract(storeTest: StoreTest): void {
  storeTest('each row has the cost of its price, and sums and counters are those of the rows', async (store) => {
    await store.usage.insertMany(someCharged(2700, counters))
    const before = await allRows(store)
    const done = await recomputeAll(store, models(2_000_000))
    const rows = await allRows(store)
    expect(rows.map(({ cost }) => cost)).toEqual(before.map((row) => expectedCost(row, models(2_000_000))))
    expect(done.changed).toBe(
      rows.filter(({ cost, priceId }, at) => cost !== before[at]?.cost || priceId !== before[at]?.priceId).length,
    )
    expect(done.rows).toBe(before.filter(({ upstreamStatus }) => upstreamStatus === 200).length)
    expect(done.skipped).toBeGreaterThan(0)
    await requireExact(store)
  })

  storeTest('a second time nothing changes, and what was broken off is finished from its beginning', async (store) => {
    await store.usage.insertMany(someCharged(2300, counters))
    const step = { ...always, isEveryModel: true, dryRun: false, models: models(5), after: null }
    expect((await store.usage.recompute(step)).last).not.toBeNull()
    await requireExact(store)
    expect((await recomputeAll(store, models(5))).changed).toBeGreaterThan(0)
    const rows = await allRows(store)
    const again = await recomputeAll(store, models(5))
    expect([again.changed, again.after - again.before]).toEqual([0, 0])
    expect(await allRows(store)).toEqual(rows)
    await requireExact(store)
  })

  storeTest('a dry run has the same figures and writes nothing', async (store) => {
    await store.usage.insertMany(someCharged(1500, counters))
    const rows = await allRows(store)
    const dry = await recomputeAll(store, models(3_000_000), { dryRun: true })
    expect(await allRows(store)).toEqual(rows)
    expect(await recomputeAll(store, models(3_000_000))).toEqual(dry)
  })

  storeTest('only the rows of the period and of the model are priced again', async (store) => {
    await store.usage.insertMany(someCharged(900, counters))
    const before = await allRows(store)
    const period = { from: firstMoment + dayMs, to: firstMoment + 2 * dayMs }
    const priced = models(4_000_000).slice(0, 1)
    await recomputeAll(store, priced, { ...period, isEveryModel: false })
    const rows = await allRows(store)
    const changed = rows.filter(({ cost }, at) => cost !== before[at]?.cost)
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.every(({ at }) => at >= period.from && at < period.to)).toBe(true)
    expect(rows.map(({ cost }) => cost)).toEqual(
      before.map((row) => (row.at >= period.from && row.at < period.to ? expectedCost(row, priced) : row.cost)),
    )
    await requireExact(store)
  })

  storeTest('several at once, with other prices and beside new rows, leave sums and counters exact', async (store) => {
    await store.usage.insertMany(someCharged(1200, counters))
    await Promise.all([
      recomputeAll(store, models(1_000_000)),
      recomputeAll(store, models(6_000_000)),
      recomputeAll(store, models(2)),
      ...Array.from({ length: 5 }, () => store.usage.insertMany(someCharged(100, counters))),
    ])
    await requireExact(store)
    await recomputeAll(store, models(8_000_000))
    const rows = await allRows(store)
    expect(rows.map(({ cost }) => cost)).toEqual(rows.map((row) => expectedCost(row, models(8_000_000))))
    await requireExact(store)
  })
}

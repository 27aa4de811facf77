/** Reports beside the plainest way to make them: a loop over all records. */
import { expect } from 'bun:test'
import type { Percentiles } from '#store/usage/spread.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { dayMs, floorTo, hourMs } from '#store/usage/usage-spans.ts'
import type { UsageFilter, UsageGrouping, UsagePoint, UsageStore, UsageTotals } from '#store/usage/usage.ts'
import type { StoreTest } from './store-test.ts'
import { aUsage } from './store-records.ts'

const start = Date.UTC(2026, 1, 27)
const days = 4

/** Random records over some days, many of them at the edges of hours and days; any question gets the sum of its records. */
export function reportContract(storeTest: StoreTest): void {
  for (const size of [1, 40, 1000]) {
    storeTest(`reports of ${size} records are what adding up says, before and after a purge`, async ({ usage }) => {
      const random = randomOf(size)
      const records = Array.from({ length: size }, () => randomRecord(random))
      for (let at = 0; at < size; at += 700) await usage.insertMany(records.slice(at, at + 700))
      for (let question = 0; question < 20; question += 1) await compare(usage, records, randomQuestion(random))
      const purgedBefore = start + Math.floor(random() * days * dayMs)
      await usage.purgeBefore(purgedBefore)
      for (let question = 0; question < 20; question += 1)
        await compare(usage, records, randomQuestion(random), purgedBefore)
    })
  }
}

/** Histograms are read and written back: without their lock, writers would undo each other. */
export function latencyContract(storeTest: StoreTest): void {
  storeTest('histograms lose nothing to others that write at once', async ({ usage }) => {
    const batches = Array.from({ length: 12 }, (_, batch) =>
      Array.from({ length: 40 }, (_each, index) =>
        aUsage({ at: start + index, durationMs: batch * 40 + index, modelServed: 'm1', provider: 'p1' }),
      ),
    )
    await Promise.all(batches.map((records) => usage.insertMany(records)))
    const span = { from: start, to: start + dayMs, bucketMs: null } as const
    for (const query of [{ groupBy: 'none' }, { groupBy: 'model' }, { groupBy: 'provider' }] as const) {
      const points = await usage.latency({ ...span, ...query })
      expect(points.map(({ duration }) => duration.count)).toEqual([480])
    }
  })
}

interface Question {
  readonly filter: UsageFilter
  readonly groupBy: Exclude<UsageGrouping, 'group'>
  readonly bucketMs: number
}

async function compare(
  usage: UsageStore,
  records: readonly UsageRecord[],
  question: Question,
  purgedBefore = 0,
): Promise<void> {
  const { filter, groupBy, bucketMs } = question
  const { from, to } = filter
  const matching = records.filter((record) => matches(record, filter))
  // A purge leaves the sums, which answer for hours that lie in the period, where buckets are made of whole hours.
  const kept = matching.filter(({ at }) => at >= purgedBefore || isInHours(at, filter))
  const isMadeOfHours = bucketMs >= to - from || (bucketMs % hourMs === 0 && from % hourMs === 0)
  const counted = isMadeOfHours ? kept : matching.filter(({ at }) => at >= purgedBefore)
  const told = {
    totals: await usage.totals(filter),
    points: (await usage.series({ ...filter, groupBy, bucketMs })).points,
  }
  const expected = { totals: totalsOf(kept), points: pointsOf(counted, question) }
  expect({ question, ...told, points: sorted(told.points) }).toEqual({
    question,
    ...expected,
    points: sorted(expected.points),
  })
  await compareLatency(usage, kept, question)
  if (groupBy === 'none') return
  const groups = [...new Set(expected.points.flatMap(({ group }) => group ?? []))]
  const among = [...groups.filter((_, index) => index % 2 === 0), 'nobody']
  const some = (await usage.series({ ...filter, groupBy, bucketMs, among })).points
  const expectedSome = expected.points.filter(({ group }) => group !== null && among.includes(group))
  expect({ question, among, points: sorted(some) }).toEqual({ question, among, points: sorted(expectedSome) })
}

/** Times of histograms are at most this far off, and then rounded to a millisecond. */
const offMax = 0.032

/** Percentiles of all, of each model and of each provider, beside those of the sorted times. */
async function compareLatency(usage: UsageStore, kept: readonly UsageRecord[], question: Question): Promise<void> {
  const { from, to, userId, keyId, model, provider } = question.filter
  if (userId !== undefined || keyId !== undefined) return
  const groupBy = question.groupBy === 'provider' || question.groupBy === 'model' ? question.groupBy : 'none'
  if (model !== undefined && (provider !== undefined || groupBy === 'provider')) return
  if (provider !== undefined && groupBy === 'model') return
  const points = await usage.latency({ from, to, model, provider, groupBy, bucketMs: null })
  const answered = kept.filter(({ status }) => status < 400)
  const grouped = Map.groupBy(answered, (record) =>
    groupBy === 'none' ? null : groupBy === 'model' ? record.modelServed : record.provider,
  )
  expect(points.map(({ group }) => String(group)).toSorted()).toEqual([...grouped.keys()].map(String).toSorted())
  for (const { group, duration, firstToken } of points) {
    const own = grouped.get(group) ?? []
    expectNear(
      duration,
      own.map(({ durationMs }) => durationMs),
    )
    expectNear(
      firstToken,
      own.flatMap(({ streamed, firstTokenMs }) => (streamed ? (firstTokenMs ?? []) : [])),
    )
  }
}

function expectNear({ count, p50Ms, p95Ms }: Percentiles, times: readonly number[]): void {
  const ordered = times.toSorted((one, other) => one - other)
  const exact = (share: number): number | undefined => ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)]
  expect(count).toBe(times.length)
  for (const [told, share] of [[p50Ms, 0.5] as const, [p95Ms, 0.95] as const]) {
    const expected = exact(share)
    if (expected === undefined) expect(told).toBeNull()
    else expect(Math.abs((told ?? Infinity) - expected)).toBeLessThanOrEqual(expected * offMax + 0.5)
  }
}

function isInHours(at: number, { from, to }: UsageFilter): boolean {
  const hour = floorTo(at, hourMs)
  return from <= hour && hour + hourMs <= to
}

function matches(record: UsageRecord, { from, to, userId, keyId, model, provider }: UsageFilter): boolean {
  const isIn = from <= record.at && record.at < to
  const isOf = (asked: string | undefined, value: string | null): boolean => asked === undefined || asked === value
  const isOfModel = isOf(model, record.modelServed) && isOf(provider, record.provider)
  return isIn && isOf(userId, record.userId) && isOf(keyId, record.keyId) && isOfModel
}

function pointsOf(records: readonly UsageRecord[], { filter, groupBy, bucketMs }: Question): UsagePoint[] {
  const nameOf = ({ modelServed, userId, keyId, provider }: UsageRecord): string | null =>
    ({ model: modelServed, user: userId, key: keyId, provider, none: null })[groupBy]
  const bucketOf = ({ at }: UsageRecord): number => filter.from + floorTo(at - filter.from, bucketMs)
  const points = Map.groupBy(records, (record) => JSON.stringify([bucketOf(record), nameOf(record)]))
  return [...points].map(([key, some]) => {
    const [at, group] = JSON.parse(key) as [number, string | null]
    return { at, group, ...totalsOf(some) }
  })
}

function totalsOf(records: readonly UsageRecord[]): UsageTotals {
  const sum = (value: (record: UsageRecord) => number | null): number =>
    records.reduce((all, record) => all + (value(record) ?? 0), 0)
  return {
    requests: records.length,
    errors: sum(({ status }) => Number(status >= 400)),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    cost: sum(({ cost }) => cost),
    requestBytes: sum(({ requestBytes }) => requestBytes),
    responseBytes: sum(({ responseBytes }) => responseBytes),
    durationMs: sum(({ durationMs }) => durationMs),
    firstTokens: sum(({ streamed, firstTokenMs }) => Number(streamed && firstTokenMs !== null)),
    firstTokenMs: sum(({ streamed, firstTokenMs }) => (streamed ? firstTokenMs : 0)),
    failures: sum(({ status }) => Number(status >= 500)),
    streamTokens: sum((record) => (streamMs(record) > 0 ? record.completionTokens : 0)),
    streamMs: sum((record) => ((record.completionTokens ?? 0) > 0 ? streamMs(record) : 0)),
  }
}

function streamMs({ streamed, firstTokenMs, durationMs }: UsageRecord): number {
  return streamed && firstTokenMs !== null ? Math.max(0, durationMs - firstTokenMs) : 0
}

function sorted(points: readonly UsagePoint[]): readonly UsagePoint[] {
  return points.toSorted((one, other) => one.at - other.at || String(one.group).localeCompare(String(other.group)))
}

type Random = () => number

/** The same numbers in each run (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function oneOf<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[Math.floor(random() * values.length)] ?? values[0]
}

/** A moment of these days: anywhere, at the beginning of an hour or day, or just before. */
function moment(random: Random): number {
  const at = start + Math.floor(random() * days * dayMs)
  return oneOf(random, [
    at,
    at,
    floorTo(at, hourMs),
    floorTo(at, hourMs) - 1,
    floorTo(at, dayMs),
    floorTo(at, dayMs) + 1,
  ])
}

function randomRecord(random: Random): UsageRecord {
  const count = (): number | null => oneOf(random, [null, 0, Math.floor(random() * 1e6)])
  return aUsage({
    at: moment(random),
    userId: oneOf(random, [null, 'ada', 'bob']),
    keyId: oneOf(random, [null, 'k1', 'k2', 'k3']),
    modelServed: oneOf(random, [null, 'm1', 'm2']),
    provider: oneOf(random, [null, 'p1', 'p2']),
    status: oneOf(random, [200, 200, 400, 502]),
    streamed: oneOf(random, [true, false]),
    firstTokenMs: count(),
    durationMs: Math.floor(10 ** (random() * 7)),
    promptTokens: count(),
    completionTokens: count(),
    cachedTokens: count(),
    cacheWriteTokens: count(),
    reasoningTokens: count(),
    cost: oneOf(random, [null, Math.floor(random() * 1e11)]),
  })
}

function randomQuestion(random: Random): Question {
  const [one, other] = [moment(random), moment(random)]
  const [from, to] = [Math.min(one, other), Math.max(one, other) + 1]
  const maybe = (value: string): string | undefined => (random() < 0.25 ? value : undefined)
  return {
    filter: { from, to, userId: maybe('ada'), keyId: maybe('k2'), model: maybe('m1'), provider: maybe('p1') },
    groupBy: oneOf(random, ['none', 'model', 'user', 'key', 'provider']),
    bucketMs: oneOf(random, [to - from, 17 * 60_000, hourMs, 6 * hourMs, dayMs]),
  }
}

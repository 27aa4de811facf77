/**
 * How long do reports of usage take? `bun bench/usage-reports.ts [ROWS] [DATABASE URL]`: 10,000,000 records of 56 days by
 * 1,000 users with two keys each and 40 models, in an SQLite file that is made and removed, or in the PostgreSQL database
 * of the URL, whose schema has to be empty. They are written as a server writes them, with their sums.
 *
 * A database that holds records already, from an earlier run, is asked as it is. Figures go to stdout.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { usageLine, type UsageRecord } from '#store/usage/usage-record.ts'

const rows = Number(process.argv[2] ?? 10_000_000)
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-usage-'))
const url = process.argv[3] ?? `sqlite:${join(folder, 'bench.db')}`
const [hourMs, dayMs] = [3_600_000, 86_400_000]
const [days, users, models] = [56, 1000, 40]
const batchRows = 4000
const rounds = 15

const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
/** The middle of an hour: both ends of each period are read from rows. */
const to = Math.floor(Date.now() / hourMs) * hourMs - hourMs / 2
const start = to - days * dayMs
const first = await store.usage.list({ from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 })
if (first.items.length === 0) await fill()
await measure()
await store.close()
rmSync(folder, { recursive: true })

/** In the order of time, as a server writes them; few users are busy, and most are not. */
async function fill(): Promise<void> {
  const begunAt = performance.now()
  let written = 0
  const writer = async (): Promise<void> => {
    while (written < rows) {
      const from = written
      written += batchRows
      const lines = Array.from({ length: Math.min(batchRows, rows - from) }, (_, at) => usageLine(aRecord(from + at)))
      await store.usage.write({ text: `${lines.join('\n')}\n`, place: null })
    }
  }
  await Promise.all(Array.from({ length: 3 }, writer))
  const seconds = (performance.now() - begunAt) / 1000
  console.log(`${rows} records written in ${seconds.toFixed(0)} s: ${Math.round(rows / seconds)} rows/s`)
}

function aRecord(number: number): UsageRecord {
  const user = Math.floor(users * Math.random() ** 3)
  // Each user has three models.
  const model = (user * 7 + Math.floor(3 * Math.random() ** 2)) % models
  const status = Math.random() < 0.01 ? 502 : 200
  return {
    at: start + Math.floor((number / rows) * (to - start)),
    requestId: `req_${number}`,
    keyId: `key-${user}-${number % 2}`,
    userId: `user-${user}`,
    endpoint: 'chat/completions',
    modelAsked: `model-${model}`,
    modelId: `id-${model}`,
    modelServed: `model-${model}`,
    provider: `provider-${model % 4}`,
    upstreamStatus: status,
    status,
    code: status === 200 ? null : 'upstream_error',
    streamed: number % 3 > 0,
    promptTokens: 1000,
    completionTokens: 200,
    firstTokenMs: 300,
    durationMs: 3000,
    requestBytes: 4000,
    responseBytes: 2000,
    attempts: 1,
    upstreamModel: `model-${model}`,
    attemptReasons: null,
    cachedTokens: 500,
    cacheWriteTokens: null,
    reasoningTokens: null,
    cost: 1_000_000,
    priceId: 'price',
    units: null,
    counters: null,
    slices: null,
    queueMs: null,
    calledMs: null,
    limits: null,
  }
}

async function measure(): Promise<void> {
  const period = { from: to - 28 * dayMs, to }
  const daily = { ...period, from: Math.floor(period.from / dayMs) * dayMs, bucketMs: dayMs }
  const top = { kind: 'top', limit: 8 } as const
  const failed = { first: 500, last: 599 }
  const { usage } = store
  console.log('| report of 28 days | p50 ms | slowest ms |\n|---|---|---|')
  await time('totals', () => usage.totals(period))
  await time('totals of one user', () => usage.totals({ ...period, userId: 'user-3' }))
  await time('days by model, the 8 largest', () => usage.series({ ...daily, groupBy: 'model', groups: top }))
  await time('days by user, the 8 largest', () => usage.series({ ...daily, groupBy: 'user', groups: top }))
  await time('days of one user by key', () => usage.series({ ...daily, userId: 'user-3', groupBy: 'key', groups: top }))
  await time('the whole by user, a page of 100', () =>
    usage.series({ ...period, bucketMs: 28 * dayMs, groupBy: 'user', groups: { kind: 'page', limit: 100 } }),
  )
  await time('hours of two days by model', () =>
    usage.series({
      from: Math.floor(to / hourMs) * hourMs - 2 * dayMs,
      to,
      bucketMs: hourMs,
      groupBy: 'model',
      groups: top,
    }),
  )
  await time('newest requests', () => usage.list({ ...period, limit: 50 }))
  await time('errors of a busy user, the newest first', () =>
    usage.list({ ...period, userId: 'user-0', status: failed, limit: 50 }),
  )
  await time('errors of a quiet user, the newest first', () =>
    usage.list({ ...period, userId: `user-${users - 1}`, status: failed, limit: 50 }),
  )
}

async function time(name: string, ask: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begunAt = performance.now()
    await ask()
    times.push(performance.now() - begunAt)
  }
  times.sort((one, other) => one - other)
  console.log(`| ${name} | ${times[rounds >> 1]?.toFixed(0)} | ${times.at(-1)?.toFixed(0)} |`)
}

/** Exports of usage: what is in the files, that each period is exported once, and what a restatement is. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import { exportColumns } from '#exports/export-columns.ts'
import { exportUsage } from '#exports/export-work.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loaded } from '#config/test-support.ts'
import { createLogger } from '#observe/log.ts'
import { systemClock } from '#lib/clock.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { until } from '#test/support/until.ts'

interface Export {
  readonly id: string
  readonly state: string
  readonly version: number
  readonly starts_at: string
  readonly ends_at: string
  readonly rows: number
  readonly totals: { readonly requests: number; readonly cost: number }
  readonly now: { readonly requests: number; readonly cost: number }
  readonly files: readonly {
    readonly format: string
    readonly name: string
    readonly url: string
    readonly bytes: number
  }[]
}

const dayMs = 86_400_000
const yesterday = Math.floor(Date.now() / dayMs) * dayMs - dayMs
let gateway: GatewayApp
let user: string
beforeAll(async () => {
  gateway = await startGateway()
  const { main, other } = gateway.keys
  user = main.userId
  const row = (hour: number, fields: object) =>
    aUsage({
      at: yesterday + hour * 3_600_000 + 1,
      userId: user,
      keyId: main.id,
      modelServed: 'plain',
      provider: 'up',
      ...fields,
    })
  await gateway.store.usage.insertMany([
    row(0, { cost: 1_000_000_001, promptTokens: 3, completionTokens: 4 }),
    row(23, { cost: 2, promptTokens: 5, completionTokens: 6, status: 500 }),
    row(5, { userId: other.userId, keyId: other.id, cost: null, promptTokens: 7, completionTokens: 8 }),
    // Before and after: of other days.
    row(-1, { cost: 100 }),
    row(24, { cost: 100 }),
  ])
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function read<T>(path: string): Promise<T> {
  const response = await gateway.operate('GET', path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const list = async (): Promise<readonly Export[]> => (await read<{ data: readonly Export[] }>('/exports')).data
const set = (name: string, value: unknown) => gateway.operate('PUT', `/settings/${name}`, { value })
const file = (url: string, key = gateway.keys.admin) => gateway.request('GET', url, { key, nonsense: true })

async function madeVersion(version: number): Promise<Export> {
  await until(async () => (await list()).some((each) => each.state === 'done' && each.version === version))
  return (await list()).find((each) => each.version === version)!
}

test('a day is exported when it is over, and both files have the sums of each user, key and model', async () => {
  expect(await list()).toEqual([])
  await set('exports.hour', 1)
  await set('exports.schedule', 'daily')
  gateway.advance(Math.max(0, yesterday + dayMs + 2 * 3_600_000 - Date.now()))
  const made = await madeVersion(1)
  expect(made).toMatchObject({
    starts_at: new Date(yesterday).toISOString(),
    ends_at: new Date(yesterday + dayMs).toISOString(),
    rows: 2,
    totals: { requests: 3, cost: 1_000_000_003 },
  })
  const date = new Date(yesterday).toISOString().slice(0, 10)
  expect(made.files.map(({ name }) => name)).toEqual([`usage-${date}.csv`, `usage-${date}.parquet`])
  const csv = await file(made.files[0]!.url)
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="usage-${date}.csv"`)
  const [head, ...lines] = (await csv.text()).trimEnd().split('\r\n')
  expect(head).toBe(exportColumns.map(({ name }) => name).join(','))
  const own = Object.fromEntries(
    head!.split(',').map((name, at) => [name, lines.find((line) => line.includes(user))!.split(',')[at]]),
  )
  expect(own).toMatchObject({
    date,
    model: 'plain',
    provider: 'up',
    requests: '2',
    errors: '1',
    prompt_tokens: '8',
    cost_nano: '1000000003',
    cost: '1.000000003',
    currency: 'USD',
  })
  const parquet = await parquetReadObjects({ file: await (await file(made.files[1]!.url)).arrayBuffer() })
  expect(parquet.map((row) => String(row['user_id'])).toSorted()).toEqual([user, gateway.keys.other.userId].toSorted())
  expect(parquet.find((row) => row['user_id'] === user)).toMatchObject({
    requests: 2n,
    cost_nano: 1_000_000_003n,
    user_email: own['user_email'],
  })
})

test('many who export at the same moment make each period once', async () => {
  await set('exports.schedule', 'off')
  const { settings, sources } = loaded({ overrides: ['exports.schedule=monthly', 'exports.hour=1'] })
  const stored: string[] = []
  const work = {
    settings: new LiveSettings(settings, sources),
    store: gateway.store.exports,
    usage: gateway.store.usage,
    logger: createLogger({ level: 'silent', format: 'json', clock: systemClock, write: () => {} }),
    now: () => Promise.resolve(Date.now() + 40 * dayMs),
    names: { user: () => ({ email: '', groups: [] }), keys: () => Promise.resolve(new Map<string, string>()) },
    place: {
      async store(id: string, pieces: AsyncIterable<Uint8Array>) {
        let bytes = 0
        for await (const piece of pieces) bytes += piece.byteLength
        stored.push(id)
        return { sha256: 'a'.repeat(64), bytes, [Symbol.dispose]: () => {} }
      },
    },
  }
  await Promise.all(Array.from({ length: 8 }, () => exportUsage(work)))
  const months = (await list()).filter((each) => Date.parse(each.ends_at) - Date.parse(each.starts_at) > dayMs)
  expect(months.map(({ state, version }) => [state, version])).toEqual([['done', 1]])
  const found = await gateway.store.exports.find(months[0]!.id)
  // The files are those of one of them, together.
  expect(found?.files.length).toBe(2)
  expect(found?.files.every(({ blobId }) => stored.includes(blobId))).toBe(true)
})

test('an attempt that fails leaves the period to be made, and says why', async () => {
  const [newest] = await list()
  await gateway.store.exports.restate(newest!.id, { id: 'failing', at: Date.now() })
  await gateway.store.exports.fail('failing', 'the bucket is gone')
  await until(async () => (await gateway.store.exports.find('failing'))?.state === 'done')
  expect((await gateway.store.exports.find('failing'))?.error).toBe(null)
})

test('what was recorded later does not change a file: it is seen, and a restatement has it', async () => {
  const first = (await list()).find(
    (each) => each.version === 1 && each.starts_at === new Date(yesterday).toISOString(),
  )!
  const before = await (await file(first.files[0]!.url)).text()
  await gateway.store.usage.insertMany([aUsage({ at: yesterday + 5, userId: user, cost: 7 })])
  await until(async () => (await read<Export>(`/exports/${first.id}`)).now.requests === 4)
  expect((await read<Export>(`/exports/${first.id}`)).totals.requests).toBe(3)
  const restated = await gateway.operate('POST', `/exports/${first.id}/restate`)
  expect(restated.status).toBe(202)
  const { id, version } = (await restated.json()) as Export
  expect(version).toBe(2)
  await until(async () => (await read<Export>(`/exports/${id}`)).state === 'done')
  const second = await read<Export>(`/exports/${id}`)
  expect([second.totals, second.now]).toEqual([
    { requests: 4, cost: 1_000_000_010 },
    { requests: 4, cost: 1_000_000_010 },
  ])
  expect(second.files[0]?.name).toEndWith('.v2.csv')
  expect(await (await file(first.files[0]!.url)).text()).toBe(before)
})

test('files are for administrators, and a download is in the audit log', async () => {
  const done = (await list()).find(({ files, version }) => files.length > 0 && version === 2)!
  expect((await file(done.files[0]!.url, gateway.keys.main)).status).toBe(403)
  expect((await file(`/admin/api/v1/exports/${done.id}/files/xlsx`)).status).toBe(404)
  await (await file(done.files[0]!.url)).arrayBuffer()
  const { data } = await read<{ data: readonly { action: string; details: object }[] }>('/audit?limit=1')
  expect(data[0]).toMatchObject({ action: 'GET /exports/:id/files/:format', details: { name: done.files[0]!.name } })
})

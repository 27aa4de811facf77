/** POST /admin/api/v1/prices/recompute: costs of a period by the prices of now. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

interface Recomputed {
  readonly records: number
  readonly changed: number
  readonly skipped: number
  readonly before: number
  readonly after: number
  readonly next_cursor: string | null
}

const from = '2026-03-01T00:00:00Z'
const to = '2026-03-02T00:00:00Z'
const at = Date.parse(from)

let app: AdminApp
const ids = new Map<string, string>()
beforeAll(async () => {
  app = await startAdminApp()
  const made = async (path: string, body: object): Promise<string> =>
    (await app.call<{ id: string }>('POST', path, { body })).body.id
  const provider_id = await made('/providers', { name: 'vendor', base_url: 'http://127.0.0.1:9/v1' })
  for (const name of ['cheap', 'dear']) {
    const id = await made('/models', { name, provider_id })
    ids.set(name, id)
    await made(`/models/${id}/prices`, { rates: { request: name === 'dear' ? 100 : 1 }, valid_from: from })
    const record = (index: number) => aUsage({ at: at + index, modelId: id, modelServed: name, upstreamModel: name })
    await app.store.usage.insertMany(Array.from({ length: 700 }, (_, index) => record(index)))
  }
  await app.store.usage.insertMany([aUsage({ at: at - 1, modelId: ids.get('dear') ?? '', cost: 5 })])
})
afterAll(() => app[Symbol.asyncDispose]())

async function recompute(body: object): Promise<Recomputed> {
  const answer = await app.call<Recomputed>('POST', '/prices/recompute', { body: { from, to, ...body } })
  expect(answer.status).toBe(200)
  return answer.body
}

describe('costs that are computed again', () => {
  const none = { skipped: 0, before: 0, next_cursor: null }

  test('are only said by a dry run, and a budget counts them as its records do', async () => {
    expect(await recompute({ dry_run: true })).toEqual({ ...none, records: 1400, changed: 1400, after: 70_700 })
    const total = async () => (await app.call<{ cost: number }>('GET', `/usage?from=${from}&to=${to}`)).body.cost
    expect(await total()).toBe(0)
    const model_ids = [ids.get('dear')]
    expect(await recompute({ model_ids })).toEqual({ ...none, records: 700, changed: 700, after: 70_000 })
    expect(await total()).toBe(70_000)
    expect(await recompute({})).toEqual({ ...none, records: 1400, changed: 700, before: 70_000, after: 70_700 })
    expect(await total()).toBe(70_700)
    expect((await recompute({})).changed).toBe(0)
    const proof = await app.call<{ difference: number }>('GET', '/budgets-proof')
    expect(proof.body.difference).toBe(0)
  })

  test('go by the price that is set in the meantime', async () => {
    const path = `/models/${ids.get('cheap')}/prices`
    await app.call('POST', path, { body: { rates: { request: 2 }, valid_from: '2026-03-01T00:00:00.100Z' } })
    expect((await recompute({})).after - 70_700).toBe(600)
  })

  test('go on from a cursor', async () => {
    const cursor = Buffer.from(JSON.stringify([at + 649, Number.MAX_SAFE_INTEGER])).toString('base64url')
    expect((await recompute({ cursor })).records).toBe(100)
  })

  test('need a period, a model that exists, and a cursor that was given', async () => {
    const wrong = [
      [{ from: to, to: from }, 'validation_failed'],
      [{ from }, 'validation_failed'],
      [{ from, to, model_ids: [crypto.randomUUID()] }, 'not_found'],
      [{ from, to, model_ids: [] }, 'validation_failed'],
      [{ from, to, cursor: 'x' }, 'invalid_cursor'],
    ] as const
    for (const [body, code] of wrong) expect((await app.call('POST', '/prices/recompute', { body })).code).toBe(code)
    expect((await app.call('POST', '/prices/recompute', { key: app.userKey, body: { from, to } })).status).toBe(403)
  })
})

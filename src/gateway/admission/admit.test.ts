import { describe, expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loaded } from '#config/test-support.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { createMetrics } from '#observe/metrics.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import type { AppliedLimit } from '#store/usage/usage-record.ts'
import { admit } from './admit.ts'
import { LocalInflightLimiter, type Slot } from '#limits/inflight.ts'

const provider = aProvider()
const record = aModel(provider.id, { name: 'canonical', aliases: ['one', 'two'] })

function admission(set: readonly string[], override?: { readonly caller: Caller; readonly inflightLimit: number }) {
  const { settings, sources } = loaded({ overrides: set })
  const inflightOverrides =
    override === undefined
      ? []
      : [{ userId: override.caller.account.user.id, modelId: record.id, inflightLimit: override.inflightLimit }]
  const catalog = new Catalog({ providers: [provider], models: [record], inflightOverrides })
  const parts = {
    settings: new LiveSettings(settings, sources),
    catalog: () => catalog,
    inflight: new LocalInflightLimiter(),
    metrics: createMetrics({ version: '0.0.0', codes: [] }),
  }
  const model = catalog.models[0]!
  const noted: AppliedLimit[] = []
  const request = {
    context: { addHeader: () => undefined },
    model,
    record: { limited: (...limits: AppliedLimit[]) => void noted.push(...limits) },
  }
  return { ...parts, noted, take: async (caller: Caller): Promise<Slot> => await admit(parts, { ...request, caller }) }
}

const enforced = 'limits.realtime_inflight.enforce=true'

async function refusal(taking: Promise<Slot>): Promise<ApiError> {
  const thrown = await taking.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof ApiError)) throw new Error('the request was admitted')
  return thrown
}

describe('in-flight slots of requests', () => {
  test('are taken up to the default limit and no further, for each account by itself', async () => {
    const gateway = admission([enforced, 'limits.realtime_inflight.default=3'])
    const [ada, bob] = [aCaller(), aCaller()]
    const slots = [await gateway.take(ada), await gateway.take(ada), await gateway.take(ada)]
    expect((await refusal(gateway.take(ada))).code).toBe('inflight_limit_exceeded')
    expect((await gateway.take(bob)).inUse).toBe(1)
    slots[1]?.[Symbol.dispose]()
    expect((await gateway.take(ada)).inUse).toBe(3)
    expect(gateway.noted.map(({ left, refused }) => [left, refused])).toEqual([
      [2, false],
      [1, false],
      [0, false],
      [0, true],
      [2, false],
      [0, false],
    ])
  })

  test('are shared by all keys of an account', async () => {
    const gateway = admission([enforced, 'limits.realtime_inflight.default=1'])
    const caller = aCaller()
    await gateway.take(caller)
    expect((await refusal(gateway.take({ ...caller, key: aCaller().key }))).status).toBe(429)
  })

  test("are as many as the account's own limit says, whatever the default", async () => {
    const caller = aCaller()
    const gateway = admission([enforced, 'limits.realtime_inflight.default=1'], { caller, inflightLimit: 2 })
    await gateway.take(caller)
    await gateway.take(caller)
    expect((await refusal(gateway.take(caller))).message).toContain('2 requests in flight on canonical')
  })

  test('are only counted while the limit is not enforced', async () => {
    const gateway = admission(['limits.realtime_inflight.default=1'])
    const caller = aCaller()
    await gateway.take(caller)
    expect((await gateway.take(caller)).inUse).toBe(2)
    expect(gateway.inflight.inUseByModel().get(record.id)).toBe(2)
    expect(gateway.noted).toEqual([])
  })
})

describe('a refusal', () => {
  test('says when to come back, each client at another moment, and is counted', async () => {
    const caller = aCaller()
    const gateway = admission([enforced], { caller, inflightLimit: 0 })
    const errors = await Promise.all(Array.from({ length: 50 }, () => refusal(gateway.take(caller))))
    const waits = errors.map((error) => Number(error.detail.headers?.['retry-after-ms']))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1500)
    expect(new Set(waits).size).toBeGreaterThan(1)
    expect(errors[0]?.row).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      retryable: true,
      retryAfterSeconds: 1,
    })
    expect(await gateway.metrics.render()).toMatch(/sluice_inflight_refused\w*\{model="canonical"\} 50/)
  })

  test('takes nothing', async () => {
    const caller = aCaller()
    const gateway = admission([enforced], { caller, inflightLimit: 0 })
    await refusal(gateway.take(caller))
    expect(gateway.inflight.inUseByModel().size).toBe(0)
  })
})

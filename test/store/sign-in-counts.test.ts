/** Failed sign-ins that several processes count together, against the rules of one process. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LocalSignInGuard, SharedSignInGuard, type SignInAttempt } from '#admin/sign-in-guard.ts'
import { systemClock } from '#lib/clock.ts'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
/** Longer than the test, so that time does not matter. */
const limits = { attempts: 3, lockSeconds: 500 }

const attempt: fc.Arbitrary<SignInAttempt> = fc.record({
  email: fc.constantFrom('a@b', 'c@d'),
  address: fc.constantFrom('192.0.2.1', '192.0.2.2', ''),
  browser: fc.constantFrom(null, null, 'x'),
})

describe.skipIf(serverUrl === undefined)(`failed sign-ins on two processes${reason}`, () => {
  test('count as they would on one', async () => {
    const schema = await makePostgresSchema(String(serverUrl))
    const stores = await Promise.all(
      [0, 1].map(() => openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })),
    )
    const [one, two] = stores.map((store) => new SharedSignInGuard(store.signInCounts!, () => limits))
    const steps = fc.array(fc.record({ attempt, ends: fc.boolean(), onTwo: fc.boolean() }), { maxLength: 25 })
    let run = 0
    try {
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          run += 1
          const alone = new LocalSignInGuard(systemClock, () => limits)
          for (const { attempt: bare, ends, onTwo } of all) {
            const own = {
              ...bare,
              email: `${run} ${bare.email}`,
              address: bare.address && `10.0.${run}.${bare.address.at(-1)}`,
            }
            const guard = onTwo ? two! : one!
            const waits = await alone.begin(own)
            expect((await guard.begin(own)) === null).toBe(waits === null)
            if (!ends || waits !== null) continue
            await alone.succeeded(own)
            await guard.succeeded(own)
          }
        }),
        { numRuns: 25 },
      )
    } finally {
      for (const store of stores) await store.close()
      await schema.drop()
    }
  })

  test('that come at once get no more tries than one after the other', async () => {
    const schema = await makePostgresSchema(String(serverUrl))
    const stores = await Promise.all(
      [0, 1].map(() => openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })),
    )
    const guards = stores.map((store) => new SharedSignInGuard(store.signInCounts!, () => limits))
    const client = { email: 'a@b', address: '192.0.2.1', browser: null }
    const waits = await Promise.all(Array.from({ length: 12 }, (_none, index) => guards[index % 2]!.begin(client)))
    expect(waits.filter((wait) => wait === null)).toHaveLength(limits.attempts)
    await stores[0]!.signInCounts!.purge(-1_000_000)
    expect(await schema.run('select * from sign_in_counts')).toEqual([])
    for (const store of stores) await store.close()
    await schema.drop()
  })
})

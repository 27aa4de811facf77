import { describe, expect, test } from 'bun:test'
import { LocalSignInGuard, type SignInAttempt } from './sign-in-guard.ts'

const attempts = 3
const lockSeconds = 10

const client: SignInAttempt = { email: 'a@b', address: '192.0.2.1', browser: null }

function guardWithClock() {
  let elapsed = 1000
  const clock = { now: () => 0, elapsed: () => elapsed }
  const guard = new LocalSignInGuard(clock, () => ({ attempts, lockSeconds }))
  return { guard, advance: (seconds: number) => void (elapsed += seconds * 1000) }
}

async function failTimes(guard: LocalSignInGuard, times: number, fields: Partial<SignInAttempt> = {}) {
  const waits: (number | null)[] = []
  for (let count = 0; count < times; count += 1) waits.push(await guard.begin({ ...client, ...fields }))
  return waits
}

/** Uses up the budget of one account from as many addresses as it takes. */
async function attack(guard: LocalSignInGuard, email = client.email): Promise<void> {
  for (let guess = 0; guess < attempts * 10; guess += 1)
    await guard.begin({ ...client, email, address: `10.0.0.${guess}` })
}

describe('LocalSignInGuard', () => {
  test('the allowed number of attempts is looked at, further ones wait', async () => {
    const { guard } = guardWithClock()
    expect(await failTimes(guard, 4)).toEqual([null, null, null, 10])
  })

  test('an attempt during the wait does not lengthen it', async () => {
    const { guard, advance } = guardWithClock()
    await failTimes(guard, 3)
    advance(9)
    expect(await failTimes(guard, 5)).toEqual([1, 1, 1, 1, 1])
    advance(1)
    expect(await guard.begin(client)).toBeNull()
  })

  test('waits double with each failure and end at a quarter of an hour', async () => {
    const { guard, advance } = guardWithClock()
    await failTimes(guard, 3)
    const waits: (number | null)[] = []
    for (let round = 0; round < 12; round += 1) {
      const wait = await guard.begin(client)
      waits.push(wait)
      advance(wait ?? 0)
      expect(await guard.begin(client)).toBeNull()
    }
    expect(waits.slice(0, 4)).toEqual([10, 20, 40, 80])
    expect(waits.at(-1)).toBe(900)
  })

  test('a count is forgotten after a quiet quarter of an hour', async () => {
    const { guard, advance } = guardWithClock()
    await failTimes(guard, 2)
    advance(15 * 60 + 1)
    expect(await failTimes(guard, 4)).toEqual([null, null, null, 10])
  })

  test('failures from one address make nobody elsewhere wait', async () => {
    const { guard } = guardWithClock()
    await failTimes(guard, 20)
    expect(await guard.begin({ ...client, address: '192.0.2.2' })).toBeNull()
  })

  test('however many guess at an account, a browser that is known there does not wait for them', async () => {
    const { guard } = guardWithClock()
    await attack(guard)
    const browser = { browser: 'known', address: '10.0.0.1' }
    expect(await failTimes(guard, 4, browser)).toEqual([null, null, null, 10])
    expect(await failTimes(guard, 1, { ...browser, email: 'other@b' })).toEqual([null])
  })

  test('however many guess at an account, any other client waits the length of one lock and no longer', async () => {
    const { guard, advance } = guardWithClock()
    await attack(guard)
    expect(await failTimes(guard, 2)).toEqual([10, 10])
    await attack(guard)
    advance(10)
    expect(await failTimes(guard, 2)).toEqual([null, 10])
    expect(await guard.begin({ ...client, email: 'other@b' })).toBeNull()
  })

  test('many accounts from one address are one attacker, who waits before each further guess', async () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < attempts * 10; guess += 1)
      expect(await guard.begin({ ...client, email: `user${guess}@b` })).toBeNull()
    expect(await failTimes(guard, 1, { email: 'another@b' })).toEqual([10])
    expect(await failTimes(guard, 1, { email: 'another@b', address: '192.0.2.2' })).toEqual([null])
  })

  test('the addresses of one IPv6 network are one client', async () => {
    const { guard } = guardWithClock()
    for (const host of ['1', '2', 'ffff:1']) await guard.begin({ ...client, address: `2001:db8:1:1::${host}` })
    expect(await failTimes(guard, 1, { address: '2001:db8:1:1:5::' })).toEqual([10])
    expect(await failTimes(guard, 1, { address: '2001:db8:1:2::1' })).toEqual([null])
  })

  test('a success takes its own failures off the address, and no others', async () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < attempts * 10 - 2; guess += 1) await guard.begin({ ...client, email: `user${guess}@b` })
    const known = { ...client, email: 'known@b' }
    await guard.begin(known)
    await guard.succeeded(known)
    const waits = [
      await failTimes(guard, 1, { email: 'x@b' }),
      await failTimes(guard, 1, { email: 'y@b' }),
      await failTimes(guard, 1, { email: 'z@b' }),
    ]
    expect(waits.flat()).toEqual([null, null, 10])
  })

  test('memory is bounded whatever is tried', async () => {
    const { guard } = guardWithClock()
    for (let guess = 0; guess < 50_000; guess += 1)
      await guard.begin({ email: `user${guess}@b`, address: `10.0.${guess % 5000}`, browser: null })
    expect(guard.size).toBe(20_000)
  })

  test('a changed limit holds for the next attempt', async () => {
    let allowed = 5
    const clock = { now: () => 0, elapsed: () => 1000 }
    const guard = new LocalSignInGuard(clock, () => ({ attempts: allowed, lockSeconds }))
    await failTimes(guard, 1)
    allowed = 2
    expect(await failTimes(guard, 2)).toEqual([null, 10])
  })
})

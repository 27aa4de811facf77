/** Declared prices and budgets against a real store. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readDeclared } from '#config/declared/read-declared.ts'
import { sealer } from '#lib/seal.ts'
import { systemClock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'
import { openStore, type Store } from '#store/store.ts'
import { applyDeclared } from './apply-declared.ts'
import { StartProblem } from './start-problem.ts'

let store: Store
let now: number

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:', sealer: sealer(new Uint8Array(32)) })
  now = 1000
})
afterEach(() => store.close())

const logger = createLogger({ level: 'error', format: 'text', clock: systemClock, write: () => {} })

async function apply(yaml: string): Promise<number> {
  const { declared, problems } = readDeclared('test.yaml', Bun.YAML.parse(yaml) as Record<string, unknown>, {})
  expect(problems).toEqual([])
  return applyDeclared({ store, declared, kinds: ['openai'], logger, now: (now += 1000) })
}

async function problemsOf(yaml: string): Promise<readonly string[]> {
  try {
    await apply(yaml)
  } catch (thrown) {
    if (thrown instanceof StartProblem) return thrown.lines
    throw thrown
  }
  return []
}

describe('declared prices and budgets', () => {
  const withMoney = (prices: string, budgets: string): string => `
providers: [{name: local, base_url: http://x/v1, models: [{name: small, ${prices}}, {name: large}]}]
users: [{email: ada@example.org}]
budgets: ${budgets}
`
  const prices = 'prices: [{rates: {input: 1}}, {rates: {input: 2}, valid_from: 2026-01-01}]'
  const budgets =
    '[{scope: user, name: ada@example.org, amount: 5}, {scope: model, name: large, amount: 7, hard: false}]'

  async function current(): Promise<readonly (readonly [string, number | undefined, number])[]> {
    return (await store.prices.current())
      .map(({ source, rates, validFrom }) => [source, rates.input, validFrom] as const)
      .toSorted(([, , one], [, , other]) => one - other)
  }
  const declaredPrices = [
    ['declared', 1_000_000_000, 0],
    ['declared', 2_000_000_000, Date.UTC(2026, 0)],
  ] as const

  test('are stored and marked, and a second time nothing is written', async () => {
    await apply(withMoney(prices, budgets))
    expect(await current()).toEqual([...declaredPrices])
    const user = await store.users.byEmail('ada@example.org')
    const large = await store.models.byName('large')
    const stored = (await store.budgets.all()).toSorted((one, other) => one.amount - other.amount)
    expect(stored).toMatchObject([
      { scope: 'user', scopeId: user?.id, amount: 5_000_000_000, period: 'month', hard: true, declared: true },
      { scope: 'model', scopeId: large?.id, amount: 7_000_000_000, hard: false, declared: true },
    ])
    const before = [await store.prices.current(), await store.budgets.all()]
    expect(await apply(withMoney(prices, budgets))).toBe(0)
    expect([await store.prices.current(), await store.budgets.all()]).toEqual(before)
  })

  test('replace what an administrator has set, and keep the ids of what stays', async () => {
    await apply(withMoney('', '[]'))
    const modelId = (await store.models.byName('small'))?.id ?? ''
    const scopeId = (await store.users.byEmail('ada@example.org'))?.id ?? ''
    await store.prices.set({
      id: 'by-hand',
      modelId,
      source: 'manual',
      upstream: null,
      validFrom: 5,
      rates: { input: 9 },
      tiers: [],
      note: '',
      createdAt: 5,
      replacedAt: null,
    })
    const own = { scope: 'user' as const, scopeId, period: 'month' as const, timeZone: 'UTC', declared: false }
    await store.budgets.insert({ ...own, id: 'by-hand', amount: 1, hard: false, thresholds: [], createdAt: 5 })
    await apply(withMoney(prices, budgets))
    expect(await current()).toEqual([...declaredPrices])
    expect(await store.budgets.get('by-hand')).toMatchObject({ amount: 5_000_000_000, hard: true, declared: true })
    const [first] = await store.prices.current()
    await apply(withMoney(prices.replace('{input: 2}', '{input: 3}'), budgets))
    await apply(withMoney(prices, budgets))
    expect(await current()).toEqual([...declaredPrices])
    expect((await store.prices.current()).map(({ id }) => id)).toContain(first?.id ?? '')
  })

  test('that the file no longer has stay in effect and become editable', async () => {
    await apply(withMoney(prices, budgets))
    expect(await apply(withMoney('', '[]'))).toBe(3)
    expect((await current()).map(([source]) => source)).toEqual(['manual', 'manual'])
    expect((await store.budgets.all()).map(({ declared }) => declared)).toEqual([false, false])
    expect(await apply(withMoney('', '[]'))).toBe(0)
    await apply(withMoney('prices: []', '[]'))
    expect(await current()).toEqual([])
  })

  test('name what exists', async () => {
    const wrong = '[{scope: user, name: ade@example.org, amount: 1}, {scope: provider, name: lokal, amount: 1}]'
    expect(await problemsOf(withMoney('', wrong))).toEqual([
      expect.stringContaining('budgets[0].name: there is no user "ade@example.org"'),
      expect.stringContaining('budgets[1].name: there is no provider "lokal"'),
    ])
  })
})

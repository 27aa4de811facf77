import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readRateRule, type RateRule } from '#config/settings/rate-rule.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aKey, aUser } from '#test/support/store/store-records.ts'
import { RateRules, type RatedParties } from './rate-rules.ts'

const groupNames = new Map([
  [everyoneGroupId, 'everyone'],
  ['g1', 'students'],
  ['g2', 'two words'],
])
const parties: RatedParties = {
  caller: callerOf(['g1', 'g2', 'gone']),
  model: { id: 'm1', name: 'gpt' },
  provider: { id: 'p1', name: 'vendor' },
}

function callerOf(groups: readonly string[], hasKey = true): Caller {
  const user = aUser({ id: 'u1', email: 'ada@example.org' })
  return {
    account: { user, groupIds: new Set([everyoneGroupId, ...groups]) },
    key: hasKey ? aKey('u1', { id: 'k1' }) : null,
  }
}

function rulesOf(texts: readonly string[]): RateRules {
  const rules = texts.map(readRateRule).filter((rule) => rule !== null)
  expect(rules.length).toBe(texts.length)
  return new RateRules(rules, (id) => groupNames.get(id))
}

/** For whom the rule counts the request of `parties`. */
function counted(text: string, about = parties): readonly string[] {
  const whole = `${text} requests 5/minute`
  return rulesOf([whole])
    .costs(about, 7)
    .map(({ key }) => key.replace(`rate ${whole} `, ''))
}

describe('a rule is about', () => {
  test.each([
    ['user:*', ['u1']],
    ['user:ada@example.org', ['u1']],
    ['user:Ada@Example.org', ['u1']],
    ['user:u1', ['u1']],
    ['user:eve@example.org', []],
    ['key:k1', ['k1']],
    ['key:*', ['k1']],
    ['group:students', ['g1']],
    ['group:g1', ['g1']],
    ['group:"two words"', ['g2']],
    ['group:gone', ['gone']],
    ['group:everyone', [everyoneGroupId]],
    ['group:*', ['g1', 'g2', 'gone']],
    ['group:others', []],
    ['model:gpt', ['m1']],
    ['model:m1', ['m1']],
    ['model:GPT', []],
    ['provider:vendor', ['p1']],
    ['user:* model:gpt', ['u1 m1']],
    ['model:* user:ada@example.org', ['m1 u1']],
    ['group:* model:gpt', ['g1 m1', 'g2 m1', 'gone m1']],
    ['user:ada@example.org model:other', []],
    ['key:k2 user:*', []],
  ])('%s', (text, ids) => {
    expect(counted(text)).toEqual(ids)
  })

  test('no key where there is none, and no provider before it is known', () => {
    expect(counted('key:*', { ...parties, caller: callerOf([], false) })).toEqual([])
    expect(counted('provider:*', { ...parties, provider: null })).toEqual([])
  })
})

const value: fc.Arbitrary<string> = fc.constantFrom(
  '*',
  'ada@example.org',
  'u1',
  'k1',
  'g1',
  'students',
  'gpt',
  'vendor',
  'x',
)
const subjects = fc.uniqueArray(fc.tuple(fc.constantFrom('user', 'key', 'group', 'model', 'provider'), value), {
  minLength: 1,
  maxLength: 3,
  selector: ([subject]) => subject,
})
const texts = fc
  .array(subjects.map((list) => `${list.map(([subject, wanted]) => `${subject}:${wanted} `).join('')}tokens 9/minute`))
  .map((list) => [...new Set(list)])

test('of many, those are found that each alone would be', () => {
  fc.assert(
    fc.property(texts, (list) => {
      const keys = (some: readonly string[]) =>
        rulesOf(some)
          .costs(parties, 7)
          .map(({ key }) => key)
      expect(keys(list).toSorted()).toEqual(list.flatMap((text) => keys([text])).toSorted())
    }),
  )
})

test('of ten thousand, only those that could be about the request are looked at', () => {
  let looked = 0
  const watched = (rule: RateRule): RateRule => ({
    ...rule,
    get subjects() {
      looked += 1
      return rule.subjects
    },
  })
  const kinds = ['user', 'key', 'group', 'model', 'provider']
  const many = Array.from({ length: 10_000 }, (_, at) => `${kinds[at % kinds.length]}:other${at} requests 5/minute`)
  const all = [...many, 'user:ada@example.org requests 5/minute', 'user:* model:* tokens 9/minute']
  const rules = new RateRules(
    all.map((text) => watched(readRateRule(text)!)),
    (id) => groupNames.get(id),
  )
  looked = 0
  expect(rules.costs(parties, 7).length).toBe(2)
  expect(looked).toBeLessThan(20)
})

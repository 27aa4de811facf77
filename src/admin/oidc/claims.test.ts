import { describe, expect, test } from 'bun:test'
import { everyoneGroupId, type Group } from '#identity/records.ts'
import { groupIdsOf, hasClaim, isAllowedDomain, personOf } from './claims.ts'

const claims = { iss: 'https://id.example.org', sub: '42' }

describe('personOf', () => {
  test('reads who a person is from the standard claims', () => {
    const sent = { ...claims, email: 'Ada@Example.org', email_verified: true, name: 'Ada', groups: ['a', 'b'] }
    expect(personOf(sent, 'groups')).toEqual({
      issuer: 'https://id.example.org',
      subject: '42',
      email: 'ada@example.org',
      emailVerified: true,
      name: 'Ada',
      groups: ['a', 'b'],
    })
  })

  test('takes an address for verified only when the issuer says so', () => {
    const verified = (value: unknown) => personOf({ ...claims, email_verified: value }, 'groups')?.emailVerified
    expect([true, 'true'].map(verified)).toEqual([true, true])
    expect([false, 'false', undefined, null, 1, 'yes', {}].map(verified)).toEqual(Array(7).fill(false))
  })

  test('leaves out what is not an address, and keeps a name on one line of 200 characters', () => {
    for (const email of ['nobody', 'a b@example.org', 7, null, 'a@b\0.org', `${'a'.repeat(300)}@example.org`])
      expect(personOf({ ...claims, email }, 'groups')?.email).toBeNull()
    const name = (value: unknown) => personOf({ ...claims, name: value }, 'groups')?.name
    expect([' Ada\n\tLovelace ', ['Ada'], undefined].map(name)).toEqual(['Ada Lovelace', '', ''])
    expect(name('a'.repeat(500))).toHaveLength(200)
    expect(name(`${'a'.repeat(199)}😀`)?.isWellFormed()).toBe(true)
  })

  test('refuses a subject that is none', () => {
    for (const sub of [undefined, '', 7, 'a\0b', 'ü', 'x'.repeat(256)])
      expect(personOf({ ...claims, sub }, 'groups')).toBeNull()
  })

  test('finds groups by the name of the claim, also one with dots, and along a path', () => {
    const nested = { ...claims, realm_access: { roles: ['admin'] }, 'https://example.org/groups': 'staff' }
    expect(personOf(nested, 'realm_access.roles')?.groups).toEqual(['admin'])
    expect(personOf(nested, 'https://example.org/groups')?.groups).toEqual(['staff'])
    expect(personOf(nested, 'realm_access.nothing.there')?.groups).toEqual([])
    expect(personOf({ ...claims, groups: ['a', 7, null, 'b'] }, 'groups')?.groups).toEqual(['a', 'b'])
    expect([hasClaim(nested, 'realm_access.roles'), hasClaim(nested, 'constructor.name')]).toEqual([true, false])
  })
})

describe('groupIdsOf', () => {
  const group = (id: string, name: string): Group => ({
    id,
    name,
    description: '',
    permissions: [],
    declared: false,
    createdAt: 0,
  })
  const groups = [group(everyoneGroupId, 'everyone'), group('r', 'research'), group('s', 'staff')]

  test('maps by the map, else by name, and never to what does not exist', () => {
    expect(groupIdsOf(['0760', 'staff', 'unknown'], { '0760': 'research' }, groups)).toEqual(['r', 's'])
    expect(groupIdsOf(['staff'], { staff: 'research' }, groups)).toEqual(['r'])
    expect(groupIdsOf(['staff', 'toString', '__proto__'], { other: 'research' }, groups)).toEqual(['s'])
    expect(groupIdsOf(['a'], { a: 'gone' }, groups)).toEqual([])
  })

  test('never names the group of everyone, and no group twice', () => {
    expect(groupIdsOf(['everyone', 'research', 'R'], { R: 'research' }, groups)).toEqual(['r'])
  })
})

describe('isAllowedDomain', () => {
  test('compares whole domains in any case; an empty list allows all', () => {
    const allowed = (email: string) => isAllowedDomain(email, ['Example.org', '@example.com'])
    expect(['a@example.org', 'a@EXAMPLE.com'].map(allowed)).toEqual([true, true])
    expect(['a@sub.example.org', 'a@notexample.org', 'a@example.org.evil.net'].map(allowed)).toEqual(
      Array(3).fill(false),
    )
    expect(isAllowedDomain('a@anything', [])).toBe(true)
  })
})

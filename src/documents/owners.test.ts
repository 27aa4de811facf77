import { describe, expect, test } from 'bun:test'
import { Directory } from '#identity/directory.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aGroup, aUser } from '#test/support/store/store-records.ts'
import { ownersOnWire, resolveOwners, viewerOf } from './owners.ts'

const [ada, bob] = [aUser({ email: 'ada@example.org' }), aUser({ email: 'bob@example.org' })]
const team = aGroup({ name: 'Team: one' })
const directory = new Directory()
directory.load({ users: [ada, bob], keys: [], memberships: [{ userId: ada.id, groupId: team.id }], groups: [] })
const deps = {
  directory,
  groups: {
    byName: async (name: string) => (name === team.name ? team : null),
    all: async () => [team],
  },
}
const caller: Caller = { account: directory.account(ada.id)!, key: null }
const resolve = (owners: string | readonly string[] | null) => resolveOwners(deps, owners, caller)

describe('owners of a request', () => {
  const cases: readonly (readonly [string, string | readonly string[] | null, readonly string[]])[] = [
    ['none', null, [`user:${ada.id}`]],
    ['an id', bob.id, [`user:${bob.id}`]],
    ['an id in capitals', bob.id.toUpperCase(), [`user:${bob.id}`]],
    ['an address', 'BOB@example.org', [`user:${bob.id}`]],
    ['everyone', 'everyone', [`group:${everyoneGroupId}`]],
    ['a group whose name has a colon', 'group:Team: one', [`group:${team.id}`]],
  ]
  for (const [which, owners, principals] of cases)
    test(which, async () => expect(await resolve(owners)).toEqual({ kind: 'owners', principals }))

  test('several come sorted, each once, so that the same owners are always written the same', async () => {
    const one = await resolve([bob.id, 'everyone', 'bob@example.org', ada.id])
    const other = await resolve([ada.id, bob.id, 'everyone', 'everyone'])
    expect(one).toEqual(other)
    expect(one.kind === 'owners' && one.principals).toHaveLength(3)
  })

  test('one that does not exist is named, whatever the others are', async () => {
    for (const owner of ['cleo@example.org', 'group:team: one', 'group:', 'Everyone', crypto.randomUUID()])
      expect(await resolve(['everyone', owner])).toEqual({ kind: 'unknown', owner })
  })
})

test('an answer writes owners as they can be sent again, and those that are gone by their id', async () => {
  const gone = crypto.randomUUID()
  const principals = [`user:${ada.id}`, `group:${everyoneGroupId}`, `group:${team.id}`, `user:${gone}`, `group:${gone}`]
  const written = principals.map(await ownersOnWire(deps, principals))
  expect(written).toEqual(['ada@example.org', 'everyone', 'group:Team: one', gone, `group:${gone}`])
  expect(await resolve(written.slice(0, 3))).toEqual({ kind: 'owners', principals: principals.slice(0, 3).toSorted() })
})

test('groups are looked up only when an answer names one', async () => {
  const noGroups = { ...deps, groups: { ...deps.groups, all: () => Promise.reject(new Error('not needed')) } }
  const principals = [`user:${ada.id}`, `group:${everyoneGroupId}`]
  expect(principals.map(await ownersOnWire(noGroups, principals))).toEqual(['ada@example.org', 'everyone'])
})

test('a viewer is the user with all groups, and an administrator sees everything', () => {
  expect(viewerOf(caller)).toEqual({
    userId: ada.id,
    principals: [`user:${ada.id}`, `group:${everyoneGroupId}`, `group:${team.id}`],
    all: false,
  })
  const admin = { ...caller, account: { ...caller.account, user: { ...ada, role: 'admin' as const } } }
  expect(viewerOf(admin).all).toBe(true)
})

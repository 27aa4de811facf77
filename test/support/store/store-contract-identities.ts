import { expect } from 'bun:test'
import type { User } from '#identity/records.ts'
import { Missing } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import { aGroup, aUser } from './store-records.ts'
import { rejection, type StoreTest } from './store-test.ts'

const key = { issuer: 'https://id.example.org', subject: 'ada' }
const nothing = { groupIds: [], admin: false }

/** A user who is linked to `key`. */
async function linked({ users, identities }: Store, fields: Partial<User> = {}): Promise<User> {
  const user = aUser(fields)
  await users.insert(user, null)
  expect(await identities.link(key, user.id, 1)).toBe(true)
  return user
}

/** Users as issuers know them. */
export function identitiesContract(storeTest: StoreTest): void {
  linkContract(storeTest)
  groupGrantContract(storeTest)
  roleGrantContract(storeTest)
}

function linkContract(storeTest: StoreTest): void {
  storeTest('a link is found by issuer and subject, and goes with its user', async (store) => {
    const user = await linked(store)
    expect(await store.identities.get(key)).toEqual({
      ...key,
      userId: user.id,
      groupIds: [],
      madeAdmin: false,
      createdAt: 1,
      lastSignInAt: 1,
    })
    for (const other of [
      { ...key, issuer: 'https://other.example.org' },
      { ...key, subject: 'ADA' },
    ])
      expect(await store.identities.get(other)).toBeNull()
    await store.users.delete(user.id)
    expect(await store.identities.get(key)).toBeNull()
  })

  storeTest('a subject has one user, and a user one subject of an issuer', async (store) => {
    const user = await linked(store)
    const other = aUser()
    await store.users.insert(other, null)
    expect(await store.identities.link(key, other.id, 2)).toBe(false)
    expect(await store.identities.link({ ...key, subject: 'lovelace' }, user.id, 2)).toBe(false)
    expect(await store.identities.link({ ...key, issuer: 'https://other.example.org' }, user.id, 2)).toBe(true)
    expect((await store.identities.get(key))?.userId).toBe(user.id)
  })

  storeTest('of many links of one subject at once, one is made', async (store) => {
    const users = Array.from({ length: 4 }, () => aUser())
    for (const user of users) await store.users.insert(user, null)
    const made = await Promise.all(users.map((user) => store.identities.link(key, user.id, 1)))
    expect(made.filter(Boolean)).toHaveLength(1)
  })

  storeTest('neither a link to nobody nor grants to nobody are possible', async ({ identities }) => {
    expect(await rejection(identities.link(key, crypto.randomUUID(), 1))).toBeInstanceOf(Missing)
    expect(await rejection(identities.grant(key, nothing, 1))).toBeInstanceOf(Missing)
  })
}

function groupGrantContract(storeTest: StoreTest): void {
  storeTest('grants add groups and take them away again, but never what was given here', async (store) => {
    const user = await linked(store)
    const [own, given, both] = [aGroup(), aGroup(), aGroup()]
    for (const group of [own, given, both]) await store.groups.insert(group)
    for (const group of [own, both]) await store.groups.addMember(group.id, user.id)
    const groupsOf = async () => new Set(await store.users.groupsOf(user.id))

    const wanted = { ...nothing, groupIds: [given.id, both.id, crypto.randomUUID()] }
    expect(await store.identities.grant(key, wanted, 2)).toEqual({ changed: true, lastAdministrator: false })
    expect(await groupsOf()).toEqual(new Set([own.id, given.id, both.id]))
    expect(await store.identities.grant(key, wanted, 3)).toEqual({ changed: false, lastAdministrator: false })
    expect(await store.identities.get(key)).toMatchObject({ groupIds: [given.id], lastSignInAt: 3 })

    expect((await store.identities.grant(key, nothing, 4)).changed).toBe(true)
    expect(await groupsOf()).toEqual(new Set([own.id, both.id]))
    expect((await store.identities.get(key))?.groupIds).toEqual([])
  })

  storeTest('a membership that was ended here and given here again is no longer the issuer’s', async (store) => {
    const user = await linked(store)
    const group = aGroup()
    await store.groups.insert(group)
    await store.identities.grant(key, { ...nothing, groupIds: [group.id] }, 2)
    await store.groups.removeMember(group.id, user.id)
    await store.identities.grant(key, nothing, 3)
    await store.groups.addMember(group.id, user.id)
    await store.identities.grant(key, nothing, 4)
    expect(await store.users.groupsOf(user.id)).toEqual([group.id])
  })
}

function roleGrantContract(storeTest: StoreTest): void {
  storeTest('a granted role is taken away again, one that was given here is not', async (store) => {
    await store.users.insert(aUser({ role: 'admin' }), null)
    const user = await linked(store)
    const role = async () => (await store.users.get(user.id))?.role
    expect((await store.identities.grant(key, { groupIds: [], admin: true }, 2)).changed).toBe(true)
    expect(await role()).toBe('admin')
    expect((await store.identities.grant(key, nothing, 3)).changed).toBe(true)
    expect(await role()).toBe('user')

    await store.users.update(user.id, { role: 'admin' }, 4)
    await store.identities.grant(key, { groupIds: [], admin: true }, 5)
    expect((await store.identities.grant(key, nothing, 6)).changed).toBe(false)
    expect(await role()).toBe('admin')
  })

  storeTest('the last enabled administrator stays one', async (store) => {
    await store.users.insert(aUser({ role: 'admin', disabled: true }), null)
    const user = await linked(store)
    await store.identities.grant(key, { groupIds: [], admin: true }, 2)
    expect(await store.identities.grant(key, nothing, 3)).toEqual({ changed: false, lastAdministrator: true })
    expect((await store.users.get(user.id))?.role).toBe('admin')
    await store.users.insert(aUser({ role: 'admin' }), null)
    expect(await store.identities.grant(key, nothing, 4)).toEqual({ changed: true, lastAdministrator: false })
  })

  storeTest('the role of a declared user is the configuration file’s', async (store) => {
    const user = await linked(store, { declared: true })
    expect((await store.identities.grant(key, { groupIds: [], admin: true }, 2)).changed).toBe(false)
    expect((await store.users.get(user.id))?.role).toBe('user')
  })
}

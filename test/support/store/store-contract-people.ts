/** What pages of people show: sessions, invitations, and lists of users and keys that are searched and sorted. */
import { expect } from 'bun:test'
import { Missing } from '#store/errors.ts'
import { allPages, rejection, type StoreTest } from './store-test.ts'
import { aGroup, aKey, aSession, aUser } from './store-records.ts'

/** Sessions, invitations, and lists of users and keys. */
export function peopleContract(storeTest: StoreTest): void {
  invitationContract(storeTest)
  foundUsersContract(storeTest)
  sortedListContract(storeTest)
}

function invitationContract(storeTest: StoreTest): void {
  storeTest('the sessions of a user are those that last, and each use is noted', async ({ sessions, users }) => {
    const [ada, bob] = [aUser(), aUser()]
    for (const user of [ada, bob]) await users.insert(user, null)
    const known = { agent: 'Firefox', address: '10.0.0.7' }
    const first = aSession(ada.id, { createdAt: 1, expiresAt: 10 })
    const second = aSession(ada.id, { createdAt: 2, expiresAt: 30, ...known })
    const third = aSession(ada.id, { createdAt: 3, expiresAt: 40 })
    for (const session of [first, second, third, aSession(bob.id)]) await sessions.insert(session)
    expect(await sessions.ofUser(ada.id, 10)).toEqual([third, second])
    expect(await users.lastSeen([ada.id, bob.id])).toEqual(new Map())
    await sessions.touch(second, 25)
    await sessions.touch(second, 20)
    expect(await sessions.get(second.digest)).toEqual({ ...second, seenAt: 25 })
    // It stays known when the session ends.
    await sessions.deleteOfUser(ada.id)
    expect(await users.lastSeen([ada.id, bob.id])).toEqual(new Map([[ada.id, 25]]))
  })

  storeTest('an invitation is used once, and another takes its place', async ({ invitations, users }) => {
    const [ada, bob] = [aUser(), aUser()]
    for (const user of [ada, bob]) await users.insert(user, null)
    const invitation = (digest: string, userId: string, expiresAt: number) => ({
      digest,
      userId,
      createdAt: 1,
      expiresAt,
    })
    await invitations.put(invitation('first', ada.id, 50))
    await invitations.put(invitation('second', ada.id, 60))
    await invitations.put(invitation('other', bob.id, 70))
    expect(await invitations.get('first')).toBeNull()
    expect(await invitations.get('second')).toEqual(invitation('second', ada.id, 60))
    expect(await invitations.some([ada.id])).toEqual([invitation('second', ada.id, 60)])
    expect(await invitations.some([])).toEqual([])
    expect(await invitations.use('second', 60)).toBe(false)
    const uses = await Promise.all(Array.from({ length: 8 }, () => invitations.use('second', 59)))
    expect(uses.filter(Boolean)).toHaveLength(1)
    expect(await invitations.delete(bob.id)).toBe(true)
    expect(await invitations.delete(bob.id)).toBe(false)
    expect(await rejection(invitations.put(invitation('x', crypto.randomUUID(), 1)))).toBeInstanceOf(Missing)
    await invitations.put(invitation('third', ada.id, 60))
    await users.delete(ada.id)
    expect(await invitations.get('third')).toBeNull()
  })
}

function foundUsersContract(storeTest: StoreTest): void {
  storeTest('users are found by a part of name or address, in any case and script', async ({ users, groups }) => {
    const people = [
      aUser({ email: 'grace@example.com', name: 'Grace Hopper' }),
      aUser({ email: 'omer@example.com', name: 'Ömer Çelik' }),
      aUser({ email: 'a_b@example.com', name: '100% [sure] *?' }),
      aUser({ email: 'ii@example.com', name: 'ИВАН (x|y)^$.+' }),
    ]
    for (const user of people) await users.insert(user, null)
    const found = async (contains: string) =>
      (await users.list({ contains, limit: 9 })).items.map(({ email }) => email.split('@')[0])
    expect(await found('HOPP')).toEqual(['grace'])
    expect(await found('ömer ç')).toEqual(['omer'])
    expect(await found('ÖMER')).toEqual(['omer'])
    expect(await found('иван')).toEqual(['ii'])
    for (const literal of ['100%', '[sure]', '*?', 'a_b', '(x|y)^$.+']) expect(await found(literal)).toHaveLength(1)
    for (const none of ['a.b', 'x*y', '.*', '[a-z]', "' or 1=1 --"]) expect(await found(none)).toEqual([])
    const group = aGroup()
    await groups.insert(group)
    await groups.addMember(group.id, people[1]!.id)
    expect((await users.list({ groupId: group.id, limit: 9 })).items.map(({ id }) => id)).toEqual([people[1]!.id])
  })
}

/** A few at a time: no page repeats or skips one. */
function sortedListContract(storeTest: StoreTest): void {
  storeTest(
    'each order of users and of keys is one list, whatever the size of its pages',
    async ({ users, keys, sessions }) => {
      const ada = aUser({ email: 'zz@example.com', name: 'b' })
      await users.insert(ada, null)
      for (const [index, name] of ['B', 'a', 'C', '', 'a', 'Z'].entries()) {
        const user = aUser({ email: `u${9 - index}@example.com`, name })
        await users.insert(user, null)
        const key = aKey(ada.id, {
          name: name || 'ab',
          description: index === 2 ? 'Reports of the NIGHT' : '',
          lastUsedAt: index % 3 === 0 ? null : 100 - index,
          expiresAt: index % 2 === 0 ? null : 5000 + index,
        })
        await keys.insert(key)
        if (index % 2 === 0) await sessions.touch({ digest: 'none', userId: user.id }, 50 + index)
      }
      const orders = {
        users: ['created', 'email', 'name', 'last_seen'],
        keys: ['created', 'name', 'last_used', 'expires'],
      } as const
      for (const descending of [false, true]) {
        for (const by of orders.users) {
          const whole = (await users.list({ limit: 50, order: { by, descending } })).items.map(({ id }) => id)
          expect(new Set(whole).size).toBe(7)
          for (const limit of [1, 2, 3]) {
            const paged = await allPages((cursor) => users.list({ cursor, limit, order: { by, descending } }))
            expect(paged.map(({ id }) => id)).toEqual(whole)
          }
        }
        for (const by of orders.keys) {
          const whole = (await keys.list({ limit: 50, order: { by, descending } })).items.map(({ id }) => id)
          expect(new Set(whole).size).toBe(6)
          const paged = await allPages((cursor) => keys.list({ cursor, limit: 2, order: { by, descending } }))
          expect(paged.map(({ id }) => id)).toEqual(whole)
        }
      }
      const names = (await users.list({ limit: 9, order: { by: 'name', descending: false } })).items.map(
        ({ name }) => name,
      )
      expect(names.map((name) => name.toLowerCase())).toEqual(['', 'a', 'a', 'b', 'b', 'c', 'z'])
      const expiries = (await keys.list({ limit: 9, order: { by: 'expires', descending: false } })).items
      expect(expiries.map(({ expiresAt }) => expiresAt)).toEqual([5001, 5003, 5005, null, null, null])
      const foundKeys = async (contains: string) => (await keys.list({ contains, limit: 9 })).items.length
      expect(await foundKeys('night')).toBe(1)
      expect(await foundKeys('ZZ@example')).toBe(6)
      const [some] = (await keys.list({ limit: 1 })).items
      expect(await foundKeys(`sk-slu-${some!.publicId}`)).toBe(1)
      expect(await foundKeys(`sk-slu-${some!.publicId}_${'x'.repeat(49)}`)).toBe(1)
      expect(await foundKeys('sk-slu-nothing1')).toBe(0)
    },
  )
}

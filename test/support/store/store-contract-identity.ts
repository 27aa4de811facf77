import { expect } from 'bun:test'
import { everyoneGroupId, type User } from '#identity/records.ts'
import { LastAdministrator, Missing, NameTaken } from '#store/errors.ts'
import { InvalidCursor } from '#store/page.ts'
import { allPages, rejection, type StoreTest } from './store-test.ts'
import { aGroup, aKey, aModel, aProvider, aSession, aUser } from './store-records.ts'

/** Users, groups, keys and sessions. */
export function identityContract(storeTest: StoreTest): void {
  userContract(storeTest)
  administratorContract(storeTest)
  userListContract(storeTest)
  groupContract(storeTest)
  keyContract(storeTest)
  keyTouchContract(storeTest)
  sessionContract(storeTest)
}

function userContract(storeTest: StoreTest): void {
  storeTest('a user comes back as it was stored', async ({ users }) => {
    const ada = aUser({ role: 'admin', declared: true, disabled: true })
    await users.insert(ada, null)
    expect(await users.get(ada.id)).toEqual(ada)
    expect(await users.byEmail(ada.email)).toEqual(ada)
    expect(await users.all()).toEqual([ada])
    expect(await users.get(crypto.randomUUID())).toBeNull()
    expect(await users.byEmail('nobody@example.com')).toBeNull()
  })

  storeTest('an e-mail address is one address in any case', async ({ users }) => {
    await users.insert(aUser({ email: 'Ada@Example.com' }), null)
    expect((await users.byEmail('aDA@example.COM'))?.email).toBe('ada@example.com')
    const refused = await rejection(users.insert(aUser({ email: 'ADA@example.com' }), null))
    expect(refused).toBeInstanceOf(NameTaken)
    expect((refused as NameTaken).taken).toBe('ADA@example.com')
    const other = aUser()
    await users.insert(other, null)
    expect(await rejection(users.update(other.id, { email: 'ADA@EXAMPLE.COM' }, 1))).toBeInstanceOf(NameTaken)
    expect(await users.get(other.id)).toEqual(other)
  })

  storeTest('an update changes what it names and nothing else', async ({ users }) => {
    const ada = aUser()
    await users.insert(ada, { hash: 'hash', isTemporary: true })
    expect(await users.update(ada.id, { name: 'Countess', disabled: true }, 1)).toEqual({
      ...ada,
      name: 'Countess',
      disabled: true,
      hasPassword: true,
    })
    expect(await users.update(ada.id, {}, 2)).toMatchObject({ name: 'Countess', disabled: true })
    expect(await users.password(ada.id)).toEqual({ hash: 'hash', isTemporary: true })
    expect(await users.update(crypto.randomUUID(), { name: 'nobody' }, 1)).toBeNull()
  })

  storeTest('a password can be set, changed and removed', async ({ users }) => {
    const ada = aUser()
    await users.insert(ada, null)
    expect(await users.password(ada.id)).toBeNull()
    expect(await users.setPassword(ada.id, { hash: 'first', isTemporary: true }, 1)).toBe(true)
    expect(await users.setPassword(ada.id, { hash: 'second', isTemporary: false }, 2)).toBe(true)
    expect(await users.password(ada.id)).toEqual({ hash: 'second', isTemporary: false })
    expect((await users.get(ada.id))?.hasPassword).toBe(true)
    expect(await users.setPassword(ada.id, null, 3)).toBe(true)
    expect((await users.get(ada.id))?.hasPassword).toBe(false)
    expect(await users.setPassword(crypto.randomUUID(), { hash: 'hash', isTemporary: false }, 1)).toBe(false)
  })

  storeTest('a service account has no password, also when one is set, and is listed by kind', async ({ users }) => {
    const [ada, program] = [aUser(), aUser({ kind: 'service' })]
    await users.insert(ada, { hash: 'hash', isTemporary: false })
    // As a process of the version before can leave it, which does not know the kind.
    await users.insert(program, { hash: 'hash', isTemporary: false })
    expect(await users.get(program.id)).toEqual(program)
    expect(await users.password(program.id)).toBeNull()
    const listed = async (kind: User['kind']) => (await users.list({ limit: 9, kind })).items.map(({ id }) => id)
    expect([await listed('person'), await listed('service')]).toEqual([[ada.id], [program.id]])
    expect(await users.setPassword(program.id, { hash: 'hash', isTemporary: false }, 1)).toBe(false)
    expect(await users.update(ada.id, { kind: 'service' }, 2)).toMatchObject({ kind: 'service', hasPassword: false })
    await users.update(ada.id, { kind: 'person' }, 3)
    expect(await users.password(ada.id)).toBeNull()
  })

  storeTest('deleting a user takes keys, sessions, memberships and limits along', async (store) => {
    const [ada, group, provider] = [aUser(), aGroup(), aProvider()]
    const model = aModel(provider.id)
    await store.users.insert(ada, null)
    await store.groups.insert(group)
    await store.providers.insert(provider)
    await store.models.insert(model)
    await store.keys.insert(aKey(ada.id))
    await store.sessions.insert(aSession(ada.id, { digest: 'd' }))
    await store.groups.addMember(group.id, ada.id)
    await store.inflightOverrides.set({ userId: ada.id, modelId: model.id, inflightLimit: 3 })
    expect(await store.users.delete(ada.id)).toBe(true)
    expect(await store.users.delete(ada.id)).toBe(false)
    expect(await store.keys.all()).toEqual([])
    expect(await store.sessions.get('d')).toBeNull()
    expect(await store.users.memberships()).toEqual([])
    expect(await store.inflightOverrides.all()).toEqual([])
  })
}

function administratorContract(storeTest: StoreTest): void {
  const keeping = { keepAdministrator: true }

  storeTest('the last enabled administrator is kept where that is asked for, and only there', async ({ users }) => {
    const [ada, disabled] = [aUser({ role: 'admin' }), aUser({ role: 'admin', disabled: true })]
    for (const user of [ada, disabled]) await users.insert(user, null)
    for (const change of [
      () => users.update(ada.id, { role: 'user' }, 1, keeping),
      () => users.update(ada.id, { disabled: true }, 1, keeping),
      () => users.delete(ada.id, keeping),
    ])
      expect(await rejection(change())).toBeInstanceOf(LastAdministrator)
    expect(await users.get(ada.id)).toEqual(ada)
    expect(await users.update(ada.id, { name: 'Countess' }, 1, keeping)).toMatchObject({ role: 'admin' })
    expect(await users.delete(disabled.id, keeping)).toBe(true)
    expect(await users.update(ada.id, { role: 'user' }, 1)).toMatchObject({ role: 'user' })
  })

  storeTest('of administrators who are taken away at the same moment one stays', async ({ users }) => {
    const administrators = Array.from({ length: 4 }, () => aUser({ role: 'admin' }))
    for (const user of administrators) await users.insert(user, null)
    const results = await Promise.allSettled(
      administrators.map(({ id }, index) =>
        index % 2 === 0 ? users.delete(id, keeping) : users.update(id, { disabled: true }, 1, keeping),
      ),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([expect.any(LastAdministrator)])
    expect((await users.all()).filter(({ role, disabled }) => role === 'admin' && !disabled)).toHaveLength(1)
  })
}

function userListContract(storeTest: StoreTest): void {
  storeTest(
    'pages hold every user once, in the order of creation, also those of the same moment',
    async ({ users }) => {
      const made = Array.from({ length: 7 }, (_user, index) => aUser({ createdAt: 1000 + Math.floor(index / 4) }))
      for (const user of made) await users.insert(user, null)
      const expected = made.toSorted((one, two) => one.createdAt - two.createdAt || (one.id < two.id ? -1 : 1))
      for (const limit of [1, 2, 3, 7, 8]) {
        expect(await allPages((cursor) => users.list({ cursor, limit }))).toEqual(expected)
      }
    },
  )

  storeTest('a page of exactly all that is left is the last one', async ({ users }) => {
    await users.insert(aUser(), null)
    await users.insert(aUser(), null)
    expect((await users.list({ limit: 2 })).nextCursor).toBeNull()
    expect((await users.list({ limit: 1 })).nextCursor).not.toBeNull()
  })

  storeTest('deleting the user that a page ended with loses no later user', async ({ users }) => {
    const [first, second] = [aUser(), aUser()]
    await users.insert(first, null)
    await users.insert(second, null)
    const { nextCursor } = await users.list({ limit: 1 })
    await users.delete(first.id)
    expect((await users.list({ cursor: nextCursor, limit: 1 })).items).toEqual([second])
  })

  storeTest('a search for part of an address takes every character literally', async ({ users }) => {
    for (const email of ['a_b@example.com', 'axb@example.com', 'a%b@example.com', 'a\\b@example.com']) {
      await users.insert(aUser({ email }), null)
    }
    const found = async (emailContains: string): Promise<readonly string[]> =>
      (await users.list({ emailContains, limit: 10 })).items.map((user) => user.email)
    expect(await found('A_B')).toEqual(['a_b@example.com'])
    expect(await found('%')).toEqual(['a%b@example.com'])
    expect(await found('\\')).toEqual(['a\\b@example.com'])
    expect(await found("' or 1=1 --")).toEqual([])
    expect(await found('EXAMPLE')).toHaveLength(4)
  })

  storeTest('a cursor that was not given out is refused', async ({ users, groups, keys, usage }) => {
    const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const broken = [
      '',
      'x',
      '%%%',
      json({}),
      json([1]),
      json(['1', 'a']),
      json([1, 2]),
      json([1.5, 'a']),
      json([1, '\0']),
    ]
    for (const cursor of broken) {
      expect(await rejection(users.list({ cursor, limit: 1 }))).toBeInstanceOf(InvalidCursor)
      expect(await rejection(groups.list({ cursor, limit: 1 }))).toBeInstanceOf(InvalidCursor)
      expect(await rejection(keys.list({ cursor, limit: 1 }))).toBeInstanceOf(InvalidCursor)
    }
    const textCursor = json([1, 'a'])
    expect(await rejection(usage.list({ from: 0, to: 1, cursor: textCursor, limit: 1 }))).toBeInstanceOf(InvalidCursor)
  })
}

function groupContract(storeTest: StoreTest): void {
  storeTest('the group of everyone is there from the beginning', async ({ groups }) => {
    expect((await groups.get(everyoneGroupId))?.name).toBe('everyone')
    const group = aGroup()
    await groups.insert(group)
    expect((await groups.all()).map(({ id }) => id)).toEqual([everyoneGroupId, group.id])
    expect(await allPages((cursor) => groups.list({ cursor, limit: 1 }))).toEqual(await groups.all())
  })

  storeTest('a group’s name is unique and case-sensitive, and free again after a rename', async ({ groups }) => {
    const research = aGroup({ name: 'research' })
    await groups.insert(research)
    const refused = await rejection(groups.insert(aGroup({ name: 'research' })))
    expect((refused as NameTaken).taken).toBe('research')
    await groups.insert(aGroup({ name: 'Research' }))
    expect(await rejection(groups.update(research.id, { name: 'Research' }))).toBeInstanceOf(NameTaken)
    expect(await groups.update(research.id, { name: 'labs' })).toEqual({ ...research, name: 'labs' })
    expect(await groups.update(research.id, {})).toEqual({ ...research, name: 'labs' })
    expect(await groups.byName('research')).toBeNull()
    await groups.insert(aGroup({ name: 'research' }))
    expect(await groups.update(crypto.randomUUID(), { name: 'x' })).toBeNull()
  })

  storeTest('a group has the permissions that it was last given', async ({ groups }) => {
    const group = aGroup({ permissions: ['documents.share'] })
    await groups.insert(group)
    expect(await groups.get(group.id)).toEqual(group)
    expect((await groups.update(group.id, { description: 'x' }))?.permissions).toEqual(['documents.share'])
    expect((await groups.update(group.id, { permissions: [] }))?.permissions).toEqual([])
    expect((await groups.get(group.id))?.permissions).toEqual([])
  })

  storeTest('members are added once, listed in pages and removed', async ({ groups, users }) => {
    const group = aGroup()
    await groups.insert(group)
    const people = [aUser(), aUser(), aUser()]
    for (const user of people) {
      await users.insert(user, null)
      await groups.addMember(group.id, user.id)
      await groups.addMember(group.id, user.id)
    }
    await users.insert(aUser(), null)
    expect(await allPages((cursor) => groups.members(group.id, { cursor, limit: 2 }))).toEqual(people)
    expect(await users.memberships()).toHaveLength(3)
    expect(await users.groupsOf(people[0]!.id)).toEqual([group.id])
    expect(await groups.removeMember(group.id, people[0]!.id)).toBe(true)
    expect(await groups.removeMember(group.id, people[0]!.id)).toBe(false)
    expect(await groups.delete(group.id)).toBe(true)
    expect(await groups.delete(group.id)).toBe(false)
    expect(await users.memberships()).toEqual([])
  })

  storeTest(
    'nobody can be added to a group that does not exist, nor a user who does not',
    async ({ groups, users }) => {
      const [group, user] = [aGroup(), aUser()]
      await groups.insert(group)
      await users.insert(user, null)
      expect(await rejection(groups.addMember(crypto.randomUUID(), user.id))).toBeInstanceOf(Missing)
      expect(await rejection(groups.addMember(group.id, crypto.randomUUID()))).toBeInstanceOf(Missing)
    },
  )
}

function keyContract(storeTest: StoreTest): void {
  storeTest('a key comes back as it was stored, with and without scopes', async ({ keys, users }) => {
    const ada = aUser()
    await users.insert(ada, null)
    const open = aKey(ada.id)
    const narrow = aKey(ada.id, {
      expiresAt: 9_007_199_254_740_991,
      lastUsedAt: 5,
      scopes: { modelIds: [crypto.randomUUID()], areas: ['inference', 'admin'] },
    })
    const nothing = aKey(ada.id, { scopes: { modelIds: [], areas: [] } })
    for (const key of [open, narrow, nothing]) await keys.insert(key)
    expect(await keys.all()).toEqual([open, narrow, nothing])
    expect(await keys.get(narrow.id)).toEqual(narrow)
    expect(await keys.get(crypto.randomUUID())).toBeNull()
  })

  storeTest('a key needs a user who exists and a public id and digest of its own', async ({ keys, users }) => {
    const ada = aUser()
    await users.insert(ada, null)
    expect(await rejection(keys.insert(aKey(crypto.randomUUID())))).toBeInstanceOf(Missing)
    const key = aKey(ada.id)
    await keys.insert(key)
    expect(await rejection(keys.insert(aKey(ada.id, { publicId: key.publicId })))).toBeInstanceOf(NameTaken)
    expect(await rejection(keys.insert(aKey(ada.id, { digest: key.digest })))).toBeInstanceOf(NameTaken)
  })

  storeTest('keys are listed in pages, of all users or of one', async ({ keys, users }) => {
    const [ada, bob] = [aUser(), aUser()]
    await users.insert(ada, null)
    await users.insert(bob, null)
    const made = [aKey(ada.id), aKey(bob.id), aKey(ada.id), aKey(bob.id), aKey(ada.id)]
    for (const key of made) await keys.insert(key)
    expect(await allPages((cursor) => keys.list({ cursor, limit: 2 }))).toEqual(made)
    const ofAda = await allPages((cursor) => keys.list({ cursor, limit: 2, userId: ada.id }))
    expect(ofAda).toEqual(made.filter((key) => key.userId === ada.id))
  })

  storeTest('an update changes what it names, and null removes an expiry', async ({ keys, users }) => {
    const ada = aUser()
    await users.insert(ada, null)
    const key = aKey(ada.id, { expiresAt: 7, scopes: { modelIds: ['m'], areas: null } })
    await keys.insert(key)
    expect(await keys.update(key.id, { name: 'phone' })).toEqual({ ...key, name: 'phone' })
    expect(await keys.update(key.id, {})).toEqual({ ...key, name: 'phone' })
    const previous = { publicId: key.publicId, digest: key.digest, until: 1_760_000_000_000 }
    const secret = { publicId: 'another1', digest: 'another digest', previous }
    expect(await keys.update(key.id, secret)).toEqual({ ...key, name: 'phone', ...secret })
    expect(await keys.get(key.id)).toEqual({ ...key, name: 'phone', ...secret })
    expect(await keys.update(key.id, { ...secret, previous: null })).toMatchObject({ previous: null })
    expect(await keys.update(key.id, { publicId: key.publicId, digest: key.digest })).toEqual({ ...key, name: 'phone' })
    const changed = await keys.update(key.id, { expiresAt: null, scopes: { modelIds: null, areas: ['documents'] } })
    expect(changed).toMatchObject({ expiresAt: null, scopes: { modelIds: null, areas: ['documents'] } })
    expect(await keys.update(crypto.randomUUID(), { name: 'x' })).toBeNull()
  })

  storeTest(
    'deleting several keys tells which were deleted, and spares those of other users',
    async ({ keys, users }) => {
      const [ada, bob] = [aUser(), aUser()]
      await users.insert(ada, null)
      await users.insert(bob, null)
      const [first, second, foreign] = [aKey(ada.id), aKey(ada.id), aKey(bob.id)]
      for (const key of [first, second, foreign]) await keys.insert(key)
      const asked = [first.id, second.id, foreign.id, crypto.randomUUID()]
      const deleted = await keys.delete(asked, { userId: ada.id })
      expect(deleted.toSorted()).toEqual([first.id, second.id].toSorted())
      expect(await keys.all()).toEqual([foreign])
      expect(await keys.delete(asked)).toEqual([foreign.id])
      expect(await keys.delete([])).toEqual([])
    },
  )
}

function keyTouchContract(storeTest: StoreTest): void {
  storeTest('the time of last use moves forwards only, and unknown keys are passed over', async ({ keys, users }) => {
    const ada = aUser()
    await users.insert(ada, null)
    const [one, two] = [aKey(ada.id), aKey(ada.id)]
    await keys.insert(one)
    await keys.insert(two)
    const lastUsed = async (): Promise<unknown[]> => (await keys.all()).map((key) => key.lastUsedAt)
    await keys.touch([
      { keyId: one.id, lastUsedAt: 1_760_000_000_000 },
      { keyId: crypto.randomUUID(), lastUsedAt: 1 },
    ])
    expect(await lastUsed()).toEqual([1_760_000_000_000, null])
    await keys.touch([
      { keyId: one.id, lastUsedAt: 5 },
      { keyId: two.id, lastUsedAt: 9 },
      { keyId: two.id, lastUsedAt: 7 },
    ])
    expect(await lastUsed()).toEqual([1_760_000_000_000, 9])
    await keys.touch([])
  })

  storeTest(
    'thousands of keys can be touched at once, by several writers at the same time',
    async ({ keys, users }) => {
      const ada = aUser()
      await users.insert(ada, null)
      const mine = [aKey(ada.id), aKey(ada.id), aKey(ada.id)]
      for (const key of mine) await keys.insert(key)
      const known = mine.map((key) => key.id)
      const others = Array.from({ length: 2500 }, () => crypto.randomUUID())
      const writer = (at: number): Promise<void> =>
        keys.touch(
          [...known, ...others].toSorted(() => Math.random() - 0.5).map((keyId) => ({ keyId, lastUsedAt: at })),
        )
      await Promise.all([1, 2, 3, 4, 5].map(writer))
      expect((await keys.all()).map((key) => key.lastUsedAt)).toEqual([5, 5, 5])
    },
  )
}

function sessionContract(storeTest: StoreTest): void {
  storeTest('sessions are found by digest, ended one by one, by user and by age', async ({ sessions, users }) => {
    const [ada, bob] = [aUser(), aUser()]
    await users.insert(ada, null)
    await users.insert(bob, null)
    const session = (digest: string, userId: string, expiresAt: number) => aSession(userId, { digest, expiresAt })
    await sessions.insert(session('a1', ada.id, 10))
    await sessions.insert(session('a2', ada.id, 20))
    await sessions.insert(session('b1', bob.id, 30))
    expect(await sessions.get('a1')).toEqual(session('a1', ada.id, 10))
    expect(await sessions.purge(10)).toBe(1)
    expect(await sessions.get('a1')).toBeNull()
    expect(await sessions.deleteOfUser(ada.id)).toBe(1)
    expect(await sessions.delete('b1')).toBe(true)
    expect(await sessions.delete('b1')).toBe(false)
    expect(await rejection(sessions.insert(session('c', crypto.randomUUID(), 1)))).toBeInstanceOf(Missing)
  })
}

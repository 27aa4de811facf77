/** Users and groups as a provisioning service sees them, on both engines. */
import { expect } from 'bun:test'
import { Missing, NameTaken } from '#store/errors.ts'
import type { ScimFilter, ScimOperator } from '#store/identity/scim-filter.ts'
import type { Store } from '#store/store.ts'
import { aGroup, aUser } from './store-records.ts'
import { rejection, type StoreTest } from './store-test.ts'

const compare = (attribute: string, operator: ScimOperator, value: string | boolean): ScimFilter => ({
  kind: 'compare',
  attribute,
  operator,
  value,
})
const fields = (n: number) => ({
  userName: `Person${n}@Here`,
  externalId: `E${n}`,
  givenName: `G${n}`,
  familyName: 'F%_',
})

async function filled(store: Store, count: number): Promise<readonly string[]> {
  const users = Array.from({ length: count }, (_, n) =>
    aUser({ name: `Name ${n}`, disabled: n === 0, createdAt: 1000 + n }),
  )
  for (const [n, user] of users.entries()) await store.scim.insertUser(user, fields(n))
  return users.map(({ id }) => id)
}

export function provisioningContract(test: StoreTest): void {
  test('filters find what they say, in pages, and never programs', async (store) => {
    const ids = await filled(store, 6)
    await store.users.insert(aUser({ kind: 'service' }), null)
    const group = aGroup()
    await store.scim.insertGroup(group, 'G', [ids[1]!, ids[2]!])
    const found = async (filter: ScimFilter | null) =>
      (await store.scim.users({ filter, offset: 0, limit: 100 })).items.map(({ user }) => ids.indexOf(user.id))
    const all = [0, 1, 2, 3, 4, 5]
    for (const [filter, expected] of [
      [null, all],
      [compare('username', 'eq', 'PERSON3@here'), [3]],
      [compare('username', 'ne', 'person3@here'), [0, 1, 2, 4, 5]],
      [compare('externalid', 'eq', 'E2'), [2]],
      [compare('externalid', 'eq', 'e2'), []],
      [compare('displayname', 'sw', 'NAME 4'), [4]],
      [compare('name.familyname', 'co', '%_'), all],
      [compare('name.familyname', 'co', '%%'), []],
      [compare('name.givenname', 'ew', '5'), [5]],
      [compare('active', 'eq', false), [0]],
      [compare('active', 'ne', false), [1, 2, 3, 4, 5]],
      [compare('meta.created', 'ge', new Date(1004).toISOString()), [4, 5]],
      [compare('groups.value', 'eq', group.id), [1, 2]],
      [{ kind: 'not', filter: compare('groups.value', 'eq', group.id) }, [0, 3, 4, 5]],
      [{ kind: 'present', attribute: 'groups' }, [1, 2]],
      [
        {
          kind: 'and',
          filters: [compare('username', 'gt', 'person1@here'), compare('username', 'le', 'person3@here')],
        },
        [2, 3],
      ],
      [{ kind: 'or', filters: [compare('id', 'eq', ids[0]!), compare('emails.type', 'eq', 'home')] }, [0]],
    ] satisfies readonly (readonly [ScimFilter | null, readonly number[]])[])
      expect([filter, await found(filter)]).toEqual([filter, [...expected]])
    const page = await store.scim.users({ filter: null, offset: 4, limit: 1 })
    expect([page.total, page.items.map(({ user }) => user.id)]).toEqual([6, [ids[4]!]])
  })

  test('a name is unique in any case, and a user whose name is taken is not made', async (store) => {
    await filled(store, 2)
    const user = aUser()
    expect(await rejection(store.scim.insertUser(user, { ...fields(7), userName: 'PERSON1@HERE' }))).toBeInstanceOf(
      NameTaken,
    )
    expect(await store.users.get(user.id)).toBe(null)
  })

  test('members join and leave together, and those who did are told', async (store) => {
    const ids = await filled(store, 1200)
    const group = aGroup()
    await store.scim.insertGroup(group, null, [])
    const members = async () => (await store.scim.group(group.id, true))?.members?.map(({ id }) => id)
    const change = (replace: boolean, add: readonly string[], remove: readonly string[] = []) =>
      store.scim.changeMembers(group.id, { replace, add, remove })
    expect((await change(false, ids)).length).toBe(1200)
    expect(await members()).toEqual([...ids])
    expect(await change(false, [ids[0]!], [ids[1]!])).toEqual([ids[1]!])
    expect((await change(true, ids.slice(0, 3))).length).toBe(1198)
    expect(await members()).toEqual(ids.slice(0, 3))
    expect(await rejection(change(true, [ids[5]!, crypto.randomUUID()]))).toBeInstanceOf(Missing)
    expect(await members()).toEqual(ids.slice(0, 3))
  })
}

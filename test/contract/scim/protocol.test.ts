/** What holds for every provisioning service: who may, filters, pages, discovery, errors, and the audit log. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminEmail } from '#test/support/app/admin-app.ts'
import { patch, startScim, userSchema, type ScimApp } from '#test/support/scim/scim-app.ts'

let it: ScimApp
const ids: string[] = []
beforeAll(async () => {
  it = await startScim()
  for (const n of [1, 2, 3, 4])
    ids.push(
      await it.addUser({
        userName: `u${n}@filter.example`,
        displayName: n === 4 ? '100%_sure "quoted"' : `Name ${n}`,
        name: { givenName: `Given${n}`, familyName: 'Common' },
        externalId: `Ext-${n}`,
        active: n !== 3,
      }),
    )
  await it.addGroup('filtered', ids[0]!, ids[1]!)
})
afterAll(() => it[Symbol.asyncDispose]())

const query = (filter: string, rest = ''): string => `/Users?filter=${encodeURIComponent(filter)}${rest}`
async function numbers(filter: string): Promise<readonly number[]> {
  const { status, body } = await it.scim('GET', query(`userName ew "@filter.example" and (${filter})`))
  expect([filter, status]).toEqual([filter, 200])
  return body.Resources.map(({ id }) => ids.indexOf(String(id)) + 1)
}

describe('who may', () => {
  test('no one without a key, with one of another area, or who is not an administrator', async () => {
    const key = async (userId: string, areas: readonly string[]) =>
      (
        await it.app.call<{ secret: string }>('POST', `/users/${userId}/keys`, {
          body: { name: 'k', scopes: { areas, models: null } },
        })
      ).body.secret
    for (const [used, status] of [
      [null, 401],
      ['sk-slu-nonsense', 401],
      [it.app.userKey, 403],
      [await key(it.app.adminId, ['inference', 'documents']), 403],
      [await key(it.app.userId, ['scim']), 403],
      [await key(it.app.adminId, ['scim']), 200],
      [await key(it.app.adminId, ['admin']), 200],
      [it.app.adminKey, 200],
    ] as const) {
      const answer = await it.scim('GET', '/Users?count=1', undefined, used)
      expect(answer.status).toBe(status)
      expect(answer.type).toBe('application/scim+json')
    }
  })

  test('a key for provisioning does nothing else', async () => {
    for (const path of ['/users', '/settings', '//ai/v1/models', '//api/v1/documents'])
      expect([path, (await it.app.call('GET', path, { key: it.key })).status]).toEqual([path, 403])
  })
})

describe('filters', () => {
  test.each([
    ['userName eq "U2@FILTER.example"', [2]],
    ['userName ne "u2@filter.example"', [1, 3, 4]],
    ['externalId eq "Ext-1"', [1]],
    ['externalId eq "ext-1"', []],
    ['displayName co "AME"', [1, 2, 3]],
    ['displayName sw "name 1" or displayName ew "2"', [1, 2]],
    ['displayName co "%_"', [4]],
    ['displayName co "\\"quoted\\""', [4]],
    ['displayName co "%"', [4]],
    ['active eq true', [1, 2, 4]],
    ['active eq "False"', [3]],
    ['not (active eq true)', [3]],
    ['active eq true and name.givenName eq "given2"', [2]],
    ['name.familyName pr', [1, 2, 3, 4]],
    ['name[givenName eq "Given1" or givenName eq "Given4"]', [1, 4]],
    [`${userSchema}:userName sw "u1"`, [1]],
    ['emails.value eq "u1@filter.example" and emails.type eq "work"', [1]],
    ['emails[type eq "home" and value pr]', []],
    ['meta.created gt "2001-01-01T00:00:00Z"', [1, 2, 3, 4]],
    ['meta.lastModified lt "2001-01-01T00:00:00Z"', []],
    ['userName ge "u3@" AND userName LT "u4@"', [3]],
    ['(((userName sw "u1")) or ((userName sw "u2")))', [1, 2]],
  ])('%s', async (filter, expected) => {
    expect(await numbers(filter)).toEqual(expected)
  })

  test('by group', async () => {
    const { body } = await it.scim('GET', `/Groups?filter=${encodeURIComponent('displayName eq "FILTERED"')}`)
    expect(await numbers(`groups.value eq "${String(body.Resources[0]?.['id'])}"`)).toEqual([1, 2])
    const groups = await it.scim('GET', `/Groups?filter=${encodeURIComponent(`members[value eq "${ids[0]}"]`)}`)
    expect(groups.body.totalResults).toBe(1)
  })

  test.each([
    'userName',
    'userName eq',
    'userName eq u1',
    'userName is "u1"',
    'eq "u1"',
    'userName eq "u1',
    'userName eq "u1" or',
    '(userName eq "u1"',
    'userName eq "u1")',
    'emails[type eq "work"',
    'password eq "x"',
    'password_hash pr',
    'constructor eq "x"',
    'meta.created gt "yesterday"',
    `${'('.repeat(30)}active pr${')'.repeat(30)}`,
    `userName eq "${'x'.repeat(3000)}"`,
    '',
  ])('%j is 400 invalidFilter', async (filter) => {
    const { status, body } = await it.scim('GET', query(filter))
    expect([status, body.scimType]).toEqual([400, 'invalidFilter'])
  })
})

test('pages cover everybody once, in any size, and say how many there are', async () => {
  const all = (await it.scim('GET', '/Users')).body
  expect(all.Resources.map((user) => user['userName'])).toContain(adminEmail)
  for (const count of [1, 2, 3, 200, 100_000]) {
    const seen: unknown[] = []
    for (let startIndex = 1; startIndex <= all.totalResults;) {
      const { body } = await it.scim('GET', `/Users?startIndex=${startIndex}&count=${count}`)
      expect(body).toMatchObject({ totalResults: all.totalResults, startIndex, itemsPerPage: body.Resources.length })
      seen.push(...body.Resources)
      startIndex += body.Resources.length
    }
    expect(seen).toEqual([...all.Resources])
  }
  for (const [asked, items] of [
    ['count=0', 0],
    ['count=-5', 0],
    ['startIndex=0', all.totalResults],
    ['startIndex=-3&count=1', 1],
    ['startIndex=10000', 0],
  ] as const)
    expect([asked, (await it.scim('GET', `/Users?${asked}`)).body.Resources.length]).toEqual([asked, items])
  expect((await it.scim('GET', '/Users?count=many')).status).toBe(400)
})

test('attributes are chosen by name; ids and schemas are always there', async () => {
  const path = query('userName eq "u1@filter.example"')
  const only = (await it.scim('GET', `${path}&attributes=userName,name.givenName`)).body.Resources[0]!
  expect(Object.keys(only).toSorted()).toEqual(['id', 'meta', 'name', 'schemas', 'userName'])
  const rest = (await it.scim('GET', `${path}&excludedAttributes=groups,${userSchema}:emails`)).body.Resources[0]!
  expect(rest).not.toHaveProperty('groups')
  expect(rest).not.toHaveProperty('emails')
  expect(rest).toHaveProperty('displayName')
})

test('what the server can do is described, and each description is at the address that it names', async () => {
  const { body: config } = await it.scim('GET', '/ServiceProviderConfig')
  expect(config).toMatchObject({ patch: { supported: true }, filter: { supported: true }, bulk: { supported: false } })
  for (const list of ['/ResourceTypes', '/Schemas']) {
    const { body } = await it.scim('GET', list)
    expect(body.totalResults).toBe(2)
    for (const each of body.Resources) {
      const { location } = each['meta'] as { location: string }
      expect((await it.scim('GET', location.split('/scim/v2')[1]!)).body).toEqual(each as typeof body)
    }
  }
})

test.each([
  ['POST', '/Users', '{"userName":', 'invalidSyntax'],
  ['POST', '/Users', '[]', 'invalidValue'],
  ['POST', '/Users', { schemas: [userSchema] }, 'invalidValue'],
  ['POST', '/Users', { userName: 'no address' }, 'invalidValue'],
  ['POST', '/Users', { userName: 'a@b.example', active: 'perhaps' }, 'invalidValue'],
  ['POST', '/Users', { userName: 'a\u0000@b.example' }, 'invalidValue'],
  ['PATCH', '/Users/ID', { Operations: [] }, 'invalidValue'],
  ['PATCH', '/Users/ID', patch({ op: 'move', path: 'active' }), 'invalidValue'],
  ['PATCH', '/Users/ID', patch({ op: 'replace', path: 'emails[type', value: 'x' }), 'invalidPath'],
  ['PATCH', '/Users/ID', patch({ op: 'remove' }), 'invalidPath'],
  ['PATCH', '/Users/ID', patch({ op: 'remove', path: 'userName' }), 'invalidValue'],
  ['POST', '/Groups', { displayName: '' }, 'invalidValue'],
  ['POST', '/Groups', { displayName: 'with a stranger', members: [{ value: crypto.randomUUID() }] }, 'invalidValue'],
] as const)('%s %s %j is 400 %s', async (method, path, body, scimType) => {
  const answer = await it.scim(method, path.replace('ID', ids[0]!), body)
  expect([answer.status, answer.body.scimType]).toEqual([400, scimType])
})

test('a group whose members are refused is not there', async () => {
  await it.scim('POST', '/Groups', { displayName: 'half', members: [{ value: ids[0] }, { value: 'nobody' }] })
  expect(
    (await it.scim('GET', `/Groups?filter=${encodeURIComponent('displayName eq "half"')}`)).body.totalResults,
  ).toBe(0)
})

test('users and groups that were made elsewhere are found, taken over and changed', async () => {
  const made = await it.app.call<{ id: string }>('POST', '/users', { body: { email: 'old@example.org', name: 'Old' } })
  const again = await it.scim('POST', '/Users', { userName: 'OLD@example.org' })
  expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
  const { body } = await it.scim('GET', query('userName eq "old@example.org"'))
  expect(body.Resources[0]).toMatchObject({ id: made.body.id, displayName: 'Old' })
  await it.scim('PATCH', `/Users/${made.body.id}`, patch({ op: 'add', path: 'externalId', value: 'E1' }))
  expect((await it.scim('GET', query('externalId eq "E1"'))).body.totalResults).toBe(1)
  expect((await it.app.call('GET', `/users/${made.body.id}`)).body).toMatchObject({
    email: 'old@example.org',
    name: 'Old',
  })
})

test('the group of everyone and accounts of programs are not there', async () => {
  expect((await it.scim('GET', '/Groups/00000000-0000-0000-0000-000000000000')).status).toBe(404)
  const list = await it.app.call<{ data: readonly { id: string }[] }>('GET', '/users?kind=service')
  for (const { id } of list.body.data) expect((await it.scim('DELETE', `/Users/${id}`)).status).toBe(404)
})

test('the last administrator cannot be made inactive', async () => {
  const { body } = await it.scim('GET', query(`userName eq "${adminEmail}"`))
  const id = String(body.Resources[0]?.['id'])
  const refused = await it.scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
  expect(refused.status).toBe(409)
})

test('each change is in the audit log, with what it was before and after', async () => {
  const id = await it.addUser({ displayName: 'First' })
  await it.scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Second' }))
  const { body } = await it.app.call<{
    data: readonly { action: string; actor: string; details: Record<string, object> }[]
  }>('GET', `/audit?outcome=done&limit=2`)
  const [change, creation] = body.data
  expect([change?.action, creation?.action]).toEqual(['PATCH /scim/v2/Users/:id', 'POST /scim/v2/Users'])
  expect(change?.actor).toBe('provisioning@example.org')
  expect(change?.details).toMatchObject({ before: { displayName: 'First' }, after: { displayName: 'Second' } })
  expect(creation?.details['after']).toMatchObject({ id, displayName: 'First' })
})

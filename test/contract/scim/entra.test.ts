/**
 * What Entra ID's provisioning sends, in its order: the cases of its documentation and of its public validator.
 * https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { groupSchema, patch, startScim, userSchema, type ScimApp } from '#test/support/scim/scim-app.ts'

let it: ScimApp
beforeAll(async () => void (it = await startScim()))
afterAll(() => it[Symbol.asyncDispose]())

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const byName = (name: string): string => `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`

test('the connection is tested with the name of a user who does not exist', async () => {
  const { status, type, body } = await it.scim('GET', byName('b3a6b8c2-non-existent'))
  expect([status, type]).toEqual([200, 'application/scim+json'])
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    Resources: [],
    startIndex: 1,
    itemsPerPage: 0,
  })
})

describe('a user', () => {
  const sent = {
    schemas: [userSchema, enterprise],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee@example.net',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@example.org' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    displayName: 'A Person',
    phoneNumbers: [{ type: 'mobile', value: '5553' }],
    roles: [],
    [enterprise]: { department: 'R&D', manager: { value: 'x' } },
  }
  let id: string

  test('is created, and read by id, by name in any case and by external id', async () => {
    const created = await it.scim('POST', '/Users', sent)
    expect(created.status).toBe(201)
    id = created.body.id
    expect(created.headers.get('location')).toBe(`${it.app.url}/scim/v2/Users/${id}`)
    expect(created.body).toMatchObject({
      schemas: [userSchema],
      externalId: sent.externalId,
      userName: sent.userName,
      name: { familyName: 'familyName', givenName: 'givenName' },
      displayName: 'A Person',
      active: true,
      emails: [{ value: 'test_user_fd0ea19b@example.org', type: 'work', primary: true }],
      meta: { resourceType: 'User' },
    })
    expect((await it.scim('GET', `/Users/${id}`)).body).toEqual(created.body)
    const found = [
      byName(sent.userName),
      byName(sent.userName.toUpperCase()),
      `/Users?filter=${encodeURIComponent(`externalId eq "${sent.externalId}"`)}`,
      `/Users?filter=${encodeURIComponent('emails[type eq "work"].value eq "test_user_fd0ea19b@example.org"')}`,
      `/Users?filter=${encodeURIComponent('emails[type eq "work" and value co "fd0ea19b"]')}`,
    ]
    for (const path of found)
      expect([path, (await it.scim('GET', path)).body.Resources]).toEqual([path, [created.body]])
  })

  test('of the same name is refused as 409 uniqueness', async () => {
    const again = await it.scim('POST', '/Users', { ...sent, userName: sent.userName.toLowerCase(), emails: [] })
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
    expect(again.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '409' })
  })

  test('is changed by operations with capital letters, dotted names and filters', async () => {
    const { status, body } = await it.scim(
      'PATCH',
      `/Users/${id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@example.org' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
        { op: 'Add', value: { displayName: 'Another', 'name.givenName': 'Given', title: 'Dr' } },
        { op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      ),
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      displayName: 'Another',
      name: { familyName: 'updatedFamilyName', givenName: 'Given' },
      emails: [{ value: 'updatedemail@example.org' }],
      userName: sent.userName,
    })
    const renamed = await it.scim(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'Replace', path: 'userName', value: 'new@example.net' }),
    )
    expect(renamed.body).toMatchObject({ userName: 'new@example.net', emails: [{ value: 'updatedemail@example.org' }] })
    expect((await it.scim('GET', byName(sent.userName))).body.totalResults).toBe(0)
  })

  test.each([
    [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Replace', path: 'active', value: 'True' },
    ],
    [
      { op: 'replace', value: { active: false } },
      { op: 'add', value: { active: true } },
    ],
  ])('that is made inactive by %j has its keys refused at once, and works again after %j', async (off, on) => {
    const key = await it.app.call<{ secret: string }>('POST', `/users/${id}/keys`, { body: { name: 'k' } })
    const models = async () => (await it.app.call('GET', '//ai/v1/models', { key: key.body.secret })).status
    expect(await models()).toBe(200)
    expect((await it.scim('PATCH', `/Users/${id}`, patch(off))).body).toMatchObject({ active: false })
    expect(await models()).toBe(401)
    const found = await it.scim('GET', byName('new@example.net'))
    expect(found.body.Resources[0]).toMatchObject({ active: false })
    expect((await it.scim('PATCH', `/Users/${id}`, patch(on))).body).toMatchObject({ active: true })
    expect(await models()).toBe(200)
  })

  test('is deleted, and is 404 then', async () => {
    const { status, type } = await it.scim('DELETE', `/Users/${id}`)
    expect([status, type]).toEqual([204, null])
    for (const method of ['GET', 'DELETE']) {
      const gone = await it.scim(method, `/Users/${id}`)
      expect([gone.status, gone.body['status']]).toEqual([404, '404'])
    }
  })
})

describe('a group', () => {
  test('is created empty, found without its members, filled, renamed, emptied and deleted', async () => {
    const [one, two] = [await it.addUser(), await it.addUser()]
    const created = await it.scim('POST', '/Groups', {
      schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ displayName: 'displayName', members: [] })
    const { id } = created.body
    const filter = encodeURIComponent('displayName eq "displayName"')
    const found = await it.scim('GET', `/Groups?excludedAttributes=members&filter=${filter}`)
    expect(found.body.totalResults).toBe(1)
    expect(found.body.Resources[0]).not.toHaveProperty('members')
    expect((await it.scim('GET', `/Groups/${id}?excludedAttributes=members`)).body).not.toHaveProperty('members')

    const change = async (...operations: readonly object[]) =>
      expect((await it.scim('PATCH', `/Groups/${id}`, patch(...operations))).status).toBe(204)
    const members = async () =>
      ((await it.scim('GET', `/Groups/${id}`)).body['members'] as { value: string }[]).map(({ value }) => value)
    await change({ op: 'Add', path: 'members', value: [{ $ref: null, value: one }, { value: two }] })
    await change({ op: 'Add', path: 'members', value: [{ value: one }] })
    expect(await members()).toEqual([one, two])
    const asked = encodeURIComponent(`id eq "${id}" and members eq "${one}"`)
    expect((await it.scim('GET', `/Groups?attributes=id&filter=${asked}`)).body.totalResults).toBe(1)
    await change({ op: 'Remove', path: 'members', value: [{ $ref: null, value: one }] })
    expect(await members()).toEqual([two])
    await change({ op: 'Remove', path: `members[value eq "${two}"]` })
    expect(await members()).toEqual([])
    await change({ op: 'Replace', path: 'displayName', value: 'renamed' })
    expect((await it.scim('GET', `/Groups/${id}`)).body).toMatchObject({ displayName: 'renamed' })
    expect((await it.scim('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await it.scim('GET', `/Groups/${id}`)).status).toBe(404)
  })
})

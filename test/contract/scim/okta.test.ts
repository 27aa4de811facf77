/**
 * What Okta's provisioning sends, in its order: the cases of its public test suite for SCIM 2.0 and of its documentation.
 * https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { patch, startScim, userSchema, type ScimApp } from '#test/support/scim/scim-app.ts'

let it: ScimApp
beforeAll(async () => void (it = await startScim()))
afterAll(() => it[Symbol.asyncDispose]())

test('credentials are tested with a page of users', async () => {
  const { status, body } = await it.scim('GET', '/Users?startIndex=1&count=2')
  expect(status).toBe(200)
  expect(body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], startIndex: 1 })
  expect(body.Resources.length).toBeGreaterThan(0)
  const [first] = body.Resources
  for (const name of ['id', 'name', 'userName', 'active', 'emails']) expect(first).toHaveProperty(name)
  // The account of the service is a program, not a person.
  expect(JSON.stringify(body)).not.toContain('provisioning@')
})

test('a user is created with a password that is not kept, imported, updated as a whole, and made inactive', async () => {
  const sent = {
    schemas: [userSchema],
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await it.scim('POST', '/Users', sent)
  expect(created.status).toBe(201)
  expect(created.body).not.toHaveProperty('password')
  const { id } = created.body
  const again = await it.scim('POST', '/Users', sent)
  expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])

  const put = await it.scim('PUT', `/Users/${id}`, {
    schemas: [userSchema],
    id,
    userName: 'test.user@okta.local',
    name: { givenName: 'Another', middleName: '', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    active: true,
    groups: [],
    meta: { resourceType: 'User' },
  })
  expect(put.status).toBe(200)
  expect(put.body).toMatchObject({
    id,
    displayName: 'Another User',
    name: { givenName: 'Another', familyName: 'User' },
  })
  expect(put.body).not.toHaveProperty('externalId')

  const off = await it.scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
  expect([off.status, off.body['active']]).toEqual([200, false])
  const found = await it.scim(
    'GET',
    `/Users?filter=${encodeURIComponent('userName eq "test.user@okta.local"')}&startIndex=1&count=100`,
  )
  expect(found.body.Resources[0]).toMatchObject({ id, active: false })
})

test('a user who does not exist is 404 with the message of an error', async () => {
  const { status, body, type } = await it.scim('GET', '/Users/010101001010101011001010101011')
  expect([status, type]).toEqual([404, 'application/scim+json'])
  expect(body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' })
  expect(body.detail).not.toBe('')
})

test('a group is pushed with members, renamed without a path, and its members are replaced', async () => {
  const [one, two, three] = [await it.addUser(), await it.addUser(), await it.addUser()]
  const id = await it.addGroup('Test SCIMv2', one!, two!)
  const change = async (...operations: readonly object[]) =>
    expect((await it.scim('PATCH', `/Groups/${id}`, patch(...operations))).status).toBe(204)
  const members = async () =>
    ((await it.scim('GET', `/Groups/${id}`)).body['members'] as { value: string }[]).map(({ value }) => value)
  await change({ op: 'replace', value: { id, displayName: 'Renamed SCIMv2' } })
  expect((await it.scim('GET', `/Groups/${id}`)).body).toMatchObject({ displayName: 'Renamed SCIMv2' })
  expect(await members()).toEqual([one!, two!])
  await change(
    { op: 'remove', path: `members[value eq "${one}"]` },
    { op: 'add', path: 'members', value: [{ value: three, display: 'x' }] },
  )
  expect(await members()).toEqual([two!, three!])
  await change({ op: 'replace', path: 'members', value: [{ value: one }] })
  expect(await members()).toEqual([one!])
  const put = await it.scim('PUT', `/Groups/${id}`, { displayName: 'Whole', members: [{ value: three }] })
  expect(put.body).toMatchObject({ displayName: 'Whole', members: [{ value: three }] })
  const list = await it.scim('GET', '/Groups?startIndex=1&count=100')
  expect(list.body.Resources.map((group) => group['displayName'])).toEqual(['Whole'])
  expect((await it.scim('GET', `/Users/${three}`)).body['groups']).toMatchObject([{ value: id, display: 'Whole' }])
})

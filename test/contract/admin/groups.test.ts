import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface Group {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
}

describe('groups', () => {
  test('a group can be created, read, renamed and deleted', async () => {
    const created = await app.call<Group>('POST', '/groups', {
      body: { name: 'Research', description: 'Who reads papers' },
    })
    expect([created.status, created.body.name]).toEqual([201, 'Research'])
    const path = `/groups/${created.body.id}`
    expect((await app.call<Group>('GET', path)).body).toEqual(created.body)
    const changed = await app.call<Group>('PATCH', path, { body: { name: 'Science' } })
    expect(changed.body).toMatchObject({ name: 'Science', description: 'Who reads papers' })
    expect((await app.call('DELETE', path)).status).toBe(204)
    expect((await app.call('GET', path)).status).toBe(404)
  })

  test('permissions are given, kept by other changes, and taken', async () => {
    const body = { name: 'Sharers', permissions: ['documents.share'] }
    const created = await app.call<Group>('POST', '/groups', { body })
    expect(created.body.permissions).toEqual(['documents.share'])
    const path = `/groups/${created.body.id}`
    expect((await app.call<Group>('PATCH', path, { body: { name: 'Sharing' } })).body).toMatchObject({
      permissions: ['documents.share'],
    })
    expect((await app.call<Group>('PATCH', path, { body: { permissions: [] } })).body.permissions).toEqual([])
    expect((await app.call('PATCH', path, { body: { permissions: ['documents.delete'] } })).status).toBe(422)
  })

  test('a name that is in use is 409 and named', async () => {
    await app.call('POST', '/groups', { body: { name: 'Taken' } })
    const again = await app.call('POST', '/groups', { body: { name: 'Taken' } })
    expect([again.status, again.code, again.text.includes('Taken')]).toEqual([409, 'conflict', true])
    const other = await app.call<Group>('POST', '/groups', { body: { name: 'Other' } })
    expect((await app.call('PATCH', `/groups/${other.body.id}`, { body: { name: 'Taken' } })).status).toBe(409)
  })

  test('the group of everyone can be described but neither renamed nor deleted', async () => {
    const path = `/groups/${everyoneGroupId}`
    expect((await app.call('PATCH', path, { body: { name: 'nobody' } })).code).toBe('conflict')
    expect((await app.call('DELETE', path)).code).toBe('conflict')
    const described = await app.call<Group>('PATCH', path, { body: { name: 'everyone', description: 'All of us' } })
    expect([described.status, described.body.description]).toEqual([200, 'All of us'])
  })

  test('a declared group is read-only', async () => {
    const id = crypto.randomUUID()
    await app.store.groups.insert({
      id,
      name: 'Declared',
      description: '',
      permissions: [],
      declared: true,
      createdAt: 1,
    })
    expect((await app.call('PATCH', `/groups/${id}`, { body: { description: 'x' } })).code).toBe('declared_read_only')
    expect((await app.call('DELETE', `/groups/${id}`)).code).toBe('declared_read_only')
  })

  test('pages of any size give each group exactly once, everyone first', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await app.call('POST', '/groups', { body: { name } })
    const all = (await app.store.groups.all()).map((group) => group.id)
    expect(all[0]).toBe(everyoneGroupId)
    for (const limit of [1, 2, 200])
      expect((await allItems<Group>(app, '/groups', limit)).map((group) => group.id)).toEqual(all)
  })

  test('a group without a name, or with one of two lines, is 422', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: ' x' },
      { name: 'a\nb' },
      { name: 'x'.repeat(201) },
      { name: 'ok', description: 'x'.repeat(2001) },
    ]) {
      expect((await app.call('POST', '/groups', { body })).status).toBe(422)
    }
  })
})

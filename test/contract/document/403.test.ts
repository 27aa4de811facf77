/** 403 about one document: the caller may read it, and not change it. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const changes = [
  ['POST', '/cancel'],
  ['POST', '/retry'],
  ['DELETE', ''],
] as const

test('those who see it as members of a group may not cancel, retry or delete it', async () => {
  for (const owners of ['everyone', 'group:closed']) {
    const [id] = await app().accepted([{ bytes: 'read only', owners }])
    const { other } = app().keys
    for (const [method, path] of changes) {
      const refused = await app().request(method, `/api/v1/document/${id}${path}`, { key: other })
      await expectRefusal(refused, { status: 403, type: 'permission_error', code: 'document_read_only' })
    }
    expect((await app().record(id!, { key: other })).state).toBe('queued')
  }
})

test('its importer, users who own it by name, and administrators may', async () => {
  const { main, other, admin } = app().keys
  for (const key of [main, other, admin]) {
    for (const [method, path] of changes) {
      const [id] = await app().accepted([{ bytes: `${key.id} ${path}`, owners: [other.userId] }])
      expect(await app().statusOf(method, `/api/v1/document/${id}${path}`, key)).toBeLessThan(300)
    }
  }
})

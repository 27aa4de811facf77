/** 404 about one document: there is none, or none that the caller sees; which of the two is not told. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { routesOf } from '#test/support/contract/document-routes.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const refusal = { status: 404, type: 'not_found_error', code: 'not_found' } as const

test('an id of nothing, one that is no id, and one of somebody else are answered alike', async () => {
  const [foreign] = await app().accepted([{ bytes: 'not yours' }])
  const ids = [crypto.randomUUID(), foreign!, 'no-id', '%00', "'", 'x'.repeat(1000)]
  const { other } = app().keys
  const messages = new Set<string>()
  for (const id of ids) {
    for (const { method, path } of routesOf(id)) {
      const { message } = await expectRefusal(await app().request(method, path, { key: other }), refusal)
      messages.add(message)
    }
  }
  expect([...messages]).toEqual(['No document with this id is visible to you.'])
  expect((await app().record(foreign!)).state).toBe('queued')
})

test('a document that was deleted is gone for everyone', async () => {
  const [id] = await app().accepted([{ bytes: 'to be deleted', owners: 'everyone' }])
  expect(await app().statusOf('DELETE', `/api/v1/document/${id}`, app().keys.main)).toBe(204)
  for (const key of [app().keys.main, app().keys.other, app().keys.admin])
    for (const { method, path } of routesOf(id!)) expect(await app().statusOf(method, path, key)).toBe(404)
})

/** 403 about documents: the key is not for them, or the import asks for a model that the caller may not use. */
import { describe, expect, test } from 'bun:test'
import { documentRoutes } from '#test/support/contract/document-routes.ts'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

test('a key whose scopes leave out documents reaches none of their addresses', async () => {
  const key = await app().keyFor(app().keys.main, ['inference'])
  for (const { method, path, body } of documentRoutes) {
    const refused = await app().request(method, path, { key, ...(body !== undefined && { body }) })
    const { message } = await expectRefusal(refused, { status: 403, type: 'permission_error', code: 'scope_denied' })
    expect(message).toContain('"documents"')
  }
})

test('a key for documents alone reaches all of them', async () => {
  const key = app().keys.documentsOnly
  const [id] = await app().accepted([{ bytes: 'by the key for documents' }], {}, { key })
  expect(await app().record(id!, { key })).toMatchObject({ state: 'queued' })
  expect(await app().listed('', { key })).toContain(id!)
  expect(await app().hits({ query: 'documents' }, { key })).toEqual([])
  for (const [method, path, status] of [
    ['POST', `/api/v1/document/${id}/cancel`, 200],
    ['POST', `/api/v1/document/${id}/retry`, 200],
    ['DELETE', `/api/v1/document/${id}`, 204],
  ] as const)
    expect(await app().statusOf(method, path, key)).toBe(status)
})

describe('a prompt of one’s own', () => {
  const item = { bytes: 'a text' }
  const reader = { name: 'vision', model: 'plain', prompt: 'Answer my question.' }

  test('takes a key for inference too: it asks a model anything', async () => {
    const key = app().keys.documentsOnly
    const denied = { status: 403, type: 'permission_error', code: 'scope_denied', param: 'reader.prompt' } as const
    const { message } = await expectRefusal(await app().import([item], { reader }, { key }), denied)
    expect(message).toContain('"inference"')
    await expectRefusal(await app().import([item], { reader: { ...reader, name: 'auto' } }, { key }), denied)
    await app().accepted([item], { reader }, { key: await app().keyFor(app().keys.main, ['documents', 'inference']) })
  })

  test('is not needed to have a model read pictures, or embed', async () => {
    const key = app().keys.documentsOnly
    const options = { reader: { name: 'vision', model: 'plain' }, embedder: 'plain' }
    await app().accepted([{ bytes: 'another text' }], options, { key })
  })
})

describe('a model of a group that the caller is not in', () => {
  const denied = { status: 403, type: 'permission_error', code: 'model_access_denied', param: 'model' } as const

  test('is no embedder for the caller, and nothing is imported', async () => {
    const before = await app().listed()
    await expectRefusal(await app().import([{ bytes: 'a' }], { embedder: 'private' }), denied)
    await expectRefusal(await app().import([{ bytes: 'a' }], { embedder: { name: 'private' } }), denied)
    expect(await app().listed()).toEqual(before)
    expect(await app().onTheirWay()).toEqual([])
  })

  test('reads no pictures for the caller', async () => {
    const reader = { name: 'vision', model: 'private' }
    await expectRefusal(await app().import([{ bytes: 'a' }], { reader }), denied)
  })

  test('is an embedder for who is in the group', async () => {
    await app().accepted([{ bytes: 'a' }], { embedder: 'private' }, { key: app().keys.other })
  })
})

/** 503 about documents: too much waits, or the database cannot be used. */
import { describe, expect, test } from 'bun:test'
import { documentRoutes } from '#test/support/contract/document-routes.ts'
import { documentsOfFile, idle, startDocuments } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

describe('a backlog that is full', () => {
  const app = documentsOfFile({ set: [...idle, 'documents.max_backlog=2'] })
  const refusal = { status: 503, type: 'api_error', code: 'backlog_full' } as const

  test('refuses imports with a time to come back, and takes them again when there is room', async () => {
    const [first] = await app().accepted([{ bytes: 'one' }, { bytes: 'two' }])
    const refused = await app().import([{ bytes: 'three' }])
    expect(refused.headers.get('retry-after')).toBe('30')
    await expectRefusal(refused, refusal)
    const form = new FormData()
    form.append('category', 'notes')
    form.append('files', new Blob(['three']), 'a.txt')
    await expectRefusal(await app().form(form), refusal)
    expect(await app().listed()).toHaveLength(2)
    expect(await app().statusOf('POST', `/api/v1/document/${first}/cancel`, app().keys.main)).toBe(200)
    await app().accepted([{ bytes: 'three' }])
  })
})

test('without the database every address is 503, and the answer tells nothing of it', async () => {
  const app = await startDocuments({ set: idle })
  await app.store.close()
  for (const { method, path, body } of documentRoutes) {
    if (path.endsWith('/options')) continue
    const refused = await app.request(method, path, body === undefined ? {} : { body })
    const { message } = await expectRefusal(refused, {
      status: 503,
      type: 'store_unavailable',
      code: 'store_unavailable',
    })
    expect(message).not.toMatch(/sqlite|closed|sluice\.db/i)
  }
  expect(await Array.fromAsync(app.blobs.list())).toEqual([])
  // Stopping writes when keys were last used, and rejects when that cannot be.
  await app[Symbol.asyncDispose]().then(null, () => {})
})

/** The console's session on the documents: the same rights as a key of that user. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })
const password = 'correct horse battery'

test('a signed-in user imports, sees, finds and deletes what is the user’s own, and nothing else', async () => {
  const { userId } = app().keys.main
  expect(
    (await app().operate('POST', `/users/${userId}/password`, { password, temporary: false })).status,
  ).toBeLessThan(300)
  const signedIn = await app().request('POST', '/admin/api/v1/session', {
    key: null,
    body: JSON.stringify({ email: `${userId}@example.com`, password }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const session = { key: null, headers: { cookie, origin: app().url } }
  const [mine] = await app().accepted([{ bytes: 'by the session' }], {}, session)
  const [foreign] = await app().accepted([{ bytes: 'of the other' }], {}, { key: app().keys.other })
  expect(await app().listed('', session)).toEqual([mine!])
  expect(await app().record(mine!)).toMatchObject({ state: 'queued' })
  expect((await app().document(foreign!, session)).status).toBe(404)
  expect(await app().hits({ query: 'session' }, session)).toEqual([])
  expect((await app().request('DELETE', `/api/v1/document/${mine}`, session)).status).toBe(204)
})

test('a page of another site cannot use it', async () => {
  const { userId } = app().keys.other
  await app().operate('POST', `/users/${userId}/password`, { password, temporary: false })
  const signedIn = await app().request('POST', '/admin/api/v1/session', {
    key: null,
    body: JSON.stringify({ email: `${userId}@example.com`, password }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const foreign = { key: null, headers: { cookie, origin: 'https://elsewhere.example' } }
  const refused = await app().import([{ bytes: 'forged' }], {}, foreign)
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    403,
    'origin_denied',
  ])
})

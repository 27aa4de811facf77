/** 401 of everything about documents: nothing is told to a caller without a valid key. */
import { describe, expect, test } from 'bun:test'
import { documentRoutes, routesOf } from '#test/support/contract/document-routes.ts'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: [...idle, 'documents.max_backlog=1', 'documents.max_body_bytes=1024'] })
const refusal = { status: 401, type: 'authentication_error' } as const

for (const { method, path, body } of documentRoutes) {
  describe(`${method} ${path}`, () => {
    const send = (key: string | null, sent = body) =>
      app().request(method, path, {
        key: null,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
        ...(sent !== undefined && { body: sent }),
      })

    test('without a key', async () => {
      await expectRefusal(await send(null), { ...refusal, code: 'missing_api_key' })
    })

    test('with a key that is wrong, expired, or of a disabled user', async () => {
      const { expired, ofDisabledUser } = app().keys
      for (const secret of ['sk-slu-wrong', expired.secret, ofDisabledUser.secret])
        await expectRefusal(await send(secret), { ...refusal, code: 'invalid_api_key' })
    })

    test('before anything is said about a body that is wrong or too large', async () => {
      if (body === undefined) return
      for (const sent of ['not json', 'x'.repeat(2000)])
        await expectRefusal(await send('sk-slu-wrong', sent), { ...refusal, code: 'invalid_api_key' })
    })
  })
}

test('a document that is there is told of as little as one that is not', async () => {
  const [id] = await app().accepted([{ bytes: 'text' }])
  for (const { method, path } of routesOf(id!)) expect(await app().statusOf(method, path, null)).toBe(401)
})

test('the key can come in the header of Anthropic’s clients, and as the password of those of the document service', async () => {
  const { secret } = app().keys.main
  const basic = `Basic ${Buffer.from(`anyone:${secret}`).toString('base64')}`
  for (const headers of [{ 'x-api-key': secret }, { authorization: basic }]) {
    const response = await app().request('GET', '/api/v1/documents', { key: null, headers })
    expect(response.status).toBe(200)
  }
})

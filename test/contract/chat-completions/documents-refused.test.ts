/** POST /ai/v1/chat/completions with a field `documents` that is wrong, or not for this caller. */
import { afterAll, beforeAll, describe, test, expect } from 'bun:test'
import { gatewayBeside, type GatewayBeside } from '#test/support/app/gateway-beside.ts'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let app: GatewayApp
let beside: GatewayBeside
beforeAll(async () => {
  app = await startGateway()
  beside = gatewayBeside(app, { retrieve: async () => ({ chunks: [], query: '', warnings: [] }) })
})
afterAll(async () => {
  await beside[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

describe('it is refused', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ['faq', 'documents'],
    [true, 'documents'],
    [{ topk: 3 }, 'documents.topk'],
    [{ top_k: 0 }, 'documents.top_k'],
    [{ top_k: 51 }, 'documents.top_k'],
    [{ top_k: 1.5 }, 'documents.top_k'],
    [{ top_k: '6' }, 'documents.top_k'],
    [{ category: [] }, 'documents.category'],
    [{ category: [''] }, 'documents.category'],
    [{ owners: 7 }, 'documents.owners'],
    [{ doc_id: [null] }, 'documents.doc_id'],
    [{ mode: 'semantic' }, 'documents.mode'],
    [{ max_tokens: -1 }, 'documents.max_tokens'],
    [{ window: 11 }, 'documents.window'],
    [{ window: 'page' }, 'documents.window'],
    [{ max_per_document: 0 }, 'documents.max_per_document'],
    [{ rewrite: 'yes' }, 'documents.rewrite'],
    [{ rewrite: { model: '' } }, 'documents.rewrite'],
    [{ rewrite: { model: 'a', more: 1 } }, 'documents.rewrite'],
  ]
  for (const [documents, param] of wrong) {
    test(`400 for ${JSON.stringify(documents)}`, async () => {
      const error = await expectRefusal(await beside.chat({ documents }), {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_body',
        param,
      })
      expect(error.message).toContain(`"${param}"`)
    })
  }

  test('400 when the field is written twice', async () => {
    const body = `{"model":"plain","documents":{},"documents":{},"messages":${JSON.stringify(messages)}}`
    const refusal = { status: 400, type: 'invalid_request_error', code: 'invalid_body', param: 'documents' } as const
    await expectRefusal(await beside.chat(body), refusal)
  })

  test('400 when no message of the user says what to look for', async () => {
    const refusal = { status: 400, type: 'invalid_request_error', code: 'invalid_body', param: 'messages' } as const
    for (const given of [[{ role: 'system', content: 'x' }], [{ role: 'user', content: ' ' }], [{ role: 'user' }]])
      await expectRefusal(await beside.chat({ documents: {}, messages: given }), refusal)
  })

  test('400 by a server without documents', async () => {
    await using without = gatewayBeside(app)
    const refusal = { status: 400, type: 'invalid_request_error', code: 'invalid_body', param: 'documents' } as const
    await expectRefusal(await without.chat({ documents: {} }), refusal)
    expect((await without.chat()).status).toBe(200)
  })

  test('403 for a key that is not for documents, which may still chat', async () => {
    const key = await inferenceOnlyKey()
    const refusal = { status: 403, type: 'permission_error', code: 'scope_denied', param: 'documents' } as const
    await expectRefusal(await beside.chat({ documents: {} }, { key }), refusal)
    expect((await beside.chat({}, { key })).status).toBe(200)
  })

  test('404 and 403 for the model come first', async () => {
    expect((await beside.chat({ documents: {}, model: 'gone' })).status).toBe(404)
    expect((await (await beside.chat({ documents: {}, model: 'private' })).json()) as object).toMatchObject({
      error: { code: 'model_access_denied' },
    })
  })
})

async function inferenceOnlyKey() {
  const body = { name: 'inference', scopes: { areas: ['inference'] } }
  const made = await app.operate('POST', `/users/${app.keys.main.userId}/keys`, body)
  const text = await made.text()
  expect([made.status, text]).toEqual([201, expect.any(String)])
  const { id, secret } = JSON.parse(text) as { id: string; secret: string }
  return { id, secret, userId: app.keys.main.userId }
}

/** 403 of GET /ai/v1/models and GET /ai/v1/models/{id}: the caller is known and may not see this. */
import { afterAll, beforeAll, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const denied = { status: 403, type: 'permission_error', code: 'model_access_denied', param: 'model' } as const

test('a model of a group that the caller is not in is denied as a call of it would be', async () => {
  for (const key of [gateway.keys.main, gateway.keys.admin])
    await expectRefusal(await gateway.request('GET', '/ai/v1/models/private', { key }), denied)
})

test('a model outside of the scopes of the key is denied', async () => {
  await expectRefusal(await gateway.request('GET', '/ai/v1/models/plain', { key: gateway.keys.slashedOnly }), denied)
})

test('a key whose scopes leave out this part of the API sees neither the list nor a model', async () => {
  for (const path of ['/ai/v1/models', '/ai/v1/models/plain', '/ai/v1/models/no-such-model']) {
    const refused = await gateway.request('GET', path, { key: gateway.keys.documentsOnly })
    await expectRefusal(refused, { status: 403, type: 'permission_error', code: 'scope_denied' })
  }
})

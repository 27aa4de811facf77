/** 403 of POST /ai/v1/chat/completions: the caller is known and may not do this. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const denied = { status: 403, type: 'permission_error', code: 'model_access_denied', param: 'model' } as const

test('a model of a group that the caller is not in is denied', async () => {
  await expectRefusal(await gateway.chat({ model: 'private' }), denied)
})

test("an administrator's key reaches no more models than the administrator's groups", async () => {
  await expectRefusal(await gateway.chat({ model: 'private' }, { key: gateway.keys.admin }), denied)
})

test('a model outside of the scopes of the key is denied, although its user has it', async () => {
  const { slashedOnly } = gateway.keys
  await expectRefusal(await gateway.chat({ model: 'plain' }, { key: slashedOnly }), denied)
  await expectRefusal(await gateway.chat({ model: 'plain-alias' }, { key: slashedOnly }), denied)
})

test('a key whose scopes leave out this part of the API is denied before the body is read', async () => {
  const refused = await gateway.chat('not json', { key: gateway.keys.documentsOnly })
  await expectRefusal(refused, { status: 403, type: 'permission_error', code: 'scope_denied' })
})

test('a user who joins the group gets the model with the next request, and loses it on leaving', async () => {
  const { userId } = gateway.keys.main
  const membership = `/users/${userId}/groups/${gateway.closedGroupId}`
  expect((await gateway.operate('PUT', membership)).status).toBeLessThan(300)
  expect((await gateway.chat({ model: 'private' })).status).toBe(200)
  expect((await gateway.operate('DELETE', membership)).status).toBeLessThan(300)
  await expectRefusal(await gateway.chat({ model: 'private' }), denied)
})

test('the refusal reaches no upstream, takes no slot, and has a usage row', async () => {
  const before = gateway.upstream.requests.length
  await gateway.chat({ model: 'private' }, { headers: { 'x-request-id': 'denied' } })
  expect(await gateway.usageOf('denied')).toMatchObject({
    status: 403,
    code: 'model_access_denied',
    modelAsked: 'private',
    modelServed: null,
    attempts: 0,
  })
  expect(gateway.upstream.requests.length).toBe(before)
})

/** 404 of POST /ai/v1/chat/completions: no model has this name. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const unknown = { status: 404, type: 'not_found_error', code: 'model_not_found', param: 'model' } as const

test('a name that no model and no alias has is unknown, and the message says which', async () => {
  const error = await expectRefusal(await gateway.chat({ model: 'gpt-unheard-of' }), unknown)
  expect(error.message).toContain('"gpt-unheard-of"')
})

test('names are exact: case, spaces and parts of a name do not match', async () => {
  for (const model of ['Plain', ' plain', 'plain ', 'plai', 'vendor', 'slashed', 'vendor/Slashed', '*', '__proto__'])
    await expectRefusal(await gateway.chat({ model }), unknown)
})

test("the provider's own name is not a name of the gateway", async () => {
  await expectRefusal(await gateway.chat({ model: 'upstream-model' }), unknown)
})

test('a model that is not active is as unknown as none, to everybody', async () => {
  for (const key of [gateway.keys.main, gateway.keys.admin])
    await expectRefusal(await gateway.chat({ model: 'inactive' }, { key }), unknown)
})

test('a model that is switched off is unknown from the next request on, and back again', async () => {
  const model = `/models/${gateway.models.shared.id}`
  await gateway.operate('PATCH', model, { active: false })
  await expectRefusal(await gateway.chat({ model: 'shared' }), unknown)
  await gateway.operate('PATCH', model, { active: true })
  expect((await gateway.chat({ model: 'shared' })).status).toBe(200)
})

test('a name of a megabyte is quoted in part only', async () => {
  const error = await expectRefusal(await gateway.chat({ model: 'x'.repeat(1_000_000) }), unknown)
  expect(error.message.length).toBeLessThan(500)
})

test('the usage row keeps what was asked for', async () => {
  await gateway.chat({ model: 'gpt-unheard-of' }, { headers: { 'x-request-id': 'unknown' } })
  const row = await gateway.usageOf('unknown')
  expect(row).toMatchObject({ status: 404, code: 'model_not_found', modelAsked: 'gpt-unheard-of', modelServed: null })
})

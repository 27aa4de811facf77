/** 404 of GET /ai/v1/models/{id}: no model has this name. */
import { afterAll, beforeAll, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

test('an unknown name, another case, and a model that is not active are not found', async () => {
  for (const id of [
    'no-such-model',
    'PLAIN',
    'inactive',
    'vendor',
    'vendor/slashed/more',
    'plain%20',
    'upstream-model',
  ]) {
    const refused = await gateway.request('GET', `/ai/v1/models/${id}`)
    await expectRefusal(refused, {
      status: 404,
      type: 'not_found_error',
      code: 'model_not_found',
      param: 'model',
    })
  }
})

test('an address that is no name at all is not found either', async () => {
  for (const id of ['', '%E0%A4%A']) {
    const refused = await gateway.request('GET', `/ai/v1/models/${id}`)
    await expectRefusal(refused, { status: 404, type: 'not_found_error', code: 'not_found' })
  }
})

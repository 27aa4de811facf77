/** 404 of GET /ai/v1/models/{id}: no model has this name. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
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

test('a client of Anthropic reads it, and that of an address that does not exist, in the shape that it knows', async () => {
  const headers = { 'anthropic-version': '2023-06-01' }
  const refused = {
    '/ai/v1/models/no-such-model': 'model_not_found',
    '/ai/v1/skills': 'not_found',
  }
  for (const [path, code] of Object.entries(refused)) {
    const response = await gateway.request('GET', path, { headers })
    expect(response.status).toBe(404)
    expect<unknown>(await response.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.any(String), details: { error_code: code } },
      request_id: response.headers.get('request-id'),
    })
  }
})

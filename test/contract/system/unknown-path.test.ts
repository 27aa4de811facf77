/** Addresses that do not exist: 404, and below the protected areas only to those who may be there. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const notFound = { status: 404, type: 'not_found_error', code: 'not_found' } as const
const guarded = [
  '/ai/v1/nothing',
  '/ai/',
  '/api/v1/nothing',
  '/generate/nothing',
  '/image_generate_x',
  '/admin/nothing',
]

test('below the protected areas is 401 without a key, for every method', async () => {
  for (const path of guarded)
    for (const method of ['GET', 'POST', 'DELETE'])
      expect((await gateway.request(method, path, { key: null })).status).toBe(401)
})

test('below the protected areas is 404 with a key', async () => {
  for (const path of guarded) await expectRefusal(await gateway.request('GET', path), notFound)
})

test('elsewhere is 404 to anybody', async () => {
  for (const path of ['/nothing', '/healthz/', '/HEALTHZ', '/.env', '/ai'])
    await expectRefusal(await gateway.request('GET', path, { key: null }), notFound)
})

test('does not repeat what was asked for', async () => {
  const refused = await gateway.request('GET', '/canary-path?canary=1')
  expect(await refused.text()).not.toContain('canary')
})

test('a method that an address does not take is 405 with those it does', async () => {
  const refused = await gateway.request('POST', '/healthz', { key: null })
  expect(refused.headers.get('allow')).toContain('GET')
  await expectRefusal(refused, { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' })
})

/** 405 of /ai/v1/chat/completions: it takes POST only. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

test('every other method is refused with the one that is allowed, and without a key it is 401', async () => {
  await using gateway = await startGateway()
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const refused = await gateway.request(method, '/ai/v1/chat/completions')
    expect(refused.headers.get('allow')).toBe('POST')
    await expectRefusal(refused, { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' })
    expect((await gateway.request(method, '/ai/v1/chat/completions', { key: null })).status).toBe(401)
  }
})

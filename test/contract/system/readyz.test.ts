/** GET /readyz: 200 while the server takes requests, 503 when it cannot. The stop is in test/journeys/shutdown.test.ts. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

test('is 200 to anybody while the database answers', async () => {
  await using gateway = await startGateway()
  const response = await gateway.request('GET', '/readyz', { key: null })
  expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }])
})

test('is 503 when the database does not answer, and says nothing of how it is reached', async () => {
  await using gateway = await startGateway()
  await gateway.store.close()
  const refused = await gateway.request('GET', '/readyz', { key: null })
  expect(refused.headers.get('retry-after')).toBe('1')
  const error = await expectRefusal(refused, {
    status: 503,
    type: 'store_unavailable',
    code: 'store_unavailable',
  })
  expect(error.message).not.toContain('sluice.db')
})

test('requests that need no database are served while it is away, and the stop says what it could not write', async () => {
  const gateway = await startGateway()
  await gateway.store.close()
  expect((await gateway.chat()).status).toBe(200)
  await gateway[Symbol.asyncDispose]()
  expect(gateway.log()).toContain('usage records could not be written at the stop')
})

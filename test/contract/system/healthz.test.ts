/** GET /healthz: the process runs. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'

test('answers 200 to anybody, with a request id, also when the database is gone', async () => {
  await using gateway = await startGateway()
  for (let round = 0; round < 2; round += 1) {
    const response = await gateway.request('GET', '/healthz', { key: null, headers: { 'x-request-id': 'probe-1' } })
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    expect(response.headers.get('x-request-id')).toBe('probe-1')
    await gateway.store.close()
  }
})

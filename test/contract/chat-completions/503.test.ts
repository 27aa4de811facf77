/** 503 of POST /ai/v1/chat/completions: no provider of the model can be used. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const promised = { status: 503, type: 'upstream_unavailable', code: 'upstream_unavailable' } as const

test('a model whose provider is disabled is unavailable, and recorded so', async () => {
  await using gateway = await startGateway()
  for (const stream of [false, true]) {
    const refused = await gateway.chat({ model: 'on-disabled', stream }, { headers: { 'x-request-id': 'off' } })
    await expectRefusal(refused, promised)
  }
  const row = await gateway.usageOf('off')
  expect(row).toMatchObject({ status: 503, code: 'upstream_unavailable', provider: 'off', attempts: 0 })
  expect(await gateway.metric('sluice_inflight_requests{model="on-disabled"}')).toBe(0)
  expect(gateway.upstream.requests).toEqual([])
})

test('a provider that is disabled is left alone from the next request on, and used again when it is enabled', async () => {
  await using gateway = await startGateway()
  expect((await gateway.chat()).status).toBe(200)
  const provider = `/providers/${gateway.upProviderId}`
  await gateway.operate('PATCH', provider, { enabled: false })
  await expectRefusal(await gateway.chat(), promised)
  await gateway.operate('PATCH', provider, { enabled: true })
  expect((await gateway.chat()).status).toBe(200)
})

/** 403 of POST /ai/v1/chat/completions by traffic rules, and what a redirect does instead. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import type { ModelName } from '#test/support/app/gateway-catalog.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

async function setRules(model: ModelName, rules: object): Promise<void> {
  const answer = await gateway.operate('PATCH', `/models/${gateway.models[model].id}`, { rules })
  expect(answer.status).toBe(200)
}

const denied = { status: 403, type: 'permission_error', code: 'realtime_denied', param: 'model' } as const
const noAccess = { status: 403, type: 'permission_error', code: 'model_access_denied', param: 'model' } as const

describe('a real-time deny rule', () => {
  test('refuses the next request, by the name and by the alias, before any provider is called', async () => {
    await setRules('plain', { realtime: { action: 'deny' } })
    const calls = gateway.upstream.requests.length
    for (const model of ['plain', 'plain-alias'])
      for (const stream of [false, true])
        await expectRefusal(await gateway.chat({ model, stream }, { headers: { 'x-request-id': 'denied' } }), denied)
    expect(gateway.upstream.requests.length).toBe(calls)
    expect(await gateway.usageOf('denied')).toMatchObject({ status: 403, code: 'realtime_denied', attempts: 0 })
    await setRules('plain', { batch: { action: 'deny' } })
    expect((await gateway.chat()).status).toBe(200)
  })

  test('is told only to those who have access', async () => {
    await setRules('private', { realtime: { action: 'deny' } })
    await expectRefusal(await gateway.chat({ model: 'private' }), noAccess)
    await expectRefusal(await gateway.chat({ model: 'private' }, { key: gateway.keys.other }), denied)
    await setRules('private', {})
  })
})

describe('a real-time redirect', () => {
  test('sends the next request to the other model', async () => {
    await setRules('plain', { realtime: { action: 'redirect', model: 'vendor/slashed' } })
    expect((await gateway.chat({}, { headers: { 'x-request-id': 'redirected' } })).status).toBe(200)
    const received = await gateway.received('redirected')
    expect((JSON.parse(Buffer.from(received.body).toString()) as { model: string }).model).toBe('vendor/slashed')
    expect(await gateway.usageOf('redirected')).toMatchObject({
      modelAsked: 'plain',
      modelServed: 'vendor/slashed',
      upstreamModel: 'vendor/slashed',
    })
    await setRules('plain', {})
  })

  test('gives no access to the other model', async () => {
    await setRules('plain', { realtime: { action: 'redirect', model: 'private' } })
    await expectRefusal(await gateway.chat(), noAccess)
    expect((await gateway.chat({}, { key: gateway.keys.other })).status).toBe(200)
    await setRules('plain', {})
  })
})

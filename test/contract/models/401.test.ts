/** 401 of GET /ai/v1/models and GET /ai/v1/models/{id}: the caller is not known, and learns nothing. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

test('without a key every address below is the same, whether there is a model or not', async () => {
  await using gateway = await startGateway()
  const paths = ['', '?group=not-a-uuid', '/plain', '/private', '/inactive', '/no-such-model', '/']
  const answers = new Set<string>()
  for (const path of paths) {
    const refused = await gateway.request('GET', `/ai/v1/models${path}`, { key: null })
    const promised = { status: 401, type: 'authentication_error', code: 'missing_api_key' } as const
    answers.add((await expectRefusal(refused, promised)).message)
  }
  expect(answers.size).toBe(1)
})

test('an expired, a mistyped and a disabled key are refused', async () => {
  await using gateway = await startGateway()
  const { expired, ofDisabledUser, main } = gateway.keys
  for (const key of [expired, ofDisabledUser, { ...main, secret: `${main.secret}x` }]) {
    for (const path of ['/ai/v1/models', '/ai/v1/models/plain']) {
      const refused = await gateway.request('GET', path, { key })
      await expectRefusal(refused, { status: 401, type: 'authentication_error', code: 'invalid_api_key' })
    }
  }
})

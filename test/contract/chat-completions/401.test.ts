/** 401 of POST /ai/v1/chat/completions: the caller is not known. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const refusal = { status: 401, type: 'authentication_error' } as const

async function expectInvalid(headers: Record<string, string>): Promise<void> {
  await expectRefusal(await gateway.chat({}, { key: null, headers }), { ...refusal, code: 'invalid_api_key' })
}

describe('no key', () => {
  test('is missing_api_key, whatever else is wrong with the request', async () => {
    for (const body of [{}, { model: 'no such model' }, 'not json', '']) {
      await expectRefusal(await gateway.chat(body, { key: null }), { ...refusal, code: 'missing_api_key' })
    }
  })

  test('in an authorization header that holds none is missing_api_key', async () => {
    for (const authorization of ['Bearer', 'Bearer ', 'Digest abc', '']) {
      const refused = await gateway.chat({}, { key: null, headers: { authorization } })
      await expectRefusal(refused, { ...refusal, code: 'missing_api_key' })
    }
  })
})

describe('a key', () => {
  let before: number
  afterEach(() => expect(gateway.upstream.requests.length).toBe(before))
  beforeAll(() => void (before = gateway.upstream.requests.length))

  test('that is malformed is refused', async () => {
    const { secret } = gateway.keys.main
    const typo = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a')
    for (const wrong of [
      'x',
      'sk-1234567890',
      secret.slice(1),
      `${secret}0`,
      typo,
      secret.toUpperCase(),
      'x'.repeat(10_000),
    ])
      await expectInvalid({ authorization: `Bearer ${wrong}` })
    await expectInvalid({ 'x-api-key': 'x' })
    await expectInvalid({ authorization: `Basic ${Buffer.from('user:x').toString('base64')}` })
  })

  test('that never existed is refused, although it is well formed', async () => {
    await using elsewhere = await startGateway()
    await expectInvalid({ authorization: `Bearer ${elsewhere.keys.main.secret}` })
  })

  test('that has expired is refused', async () => {
    await expectInvalid({ authorization: `Bearer ${gateway.keys.expired.secret}` })
  })

  test('of a disabled user is refused', async () => {
    await expectInvalid({ authorization: `Bearer ${gateway.keys.ofDisabledUser.secret}` })
  })

  test('that is wrong is refused ten thousand times over without a trace of it in the log', async () => {
    const { secret } = gateway.keys.main
    const wrong = `${secret.slice(0, -6)}AAAAAA`
    for (let round = 0; round < 100; round += 1) {
      const refused = await Promise.all(
        Array.from({ length: 100 }, () => gateway.chat({}, { key: { ...gateway.keys.main, secret: wrong } })),
      )
      expect(refused.every((response) => response.status === 401)).toBe(true)
      await Promise.all(refused.map((response) => response.arrayBuffer()))
    }
    expect(gateway.log()).not.toContain(wrong)
  })
})

test('two different keys are refused before either is looked up, and one key in three headers is served', async () => {
  const [one, two] = [gateway.keys.main.secret, gateway.keys.second.secret]
  for (const headers of [{ 'x-api-key': two }, { 'api-key': two }, { 'x-api-key': 'wrong' }]) {
    const refused = await gateway.chat({}, { headers })
    await expectRefusal(refused, { status: 400, type: 'invalid_request_error', code: 'conflicting_api_keys' })
  }
  const same = { 'x-api-key': one, 'api-key': one }
  for (const [key, headers] of [
    [gateway.keys.main, same],
    [null, same],
    [null, { 'api-key': one }],
  ] as const)
    expect((await gateway.chat({}, { key, headers })).status).toBe(200)
})

test('a key that expires is refused from that moment on', async () => {
  await using later = await startGateway()
  const { expiring } = later.keys
  expect((await later.chat({}, { key: expiring })).status).toBe(200)
  later.advance(3_600_000)
  await expectRefusal(await later.chat({}, { key: expiring }), { ...refusal, code: 'invalid_api_key' })
})

test('a deleted key is refused on its next request, and a stream that was running goes on to its end', async () => {
  const { second } = gateway.keys
  const running = await gateway.stream({}, { key: second })
  expect((await gateway.operate('DELETE', `/keys/${second.id}`)).status).toBeLessThan(300)
  await expectRefusal(await gateway.chat({}, { key: second }), { ...refusal, code: 'invalid_api_key' })
  expect(await running.text()).toEndWith('data: [DONE]\n\n')
})

test('the keys of a user who is disabled are refused from the next request on', async () => {
  await using other = await startGateway()
  expect((await other.chat({}, { key: other.keys.other })).status).toBe(200)
  await other.operate('PATCH', `/users/${other.keys.other.userId}`, { disabled: true })
  await expectRefusal(await other.chat({}, { key: other.keys.other }), { ...refusal, code: 'invalid_api_key' })
})

test('the refused are counted by code and leave no usage row', async () => {
  await using fresh = await startGateway()
  await fresh.chat({}, { key: null })
  await fresh.chat({}, { headers: { authorization: 'Bearer x' } })
  expect(await fresh.metric('sluice_refused_total{area="ai",status="401",code="missing_api_key"}')).toBe(1)
  expect(await fresh.metric('sluice_refused_total{area="ai",status="401",code="invalid_api_key"}')).toBe(1)
  await (await fresh.chat({}, { headers: { 'x-request-id': 'marker' } })).arrayBuffer()
  await fresh.usageOf('marker')
  expect(await fresh.usageRows()).toHaveLength(1)
})

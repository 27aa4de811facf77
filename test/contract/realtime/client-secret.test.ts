/** POST /ai/v1/realtime/client_secrets: a secret for a page, which opens realtime sessions with one model and nothing else. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startRealtimeApp, type RealtimeApp } from '#test/support/app/realtime-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import type { ChatOptions } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'

let app: RealtimeApp
beforeAll(async () => void (app = await startRealtimeApp()))
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void (app.upstream.onMessage = ({ socket }, message) => void socket.send(message)))

interface Secret {
  readonly value: string
  readonly expires_at: number
  readonly session: Readonly<Record<string, unknown>>
}

function ask(body: unknown, { path = 'client_secrets', ...options }: ChatOptions & { path?: string } = {}) {
  const headers = { 'content-type': 'application/json', ...options.headers }
  return app.gateway.request('POST', `/ai/v1/realtime/${path}`, { ...options, headers, body: JSON.stringify(body) })
}

async function secretFor(session: object, more: object = {}): Promise<Secret> {
  const response = await ask({ session, ...more })
  expect(response.status).toBe(200)
  return (await response.json()) as Secret
}

const inProtocol = (secret: string) => ({
  key: null,
  protocols: ['realtime', `openai-insecure-api-key.${secret}`],
})
const voice = { type: 'realtime', model: 'voice' }

describe('a secret', () => {
  test('opens sessions in a protocol or a header, with its model by any name or by none', async () => {
    const { value } = await secretFor(voice)
    expect(value).toMatch(/^ek_[\w.-]+$/)
    const ways = [inProtocol(value), { ...inProtocol(value), search: '' }, { key: value, search: '?model=speech' }]
    for (const way of ways) {
      const client = await app.connect(way)
      client.socket.send('{"type":"input_audio_buffer.clear"}')
      await until(() => client.received.length === 1)
      expect(app.upstream.peer.target).toBe('/v1/realtime?model=gpt-realtime')
      expect(app.upstream.peer.received).toEqual(['{"type":"input_audio_buffer.clear"}'])
      expect([...app.upstream.peer.headers.values()].join()).not.toContain('ek_')
      client.socket.close()
      await until(() => app.upstream.open === 0)
    }
  })

  test('begins each session as it was made, before the client says anything', async () => {
    const { value, session } = await secretFor({ model: 'speech', instructions: 'Be brief. 🌊', tools: [] })
    expect(session).toMatchObject({
      id: expect.stringMatching(/^sess_/),
      object: 'realtime.session',
      type: 'realtime',
      model: 'voice',
      instructions: 'Be brief. 🌊',
    })
    const client = await app.connect(inProtocol(value))
    client.socket.send('{"type":"response.create"}')
    await until(() => app.upstream.peer.received.length === 2)
    const [first, second] = app.upstream.peer.received.map((each) => JSON.parse(String(each)) as unknown)
    expect(first).toEqual({
      type: 'session.update',
      session: { type: 'realtime', instructions: 'Be brief. 🌊', tools: [] },
    })
    expect(second).toEqual({ type: 'response.create' })
    client.socket.close()
    await until(() => app.upstream.open === 0)
  })

  test('counts for the key that it was made with', async () => {
    const { value } = await secretFor(voice)
    const client = await app.connect({ ...inProtocol(value), headers: { 'x-request-id': 'by-secret' } })
    client.socket.close(1000, '')
    const { main } = app.gateway.keys
    expect(await app.gateway.usageOf('by-secret')).toMatchObject({
      keyId: main.id,
      modelServed: 'voice',
      upstreamStatus: 101,
    })
  })

  test('is good for nothing else', async () => {
    const { value } = await secretFor(voice)
    const refusal = { status: 401, type: 'authentication_error', code: 'invalid_api_key' } as const
    const headers = { authorization: `Bearer ${value}` }
    const paths = ['/ai/v1/models', '/ai/v1/files', '/api/v1/documents', '/admin/api/v1/me/keys']
    for (const path of paths) expect((await app.gateway.request('GET', path, { key: null, headers })).status).toBe(401)
    await expectRefusal(await ask({ session: voice }, { key: null, headers }), refusal)
    await expectRefusal(await app.gateway.chat({}, { key: null, headers }), refusal)
  })

  test('opens no session with another model', async () => {
    const { value } = await secretFor(voice)
    await expectRefusal(await app.refused({ ...inHeader(value), search: '?model=plain' }), {
      status: 403,
      type: 'permission_error',
      code: 'model_access_denied',
      param: 'model',
    })
  })

  test('is refused when a letter of it has changed', async () => {
    const { value } = await secretFor(voice)
    const at = value.length - 3
    const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)
    for (const wrong of [changed, 'ek_', 'ek_v1.', `${value.slice(0, 40)}`]) {
      const refused = await app.refused(inHeader(wrong))
      expect(refused.status).toBe(401)
    }
  })

  const inHeader = (secret: string) => ({ key: secret })
})

test('the older form has the secret in the session', async () => {
  const response = await ask({ model: 'voice', voice: 'alloy' }, { path: 'sessions' })
  const session = (await response.json()) as { readonly client_secret: Secret }
  expect(session).toMatchObject({ object: 'realtime.session', model: 'voice', voice: 'alloy' })
  const client = await app.connect({ key: session.client_secret.value })
  await until(() => app.upstream.peer.received.length === 1)
  expect(String(app.upstream.peer.received[0])).toContain('"voice":"alloy"')
  client.socket.close()
})

test.each<[string, unknown, number, string | null]>([
  ['no session', {}, 400, 'session'],
  ['no model', { session: { type: 'realtime' } }, 400, 'session.model'],
  ['a session that only writes down', { session: { ...voice, type: 'transcription' } }, 400, 'session.type'],
  ['a secret for a day', { session: voice, expires_after: { seconds: 86_400 } }, 400, 'expires_after.seconds'],
  ['a session beyond what a header takes', { session: { ...voice, instructions: 'x'.repeat(9000) } }, 400, 'session'],
  ['an unknown model', { session: { ...voice, model: 'x' } }, 404, 'model'],
  ['a model without it', { session: { ...voice, model: 'plain' } }, 404, 'model'],
  ['no access', { session: { ...voice, model: 'private' } }, 403, 'model'],
])('%s is refused, and the field is named', async (_, body, status, param) => {
  const response = await ask(body)
  const { error } = (await response.json()) as { readonly error: { readonly param: string | null } }
  expect([response.status, error.param]).toEqual([status, param])
})

test('a secret expires with the time that it was made for, and with its key', async () => {
  await using own = await startRealtimeApp()
  const { gateway } = own
  const made = async (seconds: number): Promise<Secret> => {
    const body = JSON.stringify({ session: voice, expires_after: { anchor: 'created_at', seconds } })
    const headers = { 'content-type': 'application/json' }
    return (await (await gateway.request('POST', '/ai/v1/realtime/client_secrets', { headers, body })).json()) as Secret
  }
  const [short, long] = [await made(10), await made(7200)]
  expect(long.expires_at - short.expires_at).toBeWithin(7189, 7192)
  gateway.advance(11_000)
  expect((await own.refused({ key: short.value })).status).toBe(401)
  const client = await own.connect({ key: long.value })
  expect((await gateway.operate('DELETE', `/keys/${gateway.keys.main.id}`)).status).toBeWithin(200, 205)
  expect((await own.refused({ key: long.value })).status).toBe(401)
  gateway.advance(2000)
  await until(() => client.closed !== null)
  expect(client.closed?.code).toBe(1008)
})

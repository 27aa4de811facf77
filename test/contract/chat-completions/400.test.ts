/** 400 of POST /ai/v1/chat/completions: the request cannot be understood, here or by the provider. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { answer, json } from '#test/support/upstream/upstream-behaviours.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const type = 'invalid_request_error'
const said = JSON.stringify(messages)

describe('a request that cannot be understood', () => {
  // Not one of these may reach the provider.
  afterEach(() => expect(gateway.upstream.requests).toEqual([]))

  const notJson: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
    ['an empty body', ''],
    ['half an object', `{"model":"plain","messages":${said}`],
    ['a trailing comma', `{"model":"plain","messages":${said},}`],
    ['two objects', '{} {}'],
    ['a form', 'model=plain&messages=hello'],
    ['text that is not UTF-8', Buffer.from(`{"model":"plain","messages":${said},"user":"\xff\xfe"}`, 'latin1')],
    ['half a nesting of 100,000 levels', `{"deep":${'['.repeat(100_000)}`],
  ]
  for (const [what, body] of notJson) {
    test(`${what} is invalid_json`, async () => {
      await expectRefusal(await gateway.chat(body), { status: 400, type, code: 'invalid_json' })
    })
  }

  const wrong: readonly (readonly [what: string, body: string, param: string | null])[] = [
    ['a body that is a list', '[]', null],
    ['a body that is null', 'null', null],
    ['a model that is a number', `{"model":5,"messages":${said}}`, 'model'],
    ['no messages', '{"model":"plain"}', 'messages'],
    ['messages that are a text', '{"model":"plain","messages":"hello"}', 'messages'],
    ['an empty list of messages', '{"model":"plain","messages":[]}', 'messages'],
    ['a message that is a text', '{"model":"plain","messages":[{"role":"user"},"hello"]}', 'messages.1'],
    ['a message without a role', '{"model":"plain","messages":[{"content":"hello"}]}', 'messages.0.role'],
    ['"stream" that is a text', `{"model":"plain","messages":${said},"stream":"true"}`, 'stream'],
    ['"stream_options" that are a list', `{"model":"plain","messages":${said},"stream_options":[]}`, 'stream_options'],
    ['two models', `{"model":"plain","messages":${said},"model":"private"}`, 'model'],
    ['two models, one in escapes', `{"model":"plain","messages":${said},"mod\\u0065l":"private"}`, 'model'],
    ['"stream" written twice', `{"model":"plain","messages":${said},"stream":false,"stream":true}`, 'stream'],
  ]
  for (const [what, body, param] of wrong) {
    test(`${what} is invalid_body and names the field`, async () => {
      await expectRefusal(await gateway.chat(body), { status: 400, type, code: 'invalid_body', param })
    })
  }

  for (const [what, model] of [
    ['no model', undefined],
    ['null', null],
    ['an empty name', ''],
  ] as const) {
    test(`${what} for a model is missing_model`, async () => {
      const refused = await gateway.chat({ model })
      await expectRefusal(refused, { status: 400, type, code: 'missing_model', param: 'model' })
    })
  }

  test('the refusal quotes nothing of the body', async () => {
    const error = await expectRefusal(await gateway.chat('{"canary-prompt": oops'), {
      status: 400,
      type,
      code: 'invalid_json',
    })
    expect(error.message).not.toContain('canary')
    expect(gateway.log()).not.toContain('canary')
  })

  test('has a usage row of its own', async () => {
    await gateway.chat('{', { headers: { 'x-request-id': 'unreadable' } })
    expect(await gateway.usageOf('unreadable')).toMatchObject({
      status: 400,
      code: 'invalid_json',
      modelAsked: null,
      provider: null,
      upstreamStatus: null,
      attempts: 0,
    })
  })
})

describe('a request that the provider refuses', () => {
  const words = {
    message: 'temperature is above 2',
    type: 'invalid_request_error',
    param: 'temperature',
    code: 'out_of_range',
  }

  for (const status of [400, 404, 409, 413, 415, 422]) {
    test(`with ${status} is answered ${status} with the provider's message, type, param and code`, async () => {
      gateway.upstream.scriptNext(json({ error: words }, status))
      const response = await gateway.chat()
      expect([response.status, await response.json()]).toEqual([status, { error: words }])
      expect(response.headers.get('x-should-retry')).toBe('false')
    })
  }

  test('is answered the same way when it asked for a stream', async () => {
    gateway.upstream.scriptNext(json({ error: words }, 400))
    const response = await gateway.stream()
    expect([response.status, await response.json()]).toEqual([400, { error: words }])
  })

  test('keeps its message however the provider lays out its error', async () => {
    const layouts = [
      { error: 'too long' },
      { message: 'too long' },
      { object: 'error', message: 'too long', code: 400 },
    ]
    for (const layout of layouts) {
      gateway.upstream.scriptNext(json(layout, 400))
      const { error } = (await (await gateway.chat()).json()) as {
        error: { message: string; code: null; type: string }
      }
      expect(error).toEqual(expect.objectContaining({ message: 'too long', code: null, type }))
    }
  })

  test('gets a sentence of the gateway when the provider sends none that can be read', async () => {
    const unreadable = [answer(400, { 'Content-Type': 'text/html' }, '<h1>canary</h1>'), answer(400, {}, '')]
    for (const behaviour of unreadable) {
      gateway.upstream.scriptNext(behaviour)
      const response = await gateway.chat()
      const text = await response.text()
      expect(response.status).toBe(400)
      expect(text).not.toContain('canary')
      expect((JSON.parse(text) as { error: object }).error).toMatchObject({ type, message: expect.any(String) })
    }
  })

  test("has the provider's status and code in its usage row", async () => {
    gateway.upstream.scriptNext(json({ error: words }, 422))
    await gateway.chat({}, { headers: { 'x-request-id': 'refused-upstream' } })
    expect(await gateway.usageOf('refused-upstream')).toMatchObject({
      status: 422,
      code: 'out_of_range',
      provider: 'up',
      upstreamStatus: 422,
      attempts: 1,
    })
  })
})

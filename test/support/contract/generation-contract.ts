/**
 * What all four generation endpoints promise for each status, declared once: the files below
 * test/contract call these with their endpoint and add what is special there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  answering,
  formOf,
  made,
  picture,
  promptIn,
  startGeneration,
  type GenerationApp,
  type GenerationOptions,
  type GenerationPath,
} from '../app/generation-app.ts'
import { holdStream } from '../upstream/held-stream.ts'
import { RawClient, rawRequest } from '../network/raw-client.ts'
import { expectRefusal } from './refusal.ts'
import { until } from '../until.ts'
import {
  brokenStream,
  hang,
  htmlBadGateway,
  json,
  rateLimited,
  reset,
  streamHead,
} from '../upstream/upstream-behaviours.ts'
import { errorObject } from '../upstream/upstream-samples.ts'

const invalid = 'invalid_request_error'

/** The app of a test file, open from its first test to its last. */
export function useGeneration(options: GenerationOptions = {}): () => GenerationApp {
  let app: GenerationApp
  beforeAll(async () => void (app = await startGeneration(options)))
  afterAll(() => app[Symbol.asyncDispose]())
  return () => app
}

/** Runs `send` and checks that no upstream has heard of it. */
async function unforwarded(app: GenerationApp, send: () => Promise<void>): Promise<void> {
  const before = app.upstream.requests.length
  await send()
  expect(app.upstream.requests.length).toBe(before)
}

export function contract400(path: GenerationPath): void {
  const app = useGeneration()
  const refusal = { status: 400, type: invalid, code: 'invalid_json' } as const
  if (!path.startsWith('image_')) {
    for (const body of ['', '{"text":', 'text', '{"text":"\ud800']) {
      test(`a body that is no JSON: ${JSON.stringify(body)}`, () =>
        unforwarded(app(), async () => {
          const bytes = Buffer.from(body, body.includes('\ud800') ? 'latin1' : 'utf8')
          await expectRefusal(await app().request('POST', `/${path}`, { body: bytes }), refusal)
        }))
    }
    return
  }
  test('json_data that is no JSON', () =>
    unforwarded(app(), async () => {
      const form = formOf('{"text":', picture)
      await expectRefusal(await app().generate(path, {}, { form }), { ...refusal, param: 'json_data' })
    }))
  test('two images', () =>
    unforwarded(app(), async () => {
      const form = formOf({ text: 'a' }, picture)
      form.append('image_data', new Blob([picture]), 'second.png')
      const promised = { status: 400, type: invalid, code: 'too_many_images', param: 'image_data' } as const
      await expectRefusal(await app().generate(path, {}, { form }), promised)
    }))
  test('a form that ends in the middle', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=edge' }
    const body = '--edge\r\nContent-Disposition: form-data; name="json_data"\r\n\r\n{"te'
    const promised = { status: 400, type: invalid, code: 'invalid_multipart' } as const
    await expectRefusal(await app().request('POST', `/${path}`, { headers, body }), promised)
  })
}

export function contract401(path: GenerationPath): void {
  const app = useGeneration()
  const type = 'authentication_error'

  test('no key is refused before the body is looked at', async () => {
    const answer = await app().request('POST', `/${path}`, { key: null, body: 'nothing' })
    await expectRefusal(answer, { status: 401, type, code: 'missing_api_key' })
  })
  test('a wrong, expired or deleted key is refused', async () => {
    const { keys } = app()
    for (const key of [{ ...keys.main, secret: 'sk-slu-wrong' }, keys.expired, keys.ofDisabledUser])
      await expectRefusal(await app().generate(path, { text: 'a' }, { key }), {
        status: 401,
        type,
        code: 'invalid_api_key',
      })
  })
  test('a key can be sent as the password of HTTP Basic and as x-api-key', async () => {
    app().upstream.script(answering(['ok']))
    const basic = `Basic ${Buffer.from(`user:${app().keys.main.secret}`).toString('base64')}`
    for (const headers of [{ authorization: basic }, { 'x-api-key': app().keys.main.secret }] as Record<
      string,
      string
    >[]) {
      const answer = await app().generate(path, { text: 'a' }, { key: null, headers })
      expect([answer.status, (await answer.text()).includes('ok')]).toEqual([200, true])
    }
  })

  describe('with an account for clients that send no key', () => {
    test('they are that account, wrong keys are still refused, and a disabled account serves nobody', async () => {
      await using own = await startGeneration({ set: ['generation.anonymous_user=anyone@example.com'] })
      const missing = { status: 401, type, code: 'missing_api_key' } as const
      await expectRefusal(await own.generate(path, { text: 'a' }, { key: null }), missing)
      const user = await made(own, 'POST', '/users', { email: 'anyone@example.com' })
      own.upstream.script(answering(['ok']))
      const headers = { 'x-request-id': 'anonymous' }
      const answer = await own.generate(path, { text: 'a' }, { key: null, headers })
      expect([answer.status, (await answer.text()).includes('ok')]).toEqual([200, true])
      expect(await own.usageOf('anonymous')).toMatchObject({ userId: user['id'], keyId: null })
      const wrong = { ...own.keys.main, secret: 'sk-slu-wrong' }
      const refused = await own.generate(path, { text: 'a' }, { key: wrong })
      await expectRefusal(refused, { status: 401, type, code: 'invalid_api_key' })
      expect((await own.request('POST', '/ai/v1/chat/completions', { key: null, body: '{}' })).status).toBe(401)
      await made(own, 'PATCH', `/users/${String(user['id'])}`, { disabled: true })
      await expectRefusal(await own.generate(path, { text: 'a' }, { key: null }), missing)
    })

    test('what a page of another origin makes a browser send is refused', async () => {
      const set = ['generation.anonymous_user=anyone@example.com', 'server.allowed_hosts=ai.example.org']
      await using own = await startGeneration({ set })
      await made(own, 'POST', '/users', { email: 'anyone@example.com' })
      own.upstream.script(answering(['ok']))
      const asked = (headers: Record<string, string>): Promise<Response> =>
        own.generate(path, { text: 'a' }, { key: null, headers })
      const foreign: readonly Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { host: 'evil.example' },
        { host: 'evil.example:3001', origin: 'http://evil.example:3001', 'sec-fetch-site': 'same-origin' },
        { host: '127.0.0.1.evil.example' },
      ]
      for (const headers of foreign)
        await expectRefusal(await asked(headers), { status: 403, type: 'permission_error', code: 'origin_denied' })
      for (const host of ['localhost:3001', '[::1]', '127.0.0.1', 'AI.example.org'])
        expect([host, (await asked({ host, origin: `http://${host}` })).status]).toEqual([host, 200])
      const untyped = { key: null, body: JSON.stringify({ text: 'a' }) }
      for (const contentType of ['text/plain', 'text/plain; application/json', 'application/x', '']) {
        const answer = await own.request('POST', `/${path}`, { ...untyped, headers: { 'content-type': contentType } })
        expect([contentType, answer.status]).toEqual([contentType, 415])
      }
    })
  })
}

export function contract403(path: GenerationPath): void {
  const app = useGeneration({ set: ['generation.consumer_groups=primary=vision, closed=private'] })
  const type = 'permission_error'
  const denied = { status: 403, type, code: 'model_access_denied', param: 'consumer_group' } as const

  test('a model of other people is refused, by its name and by its group', () =>
    unforwarded(app(), async () => {
      for (const group of ['private', 'closed'])
        await expectRefusal(await app().generate(path, { text: 'a', consumer_group: group }), denied)
    }))
  test('a key whose scopes leave the model or the area out is refused', async () => {
    const { keys } = app()
    await expectRefusal(await app().generate(path, { text: 'a' }, { key: keys.slashedOnly }), denied)
    const scope = { status: 403, type, code: 'scope_denied' } as const
    await expectRefusal(await app().generate(path, { text: 'a' }, { key: keys.documentsOnly }), scope)
  })
  test('a real-time deny rule holds', () =>
    unforwarded(app(), async () => {
      await made(app(), 'PATCH', `/models/${app().visionId}`, { rules: { realtime: { action: 'deny' } } })
      const promised = { status: 403, type, code: 'realtime_denied', param: 'model' } as const
      await expectRefusal(await app().generate(path, { text: 'a' }), promised)
      await made(app(), 'PATCH', `/models/${app().visionId}`, { rules: {} })
    }))
}

export function contract404(path: GenerationPath): void {
  const app = useGeneration()
  const unknown = {
    status: 404,
    type: 'not_found_error',
    code: 'consumer_group_not_found',
    param: 'consumer_group',
  } as const

  test('a group that is neither a group nor a model is refused', () =>
    unforwarded(app(), async () => {
      for (const group of ['nowhere', 'Vision', 'inactive', '__proto__', 'toString', ''])
        await expectRefusal(await app().generate(path, { text: 'a', consumer_group: group }), unknown)
    }))
  test('without a group the request is for primary, which has to be there', async () => {
    await using own = await startGeneration({ set: ['generation.consumer_groups=other=vision'] })
    const error = await expectRefusal(await own.generate(path, { text: 'a', consumer_group: null }), unknown)
    expect(error.message).toContain('"primary"')
  })
}

export function contract429(path: GenerationPath): void {
  const app = useGeneration({
    set: ['limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=1'],
  })

  test('a request takes one slot, however many prompts it has, and one more is refused', async () => {
    const batch = { text: Array.from({ length: 20 }, (_, index) => `prompt ${index}`) }
    app().upstream.script(() => [streamHead, hang])
    const client = new AbortController()
    const first = app()
      .generate(path, batch, { signal: client.signal })
      .catch(() => null)
    await until(async () => (await app().metric('sluice_inflight_requests{model="vision"}')) === 1)
    const refused = await app().generate(path, { text: 'a' }, { key: app().keys.second })
    expect([refused.headers.get('retry-after'), Number(refused.headers.get('retry-after-ms')) >= 500]).toEqual([
      '1',
      true,
    ])
    await expectRefusal(refused, { status: 429, type: 'rate_limit_error', code: 'inflight_limit_exceeded' })
    client.abort()
    await first
    await until(async () => (await app().metric('sluice_inflight_requests{model="vision"}')) === 0)
    app().upstream.script(answering(['ok']))
    const served = await app().generate(path, batch)
    expect([served.status, (await served.text()).includes('ok')]).toEqual([200, true])
  })
  test('slots are shared with the other endpoints of the gateway', async () => {
    const held = await holdStream(app(), 'vision')
    const refusal = { status: 429, type: 'rate_limit_error', code: 'inflight_limit_exceeded' } as const
    await expectRefusal(await app().generate(path, { text: 'a' }), refusal)
    await held.finish()
  })
  test('the limit of a provider is passed on when nobody else can serve', async () => {
    app().upstream.script(rateLimited('7'))
    const answer = await app().generate(path, { text: 'a' })
    expect(answer.headers.get('retry-after')).toBe('7')
    await expectRefusal(answer, { status: 429, type: 'rate_limit_error', code: 'upstream_rate_limited' })
  })
}

export function contract499(path: GenerationPath): void {
  const app = useGeneration({ set: ['generation.request_concurrency=4'] })

  test('a client that leaves before the first token aborts every call, frees the slot and is recorded', async () => {
    app().upstream.script(() => [streamHead, hang])
    const client = new AbortController()
    const batch = { text: Array.from({ length: 10 }, (_, index) => `prompt ${index}`) }
    const headers = { 'x-request-id': 'left' }
    const from = app().upstream.requests.length
    const answered = app()
      .generate(path, batch, { signal: client.signal, headers })
      .catch(() => null)
    await until(() => app().upstream.requests.length === from + 4)
    client.abort()
    await answered
    await Promise.all(
      app()
        .upstream.requests.slice(from)
        .map((request) => request.closed),
    )
    expect(await app().usageOf('left')).toMatchObject({
      status: 499,
      code: 'client_closed',
      endpoint: path,
      attempts: 4,
    })
    expect(app().upstream.requests.length).toBe(from + 4)
    expect(await app().metric('sluice_inflight_requests{model="vision"}')).toBe(0)
  })
  test('a client that leaves in the middle of its own request reaches no upstream', () =>
    unforwarded(app(), async () => {
      const client = new RawClient(app().port)
      const type = path.startsWith('image_') ? 'multipart/form-data; boundary=edge' : 'application/json'
      const headers = { 'Content-Length': '1000', 'Content-Type': type, 'X-Request-Id': 'left-early' }
      client.write(rawRequest({ path: `/${path}`, key: app().keys.main.secret, headers }))
      client.write('--edge\r\n')
      await until(async () => (await app().metric('sluice_usage_queue_depth')) === 0)
      client.reset()
      expect((await app().usageOf('left-early')).status).toBe(499)
    }))
}

export function contract502(path: GenerationPath): void {
  const app = useGeneration()
  const type = 'upstream_error'
  const faults = {
    'answers 500': json(errorObject('boom'), 500),
    'answers with a page': htmlBadGateway(),
    'refuses the credential of the gateway': json(errorObject('bad key'), 401),
    'breaks before it has said anything': [reset],
    'breaks after the head': brokenStream([], reset),
    'ends without a word': brokenStream([], { step: 'close' }),
    'sends an error as its first event': brokenStream([errorObject('overloaded')], { step: 'close' }),
    'sends what cannot be read': brokenStream(['{"choices":'], { step: 'close' }),
    'answers whole instead of as a stream': json({ choices: [{ message: { content: 'whole' } }] }),
  } as const
  for (const [what, behaviour] of Object.entries(faults)) {
    test(`an upstream that ${what} has its real status`, async () => {
      app().upstream.script(behaviour)
      const answer = await app().generate(path, { text: 'a' })
      expect(answer.status).toBe(502)
      const { error } = (await answer.json()) as { readonly error: { readonly type: string; readonly message: string } }
      expect(error.type).toBe(type)
      expect(error.message).not.toContain('bad key')
    })
  }
  test('all prompts of a batch that fail before any token fail the request, and the first is named', async () => {
    app().upstream.script(json(errorObject('boom'), 500))
    const promised = { status: 502, type, code: 'upstream_error', param: 'text.0' } as const
    const error = await expectRefusal(await app().generate(path, { text: ['a', 'b', 'c'] }), promised)
    expect(error.message).toStartWith('Prompt 0: ')
  })
  test('a batch that nobody answers is given up after its first round', async () => {
    app().upstream.script(json(errorObject('boom'), 500))
    const from = app().upstream.requests.length
    const text = Array.from({ length: 200 }, (_, index) => `prompt ${index}`)
    expect((await app().generate(path, { text })).status).toBe(502)
    expect(app().upstream.requests.length - from).toBeLessThan(40)
  })
  test("the upstream's own refusal of the request is passed on with its words", async () => {
    app().upstream.script(
      json({ error: { message: 'The image is too large.', type: 'x', param: 'messages', code: 'too_big' } }, 400),
    )
    const answer = await app().generate(path, { text: 'a' })
    expect(await answer.json()).toEqual({
      error: { message: 'The image is too large.', type: 'x', param: 'messages', code: 'too_big' },
    })
    expect(answer.status).toBe(400)
  })
}

export function contract503(path: GenerationPath): void {
  const app = useGeneration()

  test('a model whose provider is out of use is refused', () =>
    unforwarded(app(), async () => {
      const promised = { status: 503, type: 'upstream_unavailable', code: 'upstream_unavailable' } as const
      await expectRefusal(await app().generate(path, { text: 'a', consumer_group: 'on-disabled' }), promised)
    }))
}

export function contract504(path: GenerationPath): void {
  const app = useGeneration({ set: ['gateway.first_token_seconds=5', 'gateway.keepalive_seconds=3600'] })

  test('an upstream that stays silent is given up after the time for the first token', async () => {
    for (const behaviour of [[hang], [streamHead, hang]]) {
      app().upstream.script(() => behaviour)
      const headers = { 'x-request-id': `silent-${behaviour.length}` }
      const answered = app().generate(path, { text: 'a' }, { headers })
      const received = await app().received(headers['x-request-id'])
      app().advance(6000)
      await expectRefusal(await answered, { status: 504, type: 'upstream_timeout', code: 'upstream_timeout' })
      await received.closed
    }
  })
}

/** Echoes each prompt in two pieces. */
export function echoing(app: GenerationApp): void {
  app.upstream.script((request) => answering([promptIn(request.json()), '!']))
}

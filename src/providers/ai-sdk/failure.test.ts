import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { aiSdkProvider } from '../ai-sdk.ts'
import { UpstreamFailure } from '../provider.ts'
import { responseOf } from '#test/support/network/reply-response.ts'
import { eventsIn, upstreamCall } from '#test/support/contract/provider-contract.ts'
import { refusingUrl, startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import {
  answer,
  chunk,
  cutBody,
  eventText,
  gate,
  htmlBadGateway,
  json,
  redirect,
  reset,
  stream,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { replay, vendorRecord, vendorStreams } from '#test/support/upstream/vendor-fixtures.ts'

let upstream: Upstream
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

function send(kind: string, more: object = {}, signal?: AbortSignal, url = upstream.url): Promise<Reply> {
  const model = kind === 'google' ? 'gemini-2.5-flash' : 'claude-sonnet-4-5'
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...more }
  return aiSdkProvider(vendorRecord(kind, url)).send(upstreamCall('chat/completions', body, signal))
}

interface Refusal {
  readonly status: number
  readonly message: string
  readonly retryAfter: string | null
}

async function refusal(kind: string, behaviour: Behaviour, more: object = {}): Promise<Refusal> {
  upstream.script(behaviour)
  const response = responseOf(await send(kind, more))
  const { error } = (await response.json()) as { error: { message: string } }
  return { status: response.status, message: error.message, retryAfter: response.headers.get('retry-after') }
}

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (thrown) {
    return thrown
  }
  throw new Error('expected a rejection')
}

const anthropicError = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const opening = [
  {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
]

describe('a refusal keeps the status and the words of the vendor', () => {
  for (const streamed of [false, true]) {
    const more = { stream: streamed }
    const manner = streamed ? 'streamed' : 'whole'

    test(`${manner}: a bad request`, async () => {
      const body = anthropicError('invalid_request_error', 'max_tokens: too large')
      expect(await refusal('anthropic', json(body, 400), more)).toMatchObject({
        status: 400,
        message: 'max_tokens: too large',
      })
    })

    test(`${manner}: a rate limit, with its Retry-After`, async () => {
      const body = json(anthropicError('rate_limit_error', 'Slow down.'), 429, { 'Retry-After': '7' })
      const refused = await refusal('anthropic', body, more)
      expect(refused).toEqual({ status: 429, message: 'Slow down.', retryAfter: '7' })
    })

    test(`${manner}: an overload, a status of Anthropic's own`, async () => {
      const body = anthropicError('overloaded_error', 'Overloaded')
      expect(await refusal('anthropic', json(body, 529), more)).toMatchObject({ status: 529, message: 'Overloaded' })
    })
  }

  test('a wrong key of Google is 401, though Google says 400', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const body = { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } }
    expect(await refusal('google', json(body, 400))).toMatchObject({ status: 401, message: 'API key not valid.' })
  })

  test('the page of a load balancer shows none of its text', async () => {
    const { status, message } = await refusal('anthropic', htmlBadGateway())
    expect(status).toBe(502)
    expect(message).not.toContain('<')
  })

  test('a redirect is not followed', async () => {
    upstream.script(redirect('http://127.0.0.1:1/'))
    expect((await send('anthropic')).status).toBe(302)
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('no answer at all', () => {
  test('nothing listening is refused, and is tried once', async () => {
    const failure = await thrownBy(send('anthropic', {}, undefined, refusingUrl))
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect((failure as UpstreamFailure).kind).toBe('refused')
  })

  test('a connection that breaks before the head is reset', async () => {
    upstream.script([reset])
    const failure = await thrownBy(send('google', { stream: true }))
    expect((failure as UpstreamFailure).kind).toBe('reset')
  })

  test('a success that is not JSON, or is cut off, is not what the protocol promises', async () => {
    for (const behaviour of [answer(200, {}, 'hello'), cutBody({ type: 'message', filler: 'x'.repeat(1000) })]) {
      upstream.script(behaviour)
      expect(((await thrownBy(send('anthropic'))) as UpstreamFailure).kind).toBe('protocol')
    }
  })

  test('an answer that is packed is refused before it is unpacked, whole or streamed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
    for (const kind of ['anthropic', 'google', 'mistral', 'cohere']) {
      for (const streamed of [false, true]) {
        upstream.script(answer(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, bomb))
        const before = process.memoryUsage().rss
        const error = (await thrownBy(send(kind, { stream: streamed }))) as ApiError
        expect([kind, error.code, error.message]).toEqual([
          kind,
          'upstream_invalid_response',
          expect.stringContaining('compressed'),
        ])
        expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024)
      }
    }
    expect(
      upstream.requests.map(({ headers }) =>
        new Headers(headers.map(([name, value]) => [name, value])).get('accept-encoding'),
      ),
    ).toEqual(Array(8).fill('identity'))
  })

  test('an answer larger than the limit is refused while it comes, and so is one event of a stream', async () => {
    const asked = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] }
    upstream.script(answer(200, { 'content-type': 'application/json' }, JSON.stringify({ filler: 'x'.repeat(5000) })))
    const provider = aiSdkProvider(vendorRecord('anthropic', upstream.url))
    const error = (await thrownBy(
      provider.send({ ...upstreamCall('chat/completions', asked), responseBytesMax: 4000 }),
    )) as ApiError
    expect([error.code, error.message]).toEqual(['upstream_invalid_response', expect.stringContaining('larger')])
    const streamed = { ...upstreamCall('chat/completions', { ...asked, stream: true }), responseBytesMax: 4000 }
    const endless = { 'content-type': 'text/event-stream' }
    upstream.script(answer(200, endless, `data: ${'x'.repeat(5000)}`))
    expect((await thrownBy(provider.send(streamed))) instanceof Error).toBe(true)
    const recorded = (await vendorStreams()).find((each) => each.kind === 'anthropic')
    if (recorded === undefined) throw new Error('no recorded stream')
    expect(recorded.bytes.length).toBeGreaterThan(2000)
    upstream.script(replay(recorded, [100, 200, 300, 400]))
    const reply = await provider.send({ ...streamed, responseBytesMax: 2000 })
    expect(await responseOf(reply).text()).toContain('[DONE]')
  })

  test('a package that is not installed is named', async () => {
    const provider = aiSdkProvider(vendorRecord('ai-sdk', '', { package: '@ai-sdk/not-installed-here' }))
    const failure = await thrownBy(
      provider.send(upstreamCall('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x' }] })),
    )
    expect(failure).toBeInstanceOf(ApiError)
    expect((failure as ApiError).message).toContain('npm install @ai-sdk/not-installed-here')
  })

  test('a kind without a list of models says so', async () => {
    const provider = aiSdkProvider(vendorRecord('bedrock', upstream.url))
    const failure = await thrownBy(provider.discover(new AbortController().signal))
    expect((failure as ApiError).message).toContain('do not list their models')
  })
})

describe('a stream that goes wrong in the middle never ends with [DONE]', () => {
  test("the vendor's own error becomes an error event with its words", async () => {
    upstream.script(stream([...opening, anthropicError('overloaded_error', 'Overloaded')]))
    const events = eventsIn(await responseOf(await send('anthropic', { stream: true })).text())
    expect(events.join()).toContain('Half')
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ error: { message: 'Overloaded' } })
  })

  test('an event that cannot be read becomes an error event without its bytes', async () => {
    upstream.script(stream([...opening, '{"type":"secret-looking']))
    const events = eventsIn(await responseOf(await send('anthropic', { stream: true })).text())
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ error: { message: 'The answer cannot be read on.' } })
  })

  test('a broken connection rejects', async () => {
    upstream.script([streamHead, ...opening.map((event) => chunk(eventText(event))), gate, reset])
    const { body } = await send('anthropic', { stream: true })
    const first = await body.read()
    upstream.release()
    expect(new TextDecoder().decode(first ?? undefined)).toContain('Half')
    expect(await thrownBy(Promise.resolve(body.read()))).toBeInstanceOf(UpstreamFailure)
  })

  for (const kind of ['anthropic', 'google', 'mistral', 'cohere', 'bedrock']) {
    test(`a clean end before the answer of ${kind} has ended rejects`, async () => {
      const recorded = (await vendorStreams()).find((each) => each.kind === kind)
      if (recorded === undefined) throw new Error(`no recorded stream of ${kind}`)
      // The first two thirds of the events: well inside the answer.
      const cut = recorded.bytes.subarray(0, Math.floor((recorded.bytes.length * 2) / 3))
      const whole = kind === 'bedrock' ? cut : cut.subarray(0, Buffer.from(cut).lastIndexOf('\n\n') + 2)
      upstream.script(replay({ ...recorded, bytes: whole }, []))
      const provider = aiSdkProvider(vendorRecord(kind, upstream.url))
      const body = { model: recorded.model, messages: [{ role: 'user', content: 'x' }], stream: true }
      const response = responseOf(await provider.send(upstreamCall('chat/completions', body)))
      expect(await thrownBy(response.text())).toBeDefined()
    })
  }
})

describe('ending a call', () => {
  test('an abort closes the connection and rejects the read with its reason', async () => {
    upstream.script([streamHead, ...opening.map((event) => chunk(eventText(event))), gate])
    const controller = new AbortController()
    const { body } = await send('anthropic', { stream: true }, controller.signal)
    const request = await upstream.nextRequest()
    await body.read()
    const reading = thrownBy(Promise.resolve(body.read()))
    const reason = new Error('the client is gone')
    controller.abort(reason)
    expect(await reading).toBe(reason)
    await request.closed
    expect(request.aborted).toBe(true)
  })

  test('giving up the body closes the connection', async () => {
    upstream.script([streamHead, ...opening.map((event) => chunk(eventText(event))), gate])
    const { body } = await send('anthropic', { stream: true })
    const request = await upstream.nextRequest()
    await body.read()
    body.cancel()
    await request.closed
    expect(await body.read()).toBeNull()
  })
})

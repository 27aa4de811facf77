/** Calls with `prefer: respond-async`: each is answered at once, made later, and its answer is what a live call gets. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { errorCatalogue } from '#errors/catalogue.ts'
import { startGateway, type ChatOptions, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { until } from '#test/support/until.ts'
import { gate, json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
beforeAll(async () => {
  gateway = await startGateway({ set: ['batches.async_max=3', 'limits.realtime_inflight.enforce=true'] })
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

interface AsyncRequest {
  readonly id: string
  readonly status: string
  readonly response_url: string
}

function post(endpoint: string, body: object | string, options: ChatOptions = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async', ...options.headers }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return gateway.request('POST', `/ai/v1/${endpoint}`, { ...options, headers, body: text })
}

async function started(endpoint: string, body: object | string): Promise<AsyncRequest> {
  const answer = await post(endpoint, body)
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'respond-async'])
  const request = (await answer.json()) as AsyncRequest
  expect(answer.headers.get('location')).toBe(`/ai/v1/async/${request.id}`)
  expect(request.status).toBe('queued')
  return request
}

const get = (path: string, options?: ChatOptions): Promise<Response> => gateway.request('GET', path, options)

async function state({ id }: AsyncRequest): Promise<AsyncRequest> {
  return (await (await get(`/ai/v1/async/${id}`)).json()) as AsyncRequest
}

/** The answer, once it is there. */
async function answered({ response_url: path }: AsyncRequest): Promise<Response> {
  let answer = await get(path)
  await until(async () => (answer.status === 202 ? (answer = await get(path)) : answer).status !== 202)
  return answer
}

async function endedAs(request: AsyncRequest, status: string): Promise<void> {
  await until(async () => (await state(request)).status === status)
}

const messages = [{ role: 'user', content: 'Say hello.' }]
const calls: Readonly<Record<string, object>> = {
  'chat/completions': { messages },
  completions: { prompt: 'Say hello.' },
  embeddings: { input: ['one', 'two'] },
  moderations: { input: 'one' },
  rerank: { query: 'one', documents: ['one', 'two'] },
  messages: { max_tokens: 9, messages },
  responses: { input: 'Say hello.', store: false },
}
/** What differs from one answer to the next. */
const ownNames = /"(id|created|created_at|completed_at)":\s*("[^"]*"|\d+)/g

describe('a call that its client does not wait for', () => {
  test.each(Object.entries(calls))('of %s has the answer and the request of a live one', async (endpoint, fields) => {
    const body = { model: 'plain', ...fields }
    const live = await post(endpoint, body, { headers: { prefer: 'handling=lenient' } })
    expect(live.status).toBe(200)
    const sent = gateway.upstream.requests.at(-1)!.json()
    const request = await started(endpoint, body)
    const later = await answered(request)
    expect(later.status).toBe(200)
    expect((await later.text()).replaceAll(ownNames, '')).toBe((await live.text()).replaceAll(ownNames, ''))
    expect(gateway.upstream.requests.at(-1)!.json()).toEqual(sent)
    await endedAs(request, 'completed')
  })

  test('may be written over many lines', async () => {
    const text = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'a\nb\r\nc' }] }, null, 2)
    const request = await started('chat/completions', text.replaceAll('\n', '\r\n'))
    expect((await answered(request)).status).toBe(200)
    expect(gateway.upstream.requests.at(-1)!.json()['messages']).toEqual([{ role: 'user', content: 'a\nb\r\nc' }])
  })

  test.each(['chat/completions', 'messages'])('of %s has the error of a live one', async (endpoint) => {
    gateway.upstream.script(json(errorObject('The prompt is too long.', 'context_length_exceeded'), 400))
    const body = { model: 'plain', max_tokens: 9, messages }
    const live = await post(endpoint, body, { headers: { prefer: '' } })
    const request = await started(endpoint, body)
    const later = await answered(request)
    expect(later.status).toBe(live.status)
    const withoutId = ({ request_id: _id, ...rest }: Record<string, unknown>): object => rest
    expect(withoutId((await later.json()) as Record<string, unknown>)).toEqual(
      withoutId((await live.json()) as Record<string, unknown>),
    )
    await endedAs(request, 'failed')
  })

  test('has no answer while it runs, and none when it is cancelled', async () => {
    gateway.upstream.script([gate, ...json(chatCompletion())])
    const request = await started('chat/completions', { model: 'plain', messages })
    await until(() => gateway.upstream.requests.at(-1)?.path === '/v1/chat/completions')
    const pending = await get(request.response_url)
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '1'])
    expect(((await pending.json()) as AsyncRequest).id).toBe(request.id)
    const cancelled = await gateway.request('POST', `/ai/v1/async/${request.id}/cancel`)
    expect(((await cancelled.json()) as AsyncRequest).status).toBe('cancelling')
    await endedAs(request, 'cancelled')
    await expectRefusal(await get(request.response_url), {
      status: 409,
      type: 'invalid_request_error',
      code: 'async_request_ended',
    })
  })

  test('is in the list of its account alone, and its files are in none', async () => {
    const request = await started('chat/completions', { model: 'plain', messages })
    await answered(request)
    const list = (await (await get('/ai/v1/async?limit=1')).json()) as { readonly data: readonly AsyncRequest[] }
    expect(list.data.map(({ id }) => id)).toEqual([request.id])
    const others = (await (await get('/ai/v1/async', { key: gateway.keys.other })).json()) as { readonly data: [] }
    expect(others.data).toEqual([])
    for (const path of [`/ai/v1/async/${request.id}`, request.response_url])
      expect((await get(path, { key: gateway.keys.other })).status).toBe(404)
    expect((await get(`/ai/v1/batches/${request.id}`)).status).toBe(404)
    for (const path of ['/ai/v1/files', '/ai/v1/batches'])
      expect(((await (await get(path)).json()) as { readonly data: [] }).data).toEqual([])
  })

  test('takes no slot of the account, and is recorded as a call', async () => {
    gateway.upstream.script([gate, ...json(chatCompletion())])
    const before = gateway.upstream.requests.length
    const live = gateway.chat({ model: 'narrow' })
    await until(() => gateway.upstream.requests.length === before + 1)
    expect((await gateway.chat({ model: 'narrow' })).status).toBe(429)
    const request = await started('chat/completions', { model: 'narrow', messages })
    await until(() => gateway.upstream.requests.length === before + 2)
    for (const each of gateway.upstream.requests.slice(before)) each.release()
    expect((await live).status).toBe(200)
    await answered(request)
    await until(
      async () =>
        (await gateway.usageRows()).filter(({ modelServed, status }) => modelServed === 'narrow' && status === 200)
          .length === 2,
    )
  })
})

describe('is refused at once, as a live one is,', () => {
  test.each([
    ['a body that is not right', { model: 'plain', messages: [] }, 400, 'invalid_body', 'messages'],
    ['a model that is not there', { model: 'none', messages }, 404, 'model_not_found', 'model'],
    ['a model that is not open to the account', { model: 'private', messages }, 403, 'model_access_denied', 'model'],
  ] as const)('%s', async (_what, body, ...[status, code, param]) => {
    await expectRefusal(await post('chat/completions', body), { status, type: errorCatalogue[code].type, code, param })
  })

  test('a response that is in the background already', async () => {
    const answer = await post('responses', { model: 'plain', input: 'a', background: true })
    await expectRefusal(answer, {
      status: 400,
      type: 'invalid_request_error',
      code: 'invalid_body',
      param: 'background',
    })
  })

  test('one more than the account may have', async () => {
    gateway.upstream.script([gate, ...json(chatCompletion())])
    const requests = await Promise.all(
      Array.from({ length: 3 }, () => started('chat/completions', { model: 'plain', messages })),
    )
    const refused = await post('chat/completions', { model: 'plain', messages })
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      'rate_limit_exceeded',
    ])
    for (const { id } of requests) await gateway.request('POST', `/ai/v1/async/${id}/cancel`)
    for (const request of requests) await endedAs(request, 'cancelled')
  })
})

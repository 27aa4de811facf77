/** Async requests that are streamed: the stream can be read while it comes and afterwards, as often as one likes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import { brokenStream, gate, json, openAiAnswer, reset, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent, errorObject } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

const messages = [{ role: 'user', content: 'Say hello.' }]
const chat = { model: 'plain', messages, stream: true, stream_options: { include_usage: true } }
/** What differs from one answer to the next. */
const ownNames = /"(id|item_id|created|created_at|completed_at)":\s*("[^"]*"|\d+)/g

async function started(endpoint: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
  const answer = await gateway.request('POST', `/ai/v1/${endpoint}`, { headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { readonly id: string }).id
}

async function statusOf(id: string): Promise<string> {
  return ((await (await gateway.request('GET', `/ai/v1/async/${id}`)).json()) as { readonly status: string }).status
}

const read = (id: string): Promise<Response> => gateway.request('GET', `/ai/v1/async/${id}/response`)

/** The answer, once it is there or has begun. */
async function answered(id: string): Promise<Response> {
  let answer = await read(id)
  await until(async () => (answer.status === 202 ? (answer = await read(id)) : answer).status !== 202)
  return answer
}

test.each([
  ['chat/completions', { messages }],
  ['completions', { prompt: 'Say hello.' }],
  ['messages', { messages, max_tokens: 9 }],
  ['responses', { input: 'Say hello.', store: false }],
])('%s has the stream of a live call, while it is kept', async (endpoint, fields) => {
  if (endpoint === 'completions') gateway.upstream.script(() => stream([{ choices: [{ text: 'a' }] }, doneEvent]))
  const body = JSON.stringify({ model: 'plain', stream: true, ...fields })
  const headers = { 'content-type': 'application/json' }
  const live = await (await gateway.request('POST', `/ai/v1/${endpoint}`, { headers, body })).text()
  const id = await started(endpoint, JSON.parse(body) as object)
  await until(async () => (await statusOf(id)) === 'completed')
  for (let reading = 0; reading < 2; reading += 1) {
    const later = await read(id)
    expect([later.status, later.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect((await later.text()).replaceAll(ownNames, '')).toBe(live.replaceAll(ownNames, ''))
  }
})

test('it can be followed from its first event on, by several, and is the whole stream for each', async () => {
  const payloads = [...chatChunks({ model: 'm', usage: 'last' }), doneEvent]
  gateway.upstream.script(() => stream(payloads, 'every'))
  const before = gateway.upstream.requests.length
  const id = await started('chat/completions', chat)
  await until(() => gateway.upstream.requests.length > before)
  expect((await read(id)).status).toBe(202)
  const request = gateway.upstream.requests.at(-1)!
  request.release(2)
  const followers = [await answered(id), await answered(id)]
  // Neither has waited for the end.
  expect(await statusOf(id)).toBe('in_progress')
  request.release(payloads.length)
  const texts = await Promise.all(followers.map((follower) => follower.text()))
  await until(async () => (await statusOf(id)) === 'completed')
  const whole = await (await read(id)).text()
  expect(whole).toEndWith('data: [DONE]\n\n')
  expect(texts).toEqual([whole, whole])
  expect(await gateway.store.batches.pieces(id, 0)).toEqual([])
})

test('one that broke off is made again; who read the first try is told, and the answer is the second', async () => {
  const payloads = chatChunks({ model: 'm' })
  gateway.upstream.script(() => [...brokenStream(payloads.slice(0, 2), gate), reset])
  const before = gateway.upstream.requests.length
  const id = await started('chat/completions', chat)
  const follower = await answered(id)
  gateway.upstream.script(openAiAnswer)
  gateway.upstream.requests[before]?.release()
  const seen = await follower.text()
  expect(seen).toContain('"code":"upstream_stream_error"')
  expect(seen).not.toContain('[DONE]')
  await until(async () => (await statusOf(id)) === 'completed')
  expect(await (await read(id)).text()).toEndWith('data: [DONE]\n\n')
  expect(gateway.upstream.requests.slice(before).filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(2)
}, 30_000)

test('what is refused before the first event has the status of a live call', async () => {
  gateway.upstream.script(json(errorObject('too long', 'context_length_exceeded'), 400))
  const answer = await answered(await started('chat/completions', chat))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json'])
})

test('one that is cancelled while it is followed ends with an error event, and has no answer', async () => {
  gateway.upstream.script(() => [...brokenStream(chatChunks({ model: 'm' }).slice(0, 2), gate)])
  const id = await started('chat/completions', chat)
  const follower = await answered(id)
  expect((await gateway.request('POST', `/ai/v1/async/${id}/cancel`)).status).toBe(200)
  expect(await follower.text()).toContain('"code":"upstream_stream_error"')
  await until(async () => (await statusOf(id)) === 'cancelled')
  expect((await read(id)).status).toBe(409)
})

test('its tokens and its time to the first token are recorded as those of a stream', async () => {
  const before = new Set((await gateway.usageRows()).map(({ requestId }) => requestId))
  await answered(await started('chat/completions', chat))
  await until(async () => (await gateway.usageRows()).some(({ requestId }) => !before.has(requestId)))
  const row = (await gateway.usageRows()).find(({ requestId }) => !before.has(requestId))
  expect(row).toMatchObject({ streamed: true, promptTokens: 11, completionTokens: 3, status: 200 })
})

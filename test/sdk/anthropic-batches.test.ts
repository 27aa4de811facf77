/** The official Anthropic client runs Message Batches, over a model whose provider has only chat completions. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import Anthropic, { BadRequestError, NotFoundError } from '@anthropic-ai/sdk'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import { gate, json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
let client: Anthropic
beforeAll(async () => {
  gateway = await startGateway()
  client = new Anthropic({ baseURL: `${gateway.url}/ai`, apiKey: gateway.keys.main.secret, maxRetries: 0 })
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

type Batches = Anthropic.Messages.Batches
type Request = Anthropic.Messages.BatchCreateParams.Request

function request(customId: string, model = 'plain'): Request {
  return { custom_id: customId, params: { model, max_tokens: 9, messages: [{ role: 'user', content: customId }] } }
}

async function ended(id: string): Promise<Anthropic.Messages.MessageBatch> {
  let batch = await client.messages.batches.retrieve(id)
  await until(async () => (batch = await client.messages.batches.retrieve(id)).processing_status === 'ended')
  return batch
}

function failure(promise: PromiseLike<unknown>): PromiseLike<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}

async function resultsOf(id: string): Promise<Awaited<ReturnType<typeof collect>>> {
  return collect(await client.messages.batches.results(id))
}

async function collect(results: Awaited<ReturnType<Batches['results']>>) {
  const found = new Map<string, Anthropic.Messages.MessageBatchResult>()
  for await (const { custom_id: customId, result } of results) found.set(customId, result)
  return found
}

test('each request has its message, and what failed has its error', async () => {
  gateway.upstream.script((each) =>
    JSON.stringify(each.json()).includes('bad') ? json(errorObject('no'), 400) : openAiAnswer(each),
  )
  const created = await client.messages.batches.create({
    requests: [request('good'), request('bad'), request('lost', 'nobody')],
  })
  expect(created).toMatchObject({
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 3, succeeded: 0 },
    results_url: null,
  })
  expect(await ended(created.id)).toMatchObject({
    request_counts: { processing: 0, succeeded: 1, errored: 2, canceled: 0, expired: 0 },
  })
  const results = await resultsOf(created.id)
  expect(results.get('good')).toMatchObject({ type: 'succeeded', message: { type: 'message', role: 'assistant' } })
  expect(results.get('bad')).toMatchObject({ type: 'errored', error: { type: 'error' } })
  expect(results.get('lost')).toMatchObject({ type: 'errored', error: { error: { type: 'not_found_error' } } })
})

test('a cancelled batch accounts for every request', async () => {
  gateway.upstream.script((each) =>
    JSON.stringify(each.json()).includes('slow') ? [gate, ...openAiAnswer(each)] : openAiAnswer(each),
  )
  const { id } = await client.messages.batches.create({ requests: [request('quick'), request('slow')] })
  await until(async () => (await client.messages.batches.retrieve(id)).request_counts.succeeded === 1)
  expect((await client.messages.batches.cancel(id)).processing_status).toBe('canceling')
  expect(await ended(id)).toMatchObject({ request_counts: { processing: 0, succeeded: 1, errored: 0, canceled: 1 } })
  expect([...(await resultsOf(id))].map(([customId, { type }]) => [customId, type])).toEqual([
    ['quick', 'succeeded'],
    ['slow', 'canceled'],
  ])
})

test('a batch that is cancelled at once accounts for every request, too', async () => {
  const requests = Array.from({ length: 500 }, (_, at) => request(`r${at}`))
  const { id } = await client.messages.batches.create({ requests })
  await client.messages.batches.cancel(id)
  const { request_counts: counts } = await ended(id)
  expect(counts.succeeded + counts.canceled).toBe(500)
  expect((await resultsOf(id)).size).toBe(500)
})

test('batches are listed in both directions, and a deleted one is gone', async () => {
  const ids: string[] = []
  for (let at = 0; at < 3; at += 1) ids.unshift((await client.messages.batches.create({ requests: [request('a')] })).id)
  const listed: string[] = []
  for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id)
  expect(listed.slice(0, 3)).toEqual(ids)
  const newer = await client.messages.batches.list({ before_id: ids[2]!, limit: 1 })
  expect(newer.data.map(({ id }) => id)).toEqual([ids[1]!])
  await ended(ids[0]!)
  expect(await client.messages.batches.delete(ids[0]!)).toEqual({ id: ids[0]!, type: 'message_batch_deleted' })
  expect(await failure(client.messages.batches.retrieve(ids[0]!))).toBeInstanceOf(NotFoundError)
})

test('a batch without requests, with a name twice or with a stream is refused', async () => {
  const stream = { ...request('a').params, stream: true } as unknown as Request['params']
  for (const requests of [
    [],
    [request('a'), request('a')],
    [request('with space')],
    [{ custom_id: 'a', params: stream }],
  ])
    expect(await failure(client.messages.batches.create({ requests }))).toBeInstanceOf(BadRequestError)
})

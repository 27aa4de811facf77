/** The official OpenAI client: answers that a provider keeps, from their making to their deletion. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { NotFoundError } from 'openai'
import { nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { nativeResponseEvents } from '#test/support/contract/dialect-samples.ts'
import { modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
let model = ''
beforeAll(async () => {
  gateway = await startGateway()
  gateway.upstream.script(keepingProvider())
  client = openAiClient(gateway)
  model = await nativeModel(gateway, responsesEndpoint)
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function refused(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  )
}

test('an answer in the background is made, asked for, cancelled, and gone when it was deleted', async () => {
  const made = await client.responses.create({ model, input: 'Say hello.', background: true, store: true })
  expect([made.status, made.background]).toEqual(['queued', true])
  expect((await client.responses.retrieve(made.id)).status).toBe('in_progress')
  expect((await client.responses.cancel(made.id)).status).toBe('cancelled')
  await client.responses.delete(made.id)
  const gone = await refused(client.responses.retrieve(made.id))
  expect(gone).toBeInstanceOf(NotFoundError)
  expect((gone as NotFoundError).code).toBe('response_not_found')
})

test('the input of an answer is listed, with the limit that the client sets', async () => {
  const made = await client.responses.create({ model, input: 'Say hello.' })
  const page = await client.responses.inputItems.list(made.id, { limit: 3, order: 'asc' })
  expect(page.data).toHaveLength(3)
})

describe('a stream of an answer in the background', () => {
  test('goes on where its client left off', async () => {
    const stream = await client.responses.create({ model, input: 'Say hello.', background: true, stream: true })
    let id = ''
    let last = -1
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id
      last = event.sequence_number
      if (event.type === 'response.output_text.delta') break
    }
    const rest: string[] = []
    const resumed = await client.responses.retrieve(id, { stream: true, starting_after: last })
    gateway.upstream.release()
    for await (const event of resumed) rest.push(event.type)
    expect(rest).toEqual(nativeResponseEvents.slice(last + 1).map((event) => event.type))
  })

  test('has nothing left when it is resumed after its last event', async () => {
    const made = await client.responses.create({ model, input: 'Say hello.', background: true })
    const rest: unknown[] = []
    for await (const event of await client.responses.retrieve(made.id, { stream: true, starting_after: 6 }))
      rest.push(event)
    expect(rest).toEqual([])
  })
})

test('input tokens are counted and a conversation compacted by a provider that can', async () => {
  const name = await modelWithEndpoints(gateway, ['responses', 'responses/input_tokens', 'responses/compact'])
  expect((await client.responses.inputTokens.count({ model: name, input: 'Hi' })).input_tokens).toBe(25)
  expect((await client.responses.compact({ model: name, input: 'Hi' })).object).toBe('response.compaction')
})

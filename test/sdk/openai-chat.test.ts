/** The official OpenAI client: whole answers, their helpers, and what it sends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, sampleUsage } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const asked = { model: 'plain', messages: [...messages] }

/** What the upstream received last. */
function received(): Readonly<Record<string, unknown>> {
  return gateway.upstream.requests.at(-1)!.json()
}

describe('a whole answer', () => {
  test('is read with its text, usage and request id', async () => {
    const { data, request_id: requestId } = await client.chat.completions.create(asked).withResponse()
    expect(data).toMatchObject(chatCompletion())
    expect(data.usage).toEqual({ ...sampleUsage })
    expect(requestId).toMatch(/^req_[0-9a-f]{32}$/)
  })

  test('is asked for with every parameter that the client sends', async () => {
    const parameters = {
      temperature: 0.2,
      top_p: 0.9,
      n: 2,
      stop: ['a', 'b'],
      max_completion_tokens: 10,
      seed: 42,
      logit_bias: { 50256: -100 },
      logprobs: true,
      top_logprobs: 3,
      reasoning_effort: 'low',
      metadata: { team: 'research' },
      user: 'someone',
    } as const
    await client.chat.completions.create({ ...asked, ...parameters, stop: [...parameters.stop] })
    expect(received()).toEqual({ ...asked, ...parameters, model: 'upstream-model', stop: ['a', 'b'] })
  })

  test('carries fields that the client does not know, both ways', async () => {
    gateway.upstream.scriptNext(json({ ...chatCompletion(), reasoning_content: 'because' }))
    const unknown = { chat_template_kwargs: { thinking: true } }
    const answered = await client.chat.completions.create({ ...asked, ...unknown })
    expect(answered).toHaveProperty('reasoning_content', 'because')
    expect(received()).toMatchObject(unknown)
  })

  test('comes to concurrent callers each with their own', async () => {
    gateway.upstream.script((request) => json(chatCompletion({ pieces: [String(request.json()['user'])] })))
    const users = Array.from({ length: 100 }, (_, index) => `user ${index}`)
    const answers = await Promise.all(users.map((user) => client.chat.completions.create({ ...asked, user })))
    expect(answers.map((each) => each.choices[0]?.message.content)).toEqual(users)
  })
})

describe('JSON mode', () => {
  test('passes its response format on, and the text is JSON', async () => {
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['{"a":1}'] })))
    const answered = await client.chat.completions.create({ ...asked, response_format: { type: 'json_object' } })
    expect(received()['response_format']).toEqual({ type: 'json_object' })
    expect(JSON.parse(answered.choices[0]?.message.content ?? '')).toEqual({ a: 1 })
  })

  test('with a schema is parsed by the helper', async () => {
    const weather = z.object({ city: z.string(), degrees: z.number() })
    gateway.upstream.scriptNext(json(chatCompletion({ pieces: ['{"city":"Tel Aviv",', '"degrees":31}'] })))
    const format = zodResponseFormat(weather, 'weather')
    const parsed = await client.chat.completions.parse({ ...asked, response_format: format })
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Tel Aviv', degrees: 31 })
    expect(received()['response_format']).toEqual(JSON.parse(JSON.stringify(format)))
  })
})

describe('an image', () => {
  test('arrives as it was sent, whole, in the same message as its question', async () => {
    const png = stripedPng(64, 64, [
      [255, 0, 0],
      [0, 0, 255],
    ])
    const url = `data:image/png;base64,${png.toString('base64')}`
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url, detail: 'high' as const } },
    ]
    await client.chat.completions.create({ model: 'plain', messages: [{ role: 'user', content }] })
    expect(received()['messages']).toEqual([{ role: 'user', content }])
  })

  test('of several megabytes is no problem', async () => {
    const url = `data:image/png;base64,${Buffer.alloc(8_000_000, 7).toString('base64')}`
    const content = [{ type: 'image_url' as const, image_url: { url } }]
    await client.chat.completions.create({ model: 'plain', messages: [{ role: 'user', content }] })
    expect(received()['messages']).toEqual([{ role: 'user', content }])
  })
})

/**
 * The Python client of the generation interface (takeoff-client 0.7.0 on PyPI): the HTTP requests that its calls make,
 * against the practice model, which takes every field. It sends all parameters of a call, null where nothing is set, and
 * reads events of the stream as they are.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { formOf, made, picture } from '#test/support/app/generation-app.ts'

let gateway: GatewayApp
beforeAll(async () => {
  gateway = await startGateway({ set: ['generation.consumer_groups=primary=practice'] })
  const provider = await made(gateway, 'POST', '/providers', { name: 'practice-server', kind: 'demo' })
  await made(gateway, 'POST', '/models', {
    name: 'practice',
    provider_id: provider['id'],
    upstream_name: 'demo-vision',
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The parameters of `generate` as the client sends them when its user sets none. */
const unset = {
  sampling_temperature: null,
  sampling_topp: null,
  sampling_topk: null,
  repetition_penalty: null,
  no_repeat_ngram_size: null,
  max_new_tokens: null,
  min_new_tokens: null,
  regex_string: null,
  json_schema: null,
  constrained_decoding_backend: null,
  return_metadata: null,
  prompt_max_tokens: null,
  consumer_group: 'primary',
}
/** All of them set, and those that the client adds when they are. */
const allSet = {
  sampling_temperature: 0.7,
  sampling_topp: 0.9,
  sampling_topk: 40,
  repetition_penalty: 1.2,
  no_repeat_ngram_size: 3,
  max_new_tokens: 64,
  min_new_tokens: 2,
  constrained_decoding_backend: 'outlines',
  return_metadata: true,
  prompt_max_tokens: 100,
  consumer_group: 'primary',
  use_chat_template: true,
  lora_id: 'formal',
}
const metadata = {
  prompt_tokens: expect.any(Number),
  completion_tokens: expect.any(Number),
  finish_reason: expect.stringMatching(/^(stop|length)$/),
}

function send(path: string, payload: object, withImage: boolean): Promise<Response> {
  if (withImage) return gateway.request('POST', `/image_${path}`, { body: formOf(payload, picture) })
  const headers = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'python-httpx/0.27.0' }
  return gateway.request('POST', `/${path}`, { headers, body: JSON.stringify(payload) })
}

interface Event {
  readonly text: string
  readonly batch_id: number
  readonly metadata?: object
}

async function eventsOf(response: Response): Promise<readonly Event[]> {
  const answer = await response.text()
  expect([response.status, answer]).toEqual([200, expect.stringContaining('data: ')])
  return [...answer.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Event)
}

describe.each([false, true])('with an image: %p', (withImage) => {
  test('generate() answers one text for one prompt, and a list for a list', async () => {
    for (const parameters of [unset, allSet]) {
      const one = await send('generate', { text: 'Where is it?', ...parameters }, withImage)
      const several = await send('generate', { text: ['What?', 'Where?'], ...parameters }, withImage)
      expect([one.status, several.status]).toEqual([200, 200])
      const told = parameters === allSet
      expect(await one.json()).toEqual({ text: expect.any(String), ...(told && { metadata }) })
      expect(await several.json()).toEqual({
        text: [expect.any(String), expect.any(String)],
        ...(told && { metadata: [metadata, metadata] }),
      })
    }
  })

  test('generate_stream() has events of each prompt, and the metadata in the last of each', async () => {
    for (const text of ['Where is it?', ['What?', 'Where?', 'When?']]) {
      const count = typeof text === 'string' ? 1 : text.length
      const events = await eventsOf(await send('generate_stream', { text, ...unset, return_metadata: true }, withImage))
      for (let prompt = 0; prompt < count; prompt += 1) {
        const own = events.filter(({ batch_id }) => batch_id === prompt)
        expect(own.map((each) => each.text).join('')).not.toBe('')
        expect(own.at(-1)).toEqual({ text: '', batch_id: prompt, metadata })
        expect(own.slice(0, -1).every((each) => each.metadata === undefined)).toBe(true)
      }
      expect(new Set(events.map(({ batch_id }) => batch_id)).size).toBe(count)
    }
  })
})

test('a JSON schema has an answer of its form; a regular expression is taken', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  for (const json_schema of [schema, JSON.stringify(schema)]) {
    const answer = await send('generate', { text: 'Where?', ...unset, json_schema }, false)
    const { text } = (await answer.json()) as { readonly text: string }
    expect(JSON.parse(text)).toEqual({ city: expect.any(String) })
  }
  expect((await send('generate', { text: 'Where?', ...unset, regex_string: '[a-z]+' }, false)).status).toBe(200)
})

test('a consumer group that is unknown raises with its name', async () => {
  const answer = await send('generate', { text: 'Where?', ...unset, consumer_group: 'nobody' }, false)
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('nobody')])
})

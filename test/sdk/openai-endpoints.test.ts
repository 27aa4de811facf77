/** The official OpenAI client on every endpoint but chat and models, which have files of their own. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { endpointAnswers, mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  answer,
  chunk,
  events,
  eventText,
  json,
  openAiAnswer,
  streamEnd,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import { doneEvent } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const model = 'plain'

function received(): ReceivedRequest {
  return gateway.upstream.requests.at(-1)!
}

/** The form that the upstream received last. */
async function receivedForm() {
  const { body, headers } = received()
  const type = headers.find(([name]) => name === 'content-type')![1]
  return new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of stream) all.push(each)
  return all
}

describe('completions', () => {
  test('whole', async () => {
    const answered: unknown = await client.completions.create({ model, prompt: 'Once', max_tokens: 5 })
    expect(answered).toMatchObject(endpointAnswers['completions']!)
    expect(received().json()).toEqual({ model: 'upstream-model', prompt: 'Once', max_tokens: 5 })
  })

  test('streamed', async () => {
    const piece = (text: string, finish_reason: string | null) => ({
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, text, logprobs: null, finish_reason }],
    })
    gateway.upstream.scriptNext([streamHead, ...events([piece('a', null), piece('b', 'stop'), doneEvent]), streamEnd])
    const stream = await client.completions.create({ model, prompt: 'Once', stream: true })
    expect((await collect(stream)).map((each) => each.choices[0]?.text).join('')).toBe('ab')
  })
})

describe('embeddings', () => {
  const vector = [0.25, -1.5, 3]

  test('by the default of the client, which is base64 on the wire', async () => {
    const base64 = Buffer.from(new Float32Array(vector).buffer).toString('base64')
    gateway.upstream.scriptNext(
      json({
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: base64 }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
      }),
    )
    const { data, usage } = await client.embeddings.create({ model, input: 'a' })
    expect(received().json()['encoding_format']).toBe('base64')
    expect([...data[0]!.embedding]).toEqual(vector)
    expect(usage.prompt_tokens).toBe(1)
  })

  test('many at once, each with its own vectors', async () => {
    gateway.upstream.script((request) => {
      const { input } = request.json()
      const inputs = (Array.isArray(input) ? input : [input]) as readonly string[]
      const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: [Number(text), 0.5] }))
      return json({
        object: 'list',
        model: 'm',
        data,
        usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
      })
    })
    const before = gateway.upstream.requests.length
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        client.embeddings.create({ model, input: [`${index}`, `${index + 1000}`], encoding_format: 'float' }),
      ),
    )
    for (const [index, { data }] of answers.entries())
      expect(data.map((each) => each.embedding[0])).toEqual([index, index + 1000])
    expect(gateway.upstream.requests.length - before).toBeLessThan(200)
    gateway.upstream.script(openAiAnswer)
  })
})

describe('images', () => {
  const picture = () => toFile(Buffer.from('a picture'), 'whale.png', { type: 'image/png' })

  test('generated', async () => {
    const answered: unknown = await client.images.generate({ model, prompt: 'a whale' })
    expect(answered).toMatchObject(endpointAnswers['images/generations']!)
  })

  test('generated as events', async () => {
    const sent = [
      { type: 'image_generation.partial_image', b64_json: 'YQ==', partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: 'YWI=', usage: mediaUsage },
    ]
    gateway.upstream.scriptNext([streamHead, ...events(sent), streamEnd])
    const stream = await client.images.generate({ model, prompt: 'a whale', stream: true, partial_images: 1 })
    expect(await collect<unknown>(stream)).toEqual(sent)
  })

  test('edited', async () => {
    const images = [await picture(), await picture()]
    const answered: unknown = await client.images.edit({ model, image: images, prompt: 'with a hat' })
    expect(answered).toMatchObject(endpointAnswers['images/edits']!)
    const form = await receivedForm()
    expect([form.get('model'), form.get('prompt')]).toEqual(['upstream-model', 'with a hat'])
    expect(await Promise.all(form.getAll('image[]').map((file) => (file as File).text()))).toEqual([
      'a picture',
      'a picture',
    ])
  })

  test('varied', async () => {
    const answered: unknown = await client.images.createVariation({ model, image: await picture() })
    expect(answered).toMatchObject(endpointAnswers['images/variations']!)
    expect((await receivedForm()).get('model')).toBe('upstream-model')
  })

  test('edited as events', async () => {
    const sent = [{ type: 'image_edit.completed', b64_json: 'YWI=', usage: mediaUsage }]
    gateway.upstream.scriptNext([streamHead, ...events(sent), streamEnd])
    const stream = await client.images.edit({ model, image: await picture(), prompt: 'with a hat', stream: true })
    expect(await collect<unknown>(stream)).toEqual(sent)
  })
})

describe('audio', () => {
  const recording = () => toFile(Buffer.alloc(300_000, 7), 'hello.mp3', { type: 'audio/mpeg' })

  test('transcribed', async () => {
    const { text } = await client.audio.transcriptions.create({ model, file: await recording(), language: 'en' })
    expect(text).toBe('Hello.')
    const form = await receivedForm()
    expect([form.get('model'), form.get('language')]).toEqual(['upstream-model', 'en'])
    expect((form.get('file') as File).size).toBe(300_000)
  })

  test('translated', async () => {
    const { text } = await client.audio.translations.create({ model, file: await recording() })
    expect(text).toBe('Hello.')
    expect((await receivedForm()).get('model')).toBe('upstream-model')
  })

  test('transcribed as subtitles', async () => {
    gateway.upstream.scriptNext(answer(200, { 'Content-Type': 'text/vtt' }, 'WEBVTT\n'))
    const text = await client.audio.transcriptions.create({ model, file: await recording(), response_format: 'vtt' })
    expect(text as unknown).toBe('WEBVTT\n')
  })

  test('transcribed as events', async () => {
    const sent = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.done', text: 'Hello.' },
    ]
    gateway.upstream.scriptNext([streamHead, ...events(sent), streamEnd])
    const stream = await client.audio.transcriptions.create({ model, file: await recording(), stream: true })
    expect(await collect<unknown>(stream)).toEqual(sent)
  })

  test('spoken', async () => {
    const sound = Buffer.alloc(500_000, 9)
    gateway.upstream.scriptNext(answer(200, { 'Content-Type': 'audio/mpeg' }, sound))
    const response = await client.audio.speech.create({ model, voice: 'alloy', input: 'Hello.' })
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await response.arrayBuffer()).equals(sound)).toBe(true)
  })

  test('spoken as events', async () => {
    const delta = eventText({ type: 'speech.audio.delta', audio: 'YQ==' })
    const done = eventText({ type: 'speech.audio.done', usage: mediaUsage })
    gateway.upstream.scriptNext([streamHead, chunk(delta), chunk(done), streamEnd])
    const response = await client.audio.speech.create({ model, voice: 'alloy', input: 'Hi.', stream_format: 'sse' })
    expect(await response.text()).toBe(delta + done)
  })
})

test('moderations, by the model that is meant when none is named', async () => {
  const { id, aliases } = gateway.models.plain
  await gateway.operate('PATCH', `/models/${id}`, { aliases: [...aliases, 'omni-moderation-latest'] })
  const { results } = await client.moderations.create({ input: 'a text' })
  expect(results[0]?.flagged).toBe(false)
  expect(received().json()).toEqual({ model: 'upstream-model', input: 'a text' })
  await gateway.operate('PATCH', `/models/${id}`, { aliases })
})

test('refusals are the errors that the client has for them', async () => {
  const refused = await client.images.generate({ model: 'unheard-of', prompt: 'a' }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OpenAI.NotFoundError)
  const wrong = await client.embeddings.create({ model, input: [] }).catch((error: unknown) => error)
  expect(wrong).toBeInstanceOf(OpenAI.BadRequestError)
})

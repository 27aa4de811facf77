import { describe, expect, test } from 'bun:test'
import { responseOf } from '#test/support/network/reply-response.ts'
import { demo, demoClient } from '#test/support/upstream/demo-provider.ts'
import { upstreamCall } from '#test/support/contract/provider-contract.ts'
import type { Endpoint } from '../provider.ts'

async function paramOf(response: Response): Promise<string | null> {
  const { error } = (await response.json()) as { error: { param: string | null } }
  return error.param
}

describe('completions', () => {
  test('a prompt is answered in the shape of a text completion, 16 tokens unless told otherwise', async () => {
    const answer = await demoClient.completions.create({ model: 'demo-chat', prompt: 'Once upon a time' })
    expect(answer.object).toBe('text_completion')
    expect(answer.choices[0]).toMatchObject({ index: 0, finish_reason: 'length' })
    expect(answer.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 16, total_tokens: 20 })
  })

  test('several prompts times n choices are numbered in order', async () => {
    const answer = await demoClient.completions.create({
      model: 'demo-chat',
      prompt: ['a', 'b'],
      n: 2,
      max_tokens: 200,
    })
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(answer.choices.map(({ text }) => /Your text was: "(.*)"/u.exec(text)?.[1])).toEqual(['a', 'a', 'b', 'b'])
  })

  test('token ids are read as the text that they stand for, and echo returns it', async () => {
    const answer = await demoClient.completions.create({ model: 'demo-chat', prompt: [13225, 2375], echo: true })
    expect(answer.choices[0]?.text).toStartWith('Hello worldI am demo-chat')
  })

  test('a stream carries text and its end', async () => {
    const stream = await demoClient.completions.create({ model: 'demo-chat', prompt: 'x', stream: true, max_tokens: 3 })
    const parts: unknown[] = []
    for await (const { choices } of stream) parts.push([choices[0]?.text, choices[0]?.finish_reason])
    expect(parts).toEqual([
      ['I', null],
      [' am', null],
      [' demo', null],
      ['', 'length'],
    ])
  })
})

describe('embeddings', () => {
  test('both encodings hold the same numbers', async () => {
    const ask = { model: 'demo-embed', input: 'the same text', dimensions: 64 }
    // Asked for no format, the client sends base64 and unpacks it.
    const packed = await demoClient.embeddings.create(ask)
    const floats = await demoClient.embeddings.create({ ...ask, encoding_format: 'float' })
    expect(packed.data[0]?.embedding.length).toBe(64)
    expect(packed.data[0]?.embedding).toEqual(floats.data[0]?.embedding ?? [])
  })

  test('token ids give the vector of their text, and usage counts them', async () => {
    const ids = await demoClient.embeddings.create({
      model: 'demo-embed',
      input: [[13225, 2375]],
      encoding_format: 'float',
    })
    const text = await demoClient.embeddings.create({
      model: 'demo-embed',
      input: 'Hello world',
      encoding_format: 'float',
    })
    expect(ids.data).toEqual(text.data)
    expect(ids.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 })
  })

  test('a call that is aborted before its answer rejects with the reason', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    const answer = demo.send(upstreamCall('embeddings', { model: 'demo-embed', input: 'x' }, controller.signal))
    controller.abort(reason)
    expect(await answer.catch((error: unknown) => error)).toBe(reason)
  })

  test('an input beyond the limit of tokens is refused', async () => {
    const body = { model: 'demo-embed', input: 'word '.repeat(9000) }
    const response = await demo.send(upstreamCall('embeddings', body)).then(responseOf)
    expect([response.status, await paramOf(response)]).toEqual([400, 'input'])
  })
})

describe('refusals', () => {
  const good = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] }

  test.each<[Endpoint, Record<string, unknown>, number, string]>([
    ['chat/completions', { ...good, messages: [] }, 400, 'messages'],
    [
      'chat/completions',
      { ...good, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      400,
      'messages.0.content.0',
    ],
    ['chat/completions', { ...good, messages: [{ role: 'king', content: 'x' }] }, 400, 'messages.0.role'],
    ['chat/completions', { ...good, n: 9 }, 400, 'n'],
    ['chat/completions', { ...good, model: 'demo-embed' }, 404, 'model'],
    ['completions', { model: 'demo-chat' }, 400, 'prompt'],
    ['completions', { model: 'demo-chat', prompt: [9_999_999] }, 400, 'prompt'],
    ['embeddings', { model: 'demo-embed', input: ['ok', ''] }, 400, 'input.1'],
    ['embeddings', { model: 'demo-embed', input: 'x', dimensions: 4 }, 400, 'dimensions'],
    ['embeddings', { model: 'demo-chat', input: 'x' }, 404, 'model'],
  ])('%s names the field at fault', async (endpoint, body, status, param) => {
    const response = await demo.send(upstreamCall(endpoint, body)).then(responseOf)
    expect([response.status, await paramOf(response)]).toEqual([status, param])
  })

  test.each(['{"model":', '\xff\xfe', ''])('a body that is not JSON is a 400: %j', async (text) => {
    const content = { kind: 'json', body: Uint8Array.from(Buffer.from(text, 'latin1')) } as const
    const call = { ...upstreamCall('chat/completions', good), content }
    const response = await demo.send(call).then(responseOf)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } })
  })
})

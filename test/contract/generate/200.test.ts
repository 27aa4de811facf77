/** 200 of POST /generate: one answer for one prompt, and one for each of several, in their order. */
import { describe, expect, test } from 'bun:test'
import { answering, promptIn, tokenEvents } from '#test/support/app/generation-app.ts'
import { echoing, useGeneration } from '#test/support/contract/generation-contract.ts'

const app = useGeneration()

describe('a prompt', () => {
  test('is answered by one text', async () => {
    echoing(app())
    const answer = await app().generate('generate', { text: 'hello' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await answer.json()).toEqual({ text: 'hello!' })
  })

  test('in an array is answered by an array', async () => {
    echoing(app())
    expect(await (await app().generate('generate', { text: ['hello'] })).json()).toEqual({ text: ['hello!'] })
  })

  test('may have any characters', async () => {
    echoing(app())
    const text = 'Zażółć \u2028 "quoted" \\ 🌊 \u0000\n<|im_end|>'
    expect(await (await app().generate('generate', { text })).json()).toEqual({ text: `${text}!` })
  })

  test('that the upstream answers with nothing is answered with an empty text', async () => {
    app().upstream.script(answering([]))
    expect(await (await app().generate('generate', { text: 'a' })).json()).toEqual({ text: '' })
  })
})

describe('several prompts', () => {
  test('are answered in their order, whichever is done first', async () => {
    const prompts = Array.from({ length: 30 }, (_, index) => `prompt ${index}`)
    app().upstream.script((request) => {
      const prompt = promptIn(request.json())
      // Odd ones have more to say.
      return answering(Number(prompt.split(' ')[1]) % 2 === 0 ? [prompt] : [prompt, ...Array(20).fill('.')])
    })
    const { text } = (await (await app().generate('generate', { text: prompts })).json()) as { text: string[] }
    expect(text.map((each) => each.replace(/\.+$/, ''))).toEqual(prompts)
  })

  test('make one usage row with the tokens of all', async () => {
    echoing(app())
    const headers = { 'x-request-id': 'batch-of-three' }
    const answer = await app().generate('generate', { text: ['a', 'b', 'c'] }, { headers })
    const body = await answer.text()
    expect(await app().usageOf('batch-of-three')).toMatchObject({
      endpoint: 'generate',
      modelAsked: 'vision',
      modelServed: 'vision',
      status: 200,
      streamed: false,
      promptTokens: 33,
      completionTokens: 9,
      attempts: 3,
      responseBytes: body.length,
    })
  })
})

describe('an answer that had to have a form', () => {
  const payload = { text: 'a', json_schema: { type: 'object' } }

  test('and ran out of tokens is flagged', async () => {
    app().upstream.script(answering(['{"a":'], 'length'))
    expect(await (await app().generate('generate', payload)).json()).toEqual({ text: '{"a":', incomplete: true })
    app().upstream.script((request) =>
      promptIn(request.json()) === 'long' ? answering(['{'], 'length') : answering(['{}']),
    )
    const batch = { ...payload, text: ['short', 'long'] }
    expect(await (await app().generate('generate', batch)).json()).toEqual({
      text: ['{}', '{'],
      incomplete: [false, true],
    })
  })

  test('and ended by itself is not, nor is one that was free', async () => {
    app().upstream.script(answering(['{}']))
    expect(await (await app().generate('generate', payload)).json()).toEqual({ text: '{}' })
    app().upstream.script(answering(['and so'], 'length'))
    expect(await (await app().generate('generate', { text: 'a' })).json()).toEqual({ text: 'and so' })
  })
})

describe('a consumer group', () => {
  test('is an entry of the settings, or a model or alias itself', async () => {
    echoing(app())
    let asked = 0
    const served = async (group: string | null): Promise<string | null> => {
      asked += 1
      const headers = { 'x-request-id': `group-${asked}` }
      await (await app().generate('generate', { text: 'a', consumer_group: group }, { headers })).text()
      return (await app().usageOf(`group-${asked}`)).modelServed
    }
    expect(await served(null)).toBe('vision')
    expect(await served('primary')).toBe('vision')
    expect(await served('plain-alias')).toBe('plain')
    expect(await served('vendor/slashed')).toBe('vendor/slashed')
  })
})

test('a prompt is cut to its last tokens when the payload says so', async () => {
  echoing(app())
  const text = 'one two three four five six'
  const answer = await app().generate('generate', { text, prompt_max_tokens: 2 })
  expect(await answer.json()).toEqual({ text: ' five six!' })
})

test('without the chat template a prompt goes out as it is', async () => {
  const event = 'data: {"choices":[{"text":"raw","finish_reason":"stop"}]}\n\n'
  app().upstream.script((request) =>
    request.path === '/v1/completions'
      ? [
          {
            step: 'send',
            bytes: Buffer.from(
              `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${event.length}\r\n\r\n${event}`,
            ),
          },
        ]
      : answering(['templated']),
  )
  const answer = await app().generate('generate', { text: 'USER: hi', use_chat_template: false })
  expect(await answer.json()).toEqual({ text: 'raw' })
  expect(app().upstream.requests.at(-1)?.json()['prompt']).toBe('USER: hi')
})

test('the stream of the sibling endpoint holds the same text', async () => {
  echoing(app())
  const stream = await (await app().generate('generate_stream', { text: 'hello' })).text()
  expect(
    tokenEvents(stream)
      .map(({ data }) => data['text'])
      .join(''),
  ).toBe('hello!')
})

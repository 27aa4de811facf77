import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { responseOf } from '#test/support/network/reply-response.ts'
import { demo, demoClient } from '#test/support/upstream/demo-provider.ts'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { eventsIn, providerContract, upstreamCall } from '#test/support/contract/provider-contract.ts'

providerContract('demo', async () => ({
  provider: demo,
  chatModel: 'demo-chat',
  embedModel: 'demo-embed',
  longMessage: '/long 5000',
  echoes: true,
  close: async () => undefined,
}))

function chat(content: unknown, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = { model: 'demo-chat', messages: [{ role: 'user', content }], ...more }
  return demo.send(upstreamCall('chat/completions', body, signal)).then(responseOf)
}

interface Whole {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly finish_reason: string }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

async function whole(content: unknown, more: object = {}): Promise<Whole> {
  return (await (await chat(content, more)).json()) as Whole
}

async function paramOf(response: Response): Promise<string | null> {
  const { error } = (await response.json()) as { error: { param: string | null } }
  return error.param
}

async function answerTo(content: unknown, more: object = {}): Promise<string> {
  return (await whole(content, more)).choices[0]?.message.content ?? ''
}

describe('an answer', () => {
  test('says that there is no model behind it and holds what was sent', async () => {
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'What is 2 + 2?' },
    ]
    const text = await answerTo('', { messages })
    expect(text).toContain('There is no model behind me')
    expect(text).toContain('2 messages with 22 characters')
    expect(text).toContain('The system prompt has 8 characters')
    expect(text).toContain('"What is 2 + 2?"')
  })

  test('is the same for the same request, whatever seed and temperature say', async () => {
    expect(await answerTo('Hello', { seed: 1, temperature: 2 })).toBe(await answerTo('Hello', { seed: 2 }))
  })

  test('is the same whole and streamed', async () => {
    const stream = await demoClient.chat.completions.create({
      model: 'demo-chat',
      stream: true,
      messages: [{ role: 'user', content: 'Grüße 🧵' }],
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe(await answerTo('Grüße 🧵'))
  })

  test('describes pictures', async () => {
    const url = `data:image/png;base64,${stripedPng(40, 20, [[220, 20, 20]]).toString('base64')}`
    const text = await answerTo([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ])
    expect(text).toContain('Picture 1 is a PNG of 40 × 20 pixels')
    expect(text).toContain('red (100 %)')
  })

  test('says so when a picture is remote, and that it was not fetched', async () => {
    const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    expect(await answerTo([part])).toContain('I do not fetch pictures from the network')
  })
})

describe('limits of an answer', () => {
  test.each(['max_tokens', 'max_completion_tokens'])('%s cuts at exactly that many tokens', async (field) => {
    const { choices, usage } = await whole('Hello', { [field]: 7 })
    expect(choices[0]?.finish_reason).toBe('length')
    expect(usage.completion_tokens).toBe(7)
  })

  test('a stop sequence ends the text before it', async () => {
    const text = await answerTo('Hello', { stop: ['practice', 'never there'] })
    expect(text).toBe('I am demo-chat, the ')
  })

  test('n choices come, whole and streamed, and all are counted', async () => {
    const one = await whole('Hello', { max_tokens: 4 })
    const three = await whole('Hello', { max_tokens: 4, n: 3 })
    expect(three.choices.length).toBe(3)
    expect(three.usage.completion_tokens).toBe(one.usage.completion_tokens * 3)
    const events = eventsIn(await (await chat('Hello', { max_tokens: 4, n: 3, stream: true })).text())
    const ends = events.filter((event) => event.includes('"finish_reason":"length"'))
    expect(ends.map((event) => JSON.parse(event).choices[0].index)).toEqual([0, 1, 2])
  })

  test('chunks hold "usage" only when it was asked for', async () => {
    const plain = eventsIn(await (await chat('Hello', { stream: true, max_tokens: 2 })).text())
    expect(plain.join()).not.toContain('usage')
    const options = { stream: true, max_tokens: 2, stream_options: { include_usage: true } }
    const asked = eventsIn(await (await chat('Hello', options)).text()).slice(0, -2)
    expect(asked.map((event) => JSON.parse(event).usage)).toEqual(asked.map(() => null))
  })
})

describe('structured answers', () => {
  test('json_schema gives an instance of the schema and nothing else', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
    const format = { type: 'json_schema', json_schema: { name: 'check', schema } }
    expect(await answerTo('Hello', { response_format: format })).toBe('{"ok":false}')
  })

  test('json_object and /json give an object that describes the request', async () => {
    for (const text of [
      await answerTo('Hello', { response_format: { type: 'json_object' } }),
      await answerTo('Hello /json'),
    ]) {
      expect(JSON.parse(text)).toMatchObject({ provider: 'demo', messages: 1, text: expect.stringContaining('Hello') })
    }
  })

  test('a schema that nothing satisfies is refused', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { $ref: '#' } } }
    const response = await chat('Hello', { response_format: format })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_json_schema' } })
  })
})

describe('tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] }
  const tools = [
    { type: 'function' as const, function: { name: 'time', parameters: { type: 'object' } } },
    { type: 'function' as const, function: { name: 'weather', parameters } },
  ]
  const user = { role: 'user' as const, content: 'go' }

  test('a named function is called with arguments that fit its schema', async () => {
    const choice = { type: 'function' as const, function: { name: 'weather' } }
    const answer = await demoClient.chat.completions.create({
      model: 'demo-chat',
      messages: [user],
      tools,
      tool_choice: choice,
    })
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"a"}' } }],
      },
    })
  })

  test('a streamed call is put together by the official client', async () => {
    const stream = demoClient.chat.completions.stream({
      model: 'demo-chat',
      messages: [user],
      tools,
      tool_choice: 'required',
    })
    const message = await stream.finalMessage()
    expect(message.tool_calls?.[0]).toMatchObject({
      id: expect.stringMatching(/^call_/u),
      function: { name: 'time', arguments: '{}' },
    })
  })

  test('/tool calls the first tool, and its result ends the loop', async () => {
    const order = { role: 'user' as const, content: 'please /tool' }
    const first = await demoClient.chat.completions.create({ model: 'demo-chat', messages: [order], tools })
    const call = first.choices[0]?.message.tool_calls?.[0]
    expect(call).toMatchObject({ function: { name: 'time' } })
    const result = { role: 'tool', tool_call_id: call?.id, content: 'noon' }
    const after = await answerTo('', {
      messages: [order, { role: 'assistant', content: null, tool_calls: [call] }, result],
      tools,
    })
    expect(after).toContain('The tool gave back: "noon"')
  })

  test('/tool without tools says that there is none', async () => {
    expect(await answerTo('/tool')).toContain('there is no tool that I may call')
  })

  test('a function that is not offered is refused', async () => {
    const response = await chat('Hello', { tools, tool_choice: { type: 'function', function: { name: 'none' } } })
    expect([response.status, await paramOf(response)]).toEqual([400, 'tool_choice'])
  })
})

describe('directives', () => {
  test('/error answers its status before anything else', async () => {
    const failure = await demoClient.chat.completions
      .create({ model: 'demo-chat', messages: [{ role: 'user', content: '/error 503' }] })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpenAI.InternalServerError)
    expect(failure).toMatchObject({ status: 503, type: 'server_error' })
  })

  test('/error 429 tells when to come back', async () => {
    const response = await chat('/error 429', { stream: true })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
  })

  test('/cut breaks a stream off after that many tokens', async () => {
    const reader = (await chat('Hello /cut 3', { stream: true })).body?.getReader()
    const contents: string[] = []
    const failure = await (async () => {
      for (;;) {
        const read = await reader?.read()
        if (!read || read.done) return null
        const [event = ''] = eventsIn(new TextDecoder().decode(read.value))
        contents.push(JSON.parse(event).choices[0].delta.content)
      }
    })().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(contents).toEqual(['', 'I', ' am', ' demo'])
  })

  test('/cut never lets a short stream look complete', async () => {
    const response = await chat('/cut 100', { stream: true, max_tokens: 2 })
    expect(await response.text().catch(() => 'broken')).toBe('broken')
  })

  test('/cut breaks a whole answer off in the middle of its body', async () => {
    const response = await chat('Hello /cut 3')
    const reader = response.body?.getReader()
    const half = new TextDecoder().decode((await reader?.read())?.value)
    expect(half).toStartWith('{"id":"chatcmpl-')
    expect(() => JSON.parse(half)).toThrow()
    expect(reader?.read()).rejects.toThrow('/cut')
  })

  test('/long answers about as many tokens as asked', async () => {
    const { usage, choices } = await whole('/long 500')
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(usage.completion_tokens).toBeWithin(450, 550)
  })

  test.each([true, false])('/hang sends its head and nothing more until it is aborted (stream: %p)', async (stream) => {
    const controller = new AbortController()
    const response = await chat('/hang', { stream }, controller.signal)
    expect(response.status).toBe(200)
    const reason = new Error('enough')
    const read = response.body?.getReader().read()
    controller.abort(reason)
    expect(await read?.catch((error: unknown) => error)).toBe(reason)
  })

  test.each([
    ['/delay 60000', true],
    ['/delay 60000', false],
    ['/pace 10000', false],
  ])('an abort ends the wait that %j orders (stream: %p)', async (text, stream) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const answer = chat(text, { stream }, controller.signal).then((response) => response.text())
    setImmediate(() => controller.abort(reason))
    expect(await answer.catch((error: unknown) => error)).toBe(reason)
  })

  test('only the last user message is obeyed', async () => {
    const messages = [
      { role: 'system', content: '/error 500' },
      { role: 'user', content: '/error 501' },
      { role: 'assistant', content: '/error 502' },
      { role: 'user', content: 'Hello' },
    ]
    expect((await chat('', { messages })).status).toBe(200)
  })
})

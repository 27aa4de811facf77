/** The official OpenAI client: tool calls, whole and streamed, and the loop that runs them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { json, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, doneEvent } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const asked = { model: 'plain', messages: [...messages] }

const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

function callOf(id: string, city: string) {
  return { id, type: 'function' as const, function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }
}

const calls = [callOf('call_1', 'Tel Aviv'), callOf('call_2', 'Kraków')]

function completionWithCalls(): object {
  const message = { role: 'assistant', content: null, refusal: null, tool_calls: calls }
  return { ...chatCompletion(), choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }] }
}

/** Two calls whose arguments come in single characters, taking turns. */
function interleavedChunks(): readonly object[] {
  const chunk = (delta: object, finishReason: string | null = null) => ({
    id: 'chatcmpl-tools',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'upstream-model',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  })
  const begin = calls.map(({ id, type, function: { name } }, index) =>
    chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
  )
  const longest = Math.max(...calls.map((each) => each.function.arguments.length))
  const pieces = Array.from({ length: longest }, (_, at) =>
    calls.flatMap(({ function: { arguments: text } }, index) =>
      at < text.length ? [chunk({ tool_calls: [{ index, function: { arguments: text[at] } }] })] : [],
    ),
  )
  return [chunk({ role: 'assistant', content: null }), ...begin, ...pieces.flat(), chunk({}, 'tool_calls')]
}

test('tools go out as they were given, and their calls come back whole', async () => {
  gateway.upstream.scriptNext(json(completionWithCalls()))
  const request = { ...asked, tools: [weatherTool], tool_choice: 'required' as const, parallel_tool_calls: true }
  const answered = await client.chat.completions.create(request)
  expect(answered.choices[0]?.finish_reason).toBe('tool_calls')
  expect(answered.choices[0]?.message.tool_calls).toEqual(calls)
  expect(gateway.upstream.requests.at(-1)!.json()).toEqual({ ...request, model: 'upstream-model' })
})

test('streamed calls whose arguments take turns are put together by the helper', async () => {
  gateway.upstream.scriptNext(stream([...interleavedChunks(), doneEvent]))
  const completion = await client.chat.completions.stream({ ...asked, tools: [weatherTool] }).finalChatCompletion()
  const made = completion.choices[0]?.message.tool_calls ?? []
  expect(
    made.map((each) => (each.type === 'function' ? [each.id, each.function.name, each.function.arguments] : [])),
  ).toEqual(calls.map((each) => [each.id, each.function.name, each.function.arguments]))
})

test('every delta of a streamed call reaches the client, in order', async () => {
  gateway.upstream.scriptNext(stream([...interleavedChunks(), doneEvent]))
  const chunks: object[] = []
  for await (const each of await client.chat.completions.create({ ...asked, tools: [weatherTool], stream: true }))
    chunks.push(each)
  expect(chunks).toEqual([...interleavedChunks()])
})

test('the loop that runs tools sends their results in the next turn', async () => {
  gateway.upstream.scriptNext(json(completionWithCalls()), json(chatCompletion({ pieces: ['Warm.'] })))
  const before = gateway.upstream.requests.length
  const cities: string[] = []
  const runner = client.chat.completions.runTools({
    ...asked,
    tools: [
      {
        type: 'function',
        function: {
          ...weatherTool.function,
          parse: (text: string) => JSON.parse(text) as { city: string },
          function: ({ city }: { city: string }) => {
            cities.push(city)
            return `31 degrees in ${city}`
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('Warm.')
  expect(cities).toEqual(['Tel Aviv', 'Kraków'])
  const second = gateway.upstream.requests[before + 1]?.json()['messages'] as readonly object[]
  expect(second.slice(-2)).toEqual([
    { role: 'tool', tool_call_id: 'call_1', content: '31 degrees in Tel Aviv' },
    { role: 'tool', tool_call_id: 'call_2', content: '31 degrees in Kraków' },
  ])
})

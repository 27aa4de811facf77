/**
 * The `ai` package with its provider for OpenAI in its defaults, which is the Responses API with `store: true`: from the
 * second turn on it names earlier items by their ids. The model's provider has only chat completions.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, streamText, tool, type ModelMessage } from 'ai'
import { z } from 'zod'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
let openai: ReturnType<typeof createOpenAI>
beforeAll(async () => {
  gateway = await startGateway()
  openai = createOpenAI({ baseURL: `${gateway.url}/ai/v1`, apiKey: gateway.keys.main.secret })
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

const said = 'Hello, wörld 🌊'

function given(): readonly Readonly<Record<string, unknown>>[] {
  return gateway.upstream.requests.at(-1)!.json()['messages'] as readonly Readonly<Record<string, unknown>>[]
}

test.each([false, true])('a chat of ten turns has all its turns each time (streamed: %p)', async (streamed) => {
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    messages.push({ role: 'user', content: `Turn ${turn}` })
    const asked = { model: openai('plain'), messages, maxRetries: 0 }
    const result = streamed ? streamText(asked) : await generateText(asked)
    expect(await result.text).toBe(said)
    messages.push(...(await result.response).messages)
    expect(given().map(({ role, content }) => [role, content])).toEqual(
      Array.from({ length: 2 * turn + 1 }, (_, at) =>
        at % 2 === 0 ? ['user', `Turn ${at / 2}`] : ['assistant', said],
      ),
    )
  }
})

test('a tool loop with a model that thinks goes round, with the thoughts and the call by their ids', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
  const message = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] }
  gateway.upstream.scriptNext(json({ ...chatCompletion(), choices: [{ message, finish_reason: 'tool_calls' }] }))
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `21 °C in ${city}` })
  const result = await generateText({
    model: openai('plain'),
    prompt: 'How warm is it?',
    tools: { weather },
    stopWhen: isStepCount(3),
    maxRetries: 0,
  })
  expect(result.text).toBe(said)
  expect(given()).toEqual([
    { role: 'user', content: 'How warm is it?' },
    { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '21 °C in Bern' },
  ])
})

test('the provider for Anthropic in its defaults answers, whole and streamed, and goes round with a tool', async () => {
  const anthropic = createAnthropic({ baseURL: `${gateway.url}/ai/v1`, apiKey: gateway.keys.main.secret })
  const asked = { model: anthropic('plain'), prompt: 'How warm is it?', maxRetries: 0 }
  expect((await generateText(asked)).text).toBe(said)
  expect(await streamText(asked).text).toBe(said)
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  gateway.upstream.scriptNext(json({ ...chatCompletion(), choices: [{ message, finish_reason: 'tool_calls' }] }))
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `21 °C in ${city}` })
  const result = await generateText({ ...asked, tools: { weather }, stopWhen: isStepCount(3) })
  expect(result.text).toBe(said)
  expect(given().at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: '21 °C in Bern' })
})

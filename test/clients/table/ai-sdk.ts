/** The `ai` package with four of its providers: its functions are the same whatever the provider. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, Output, streamText, tool, type LanguageModel, type ModelMessage } from 'ai'
import { forecast, joined, weather, type Ask, type Client, type Setup } from './client.ts'

type ModelOf = (setup: Setup) => LanguageModel

function asking(model: LanguageModel, { prompt, image, signal }: Ask) {
  const content: Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string> = [
    { type: 'text', text: prompt },
    ...(image === undefined ? [] : [{ type: 'file' as const, data: image, mediaType: 'image/png' }]),
  ]
  const messages: ModelMessage[] = [{ role: 'user', content }]
  return { model, messages, maxRetries: 0, ...(signal !== undefined && { abortSignal: signal }) }
}

type Asking = ReturnType<typeof asking>
type Options = Pick<Parameters<typeof generateText>[0], 'tools' | 'stopWhen' | 'providerOptions'>
type ProviderOptions = NonNullable<Options['providerOptions']>

/** A stream of the package reports a failure to `onError` and ends: users of `textStream` throw it themselves. */
async function streamed(args: Asking & Options, ask: Ask): Promise<ReturnType<typeof streamText>> {
  const failures: unknown[] = []
  const result = streamText({ ...args, onError: ({ error }) => void failures.push(error) })
  await joined(result.textStream, ask)
  if (failures.length > 0) throw failures[0]
  return result
}

function clientOf(name: string, modelOf: ModelOf, providerOptions: ProviderOptions | null): Client {
  const run = async (ask: Ask, args: Asking & Options) =>
    ask.streamed === true ? streamed(args, ask) : generateText(args)
  return {
    name,
    streams: true,
    images: true,
    say: async (setup, ask) => (await run(ask, asking(modelOf(setup), ask))).text,
    async loop(setup, ask) {
      const { description, input, run: execute } = weather
      const tools = { weather: tool({ description, inputSchema: input, execute }) }
      return (await run(ask, { ...asking(modelOf(setup), ask), tools, stopWhen: isStepCount(3) })).text
    },
    async shape(setup, prompt) {
      const output = Output.object({ schema: forecast })
      return (await generateText({ ...asking(modelOf(setup), { prompt }), output })).output
    },
    ...(providerOptions !== null && {
      think: async (setup, ask) => {
        const result = await run(ask, { ...asking(modelOf(setup), ask), providerOptions })
        return [(await result.reasoningText) ?? '', await result.text]
      },
    }),
  }
}

const baseURLOf = ({ url }: Setup): string => `${url}/ai/v1`

const openai: ModelOf = (setup) => createOpenAI({ baseURL: baseURLOf(setup), apiKey: setup.apiKey })(setup.model)

export const aiOpenAi: Client = {
  ...clientOf('`ai` with `@ai-sdk/openai` in its defaults', openai, {
    openai: { reasoningEffort: 'medium', reasoningSummary: 'auto', forceReasoning: true },
  }),
  async continue(setup, prompts) {
    const messages: ModelMessage[] = []
    let text = ''
    for (const prompt of prompts) {
      messages.push({ role: 'user', content: prompt })
      const result = await generateText({ model: openai(setup), messages, maxRetries: 0 })
      messages.push(...result.response.messages)
      text = result.text
    }
    return text
  },
}

export const aiOpenAiChat: Client = clientOf(
  '`ai` with `openai.chat(…)` of `@ai-sdk/openai`',
  (setup) => createOpenAI({ baseURL: baseURLOf(setup), apiKey: setup.apiKey }).chat(setup.model),
  null,
)

export const aiAnthropic: Client = clientOf(
  '`ai` with `@ai-sdk/anthropic` in its defaults',
  (setup) => createAnthropic({ baseURL: baseURLOf(setup), apiKey: setup.apiKey })(setup.model),
  { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
)

export const aiCompatible: Client = clientOf(
  '`ai` with `@ai-sdk/openai-compatible`',
  (setup) =>
    createOpenAICompatible({
      name: 'gateway',
      baseURL: baseURLOf(setup),
      apiKey: setup.apiKey,
      supportsStructuredOutputs: true,
    })(setup.model),
  { gateway: { reasoningEffort: 'medium' } },
)

/** The official OpenAI client: chat completions, and the Responses API. */
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { forecast, joined, weather, type Ask, type Client, type Setup } from './client.ts'

const clientOf = ({ url, apiKey }: Setup): OpenAI => new OpenAI({ baseURL: `${url}/ai/v1`, apiKey, maxRetries: 0 })

function chatMessages({ prompt, image }: Ask): OpenAI.ChatCompletionMessageParam[] {
  if (image === undefined) return [{ role: 'user', content: prompt }]
  const url = `data:image/png;base64,${image}`
  return [
    {
      role: 'user',
      content: [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ]
}

type Thinking = { readonly reasoning_content?: string }

async function* chatText(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  read: (delta: OpenAI.ChatCompletionChunk.Choice.Delta) => string | null | undefined,
): AsyncIterable<string | null | undefined> {
  for await (const { choices } of stream) if (choices[0] !== undefined) yield read(choices[0].delta)
}

export const openAiChat: Client = {
  name: '`openai` (npm), chat completions',
  streams: true,
  images: true,
  async say(setup, ask) {
    const body = { model: setup.model, messages: chatMessages(ask) }
    const { completions } = clientOf(setup).chat
    if (ask.streamed === true) {
      const stream = await completions.create({ ...body, stream: true }, { signal: ask.signal })
      return joined(
        chatText(stream, ({ content }) => content),
        ask,
      )
    }
    const answer = await completions.create(body, { signal: ask.signal })
    return answer.choices[0]?.message.content ?? ''
  },
  async loop(setup, ask) {
    const { name, description, input, run } = weather
    const tool = zodFunction({ name, description, parameters: input, function: run })
    const body = { model: setup.model, messages: chatMessages(ask), tools: [tool] }
    const { completions } = clientOf(setup).chat
    const runner = ask.streamed === true ? completions.runTools({ ...body, stream: true }) : completions.runTools(body)
    return (await runner.finalContent()) ?? ''
  },
  async shape(setup, prompt) {
    const answer = await clientOf(setup).chat.completions.parse({
      model: setup.model,
      messages: chatMessages({ prompt }),
      response_format: zodResponseFormat(forecast, 'forecast'),
    })
    return answer.choices[0]?.message.parsed
  },
  async think(setup, ask) {
    const body = { model: setup.model, messages: chatMessages(ask), reasoning_effort: 'medium' as const }
    const { completions } = clientOf(setup).chat
    if (ask.streamed !== true) {
      const message = (await completions.create(body)).choices[0]?.message
      return [(message as Thinking | undefined)?.reasoning_content ?? '', message?.content ?? '']
    }
    let text = ''
    const stream = chatText(await completions.create({ ...body, stream: true }), (delta) => {
      text += delta.content ?? ''
      return (delta as Thinking).reasoning_content
    })
    return [await joined(stream, ask), text]
  },
}

function responseInput({ prompt, image }: Ask): OpenAI.Responses.ResponseInput {
  if (image === undefined) return [{ role: 'user', content: prompt }]
  return [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: prompt },
        { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` },
      ],
    },
  ]
}

async function* responseText(
  stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>,
  type: 'response.output_text.delta' | 'response.reasoning_summary_text.delta',
): AsyncIterable<string> {
  for await (const event of stream) if (event.type === type) yield event.delta
}

interface Turn {
  readonly input: OpenAI.Responses.ResponseInput
  readonly previous_response_id?: string
}

export const openAiResponses: Client = {
  name: '`openai` (npm), Responses API',
  streams: true,
  images: true,
  async say(setup, ask) {
    const body = { model: setup.model, input: responseInput(ask) }
    const { responses } = clientOf(setup)
    if (ask.streamed === true) {
      const stream = await responses.create({ ...body, stream: true }, { signal: ask.signal })
      return joined(responseText(stream, 'response.output_text.delta'), ask)
    }
    return (await responses.create(body, { signal: ask.signal })).output_text
  },
  async loop(setup, ask) {
    const { responses } = clientOf(setup)
    const { name, description, schema, input, run } = weather
    const tool = { type: 'function' as const, name, description, parameters: schema, strict: true }
    const turn = async (given: Turn): Promise<OpenAI.Responses.Response> => {
      const body = { model: setup.model, tools: [tool], ...given }
      return ask.streamed === true ? responses.stream(body).finalResponse() : responses.create(body)
    }
    let answer = await turn({ input: responseInput(ask) })
    for (;;) {
      const calls = answer.output.filter((item) => item.type === 'function_call')
      if (calls.length === 0) return answer.output_text
      const outputs = calls.map(({ call_id, arguments: args }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: run(input.parse(JSON.parse(args))),
      }))
      answer = await turn({ previous_response_id: answer.id, input: outputs })
    }
  },
  async shape(setup, prompt) {
    const answer = await clientOf(setup).responses.parse({
      model: setup.model,
      input: prompt,
      text: { format: zodTextFormat(forecast, 'forecast') },
    })
    return answer.output_parsed
  },
  async think(setup, ask) {
    const reasoning = { effort: 'medium' as const, summary: 'auto' as const }
    const body = { model: setup.model, input: responseInput(ask), reasoning }
    const { responses } = clientOf(setup)
    if (ask.streamed === true) {
      const stream = responses.stream(body)
      const thought = await joined(responseText(stream, 'response.reasoning_summary_text.delta'), ask)
      return [thought, (await stream.finalResponse()).output_text]
    }
    const { output, output_text } = await responses.create(body)
    const thoughts = output.filter((item) => item.type === 'reasoning').flatMap((item) => item.summary)
    return [thoughts.map(({ text }) => text).join(''), output_text]
  },
  async continue(setup, prompts) {
    const { responses } = clientOf(setup)
    let [id, text]: [string | null, string] = [null, '']
    for (const input of prompts) {
      const answer: OpenAI.Responses.Response = await responses.create({
        model: setup.model,
        input,
        previous_response_id: id,
      })
      ;[id, text] = [answer.id, answer.output_text]
    }
    return text
  },
}

/** `@langchain/openai`: chat completions, and the Responses API, whose state it names by `previous_response_id`. */
import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { forecast, joined, weather, type Ask, type Client, type Setup } from './client.ts'

function modelOf({ url, apiKey, model }: Setup, useResponsesApi: boolean): ChatOpenAI {
  return new ChatOpenAI({
    model,
    apiKey,
    useResponsesApi,
    maxRetries: 0,
    configuration: { baseURL: `${url}/ai/v1` },
  })
}

function messageOf({ prompt, image }: Ask): HumanMessage {
  if (image === undefined) return new HumanMessage(prompt)
  const url = `data:image/png;base64,${image}`
  return new HumanMessage({
    content: [
      { type: 'text', text: prompt },
      { type: 'image_url', image_url: { url } },
    ],
  })
}

async function* texts(stream: AsyncIterable<AIMessageChunk>): AsyncIterable<string> {
  for await (const chunk of stream) yield chunk.text
}

/** The whole message of a stream. */
async function merged(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null
  for await (const chunk of stream) whole = whole === null ? chunk : whole.concat(chunk)
  if (whole === null) throw new Error('the stream is empty')
  return whole
}

const responseIdOf = ({ response_metadata }: BaseMessage): string => String(response_metadata['id'])

function clientOf(name: string, useResponsesApi: boolean): Client {
  return {
    name,
    streams: true,
    images: true,
    async say(setup, ask) {
      const model = modelOf(setup, useResponsesApi)
      const options = ask.signal === undefined ? {} : { signal: ask.signal }
      if (ask.streamed === true) return joined(texts(await model.stream([messageOf(ask)], options)), ask)
      return (await model.invoke([messageOf(ask)], options)).text
    },
    async loop(setup, ask) {
      const { name: called, description, input, run } = weather
      const tools = [tool(run, { name: called, description, schema: input })]
      const model = modelOf(setup, useResponsesApi).bindTools(tools)
      const messages: BaseMessage[] = [messageOf(ask)]
      for (;;) {
        const answer: AIMessage | AIMessageChunk =
          ask.streamed === true ? await merged(await model.stream(messages)) : await model.invoke(messages)
        if (answer.tool_calls === undefined || answer.tool_calls.length === 0) return answer.text
        messages.push(answer)
        for (const { id = '', args } of answer.tool_calls) {
          messages.push(new ToolMessage({ tool_call_id: id, content: run(input.parse(args)) }))
        }
      }
    },
    shape: (setup, prompt) =>
      modelOf(setup, useResponsesApi).withStructuredOutput(forecast, { method: 'jsonSchema' }).invoke(prompt),
  }
}

export const langChainChat: Client = clientOf('`@langchain/openai`, chat completions', false)

export const langChainResponses: Client = {
  ...clientOf('`@langchain/openai` with `useResponsesApi`', true),
  async continue(setup, prompts) {
    const model = modelOf(setup, true)
    let answer: BaseMessage | null = null
    for (const prompt of prompts) {
      const options: { previous_response_id?: string } =
        answer === null ? {} : { previous_response_id: responseIdOf(answer) }
      answer = await model.invoke([new HumanMessage(prompt)], options)
    }
    return answer?.text ?? ''
  },
  async think({ url, apiKey, model: name }, ask) {
    const model = new ChatOpenAI({
      model: name,
      apiKey,
      useResponsesApi: true,
      maxRetries: 0,
      // The package drops its own parameter for models whose name is not one of OpenAI's.
      modelKwargs: { reasoning: { effort: 'medium', summary: 'auto' } },
      configuration: { baseURL: `${url}/ai/v1` },
    })
    const answer = ask.streamed === true ? await merged(await model.stream(ask.prompt)) : await model.invoke(ask.prompt)
    const { summary } = answer.additional_kwargs['reasoning'] as { readonly summary: readonly { text: string }[] }
    return [summary.map(({ text }) => text).join(''), answer.text]
  },
}

/** The official Anthropic client. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { forecast, joined, weather, type Ask, type Client, type Setup } from './client.ts'

const clientOf = ({ url, apiKey }: Setup): Anthropic =>
  new Anthropic({ baseURL: `${url}/ai`, apiKey, maxRetries: 0, logLevel: 'off' })

function bodyOf({ model }: Setup, { prompt, image }: Ask): Anthropic.MessageCreateParamsNonStreaming {
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image ?? '' }
  const content: Anthropic.ContentBlockParam[] = [
    { type: 'text', text: prompt },
    ...(image === undefined ? [] : [{ type: 'image' as const, source }]),
  ]
  return { model, max_tokens: 4096, messages: [{ role: 'user', content }] }
}

async function* deltas(
  stream: AsyncIterable<Anthropic.MessageStreamEvent>,
  read: (delta: Anthropic.RawContentBlockDelta) => string | null,
): AsyncIterable<string | null> {
  for await (const event of stream) if (event.type === 'content_block_delta') yield read(event.delta)
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
}

const textOf = (content: readonly Block[]): string => content.map(({ text = '' }) => text).join('')

export const anthropicMessages: Client = {
  name: '`@anthropic-ai/sdk`, Messages',
  streams: true,
  images: true,
  async say(setup, ask) {
    const { messages } = clientOf(setup)
    const body = bodyOf(setup, ask)
    if (ask.streamed === true) {
      const stream = await messages.create({ ...body, stream: true }, { signal: ask.signal })
      return joined(
        deltas(stream, (delta) => (delta.type === 'text_delta' ? delta.text : null)),
        ask,
      )
    }
    return textOf((await messages.create(body, { signal: ask.signal })).content as readonly Block[])
  },
  async loop(setup, ask) {
    const { name, description, run } = weather
    const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
    const tool = betaTool({ name, description, inputSchema, run })
    const body = { ...bodyOf(setup, ask), tools: [tool] }
    const { messages } = clientOf(setup).beta
    if (ask.streamed !== true) return textOf((await messages.toolRunner(body)).content as readonly Block[])
    let last = ''
    for await (const stream of messages.toolRunner({ ...body, stream: true })) {
      last = textOf((await stream.finalMessage()).content as readonly Block[])
    }
    return last
  },
  async shape(setup, prompt) {
    const answer = await clientOf(setup).messages.parse({
      ...bodyOf(setup, { prompt }),
      output_config: { format: zodOutputFormat(forecast) },
    })
    return answer.parsed_output
  },
  async think(setup, ask) {
    const { messages } = clientOf(setup)
    const body = { ...bodyOf(setup, ask), thinking: { type: 'enabled' as const, budget_tokens: 2048 } }
    if (ask.streamed === true) {
      const stream = messages.stream(body)
      const thought = await joined(
        deltas(stream, (delta) => (delta.type === 'thinking_delta' ? delta.thinking : null)),
        ask,
      )
      return [thought, textOf((await stream.finalMessage()).content as readonly Block[])]
    }
    const content = (await messages.create(body)).content as readonly Block[]
    return [content.map(({ thinking = '' }) => thinking).join(''), textOf(content)]
  },
}

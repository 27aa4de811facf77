/**
 * What a provider sends that has the Messages API or the Responses API itself, as plain data.
 * Shapes: https://platform.claude.com/docs/en/api/messages,
 * https://platform.openai.com/docs/api-reference/responses
 */
import { chunk, streamEnd, streamHead, type Behaviour } from '../upstream/upstream-behaviours.ts'

type TypedEvent = Readonly<Record<string, unknown>> & { readonly type: string }

const said = 'Hello, wörld 🌊'

/** A whole message; it costs 25 tokens in and 15 out. */
export const nativeMessage = {
  id: 'msg_native',
  type: 'message',
  role: 'assistant',
  model: 'upstream-model',
  content: [{ type: 'text', text: said, citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 25, output_tokens: 15 },
  'a field of tomorrow': 1,
} as const

const { content: _, usage: __, ...emptyMessage } = nativeMessage

/** The same message as a stream, which tells the input at its start and the output at its end. */
export const nativeMessageEvents: readonly TypedEvent[] = [
  {
    type: 'message_start',
    message: { ...emptyMessage, content: [], stop_reason: null, usage: { input_tokens: 25, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 15 } },
  { type: 'message_stop' },
]

/** A whole response; it costs 25 tokens in and 15 out. */
export const nativeResponse = {
  id: 'resp_native',
  object: 'response',
  created_at: 1_760_000_000,
  status: 'completed',
  error: null,
  model: 'upstream-model',
  output: [
    {
      id: 'msg_native',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said, annotations: [] }],
    },
  ],
  store: true,
  usage: { input_tokens: 25, output_tokens: 15, total_tokens: 40 },
  'a field of tomorrow': 1,
} as const

const begunResponse = { ...nativeResponse, status: 'in_progress', output: [], usage: null }
const place = { item_id: 'msg_native', output_index: 0 }
const [item] = nativeResponse.output
const part = { type: 'output_text', text: '', annotations: [] }

/** The same response as a stream. */
export const nativeResponseEvents: readonly TypedEvent[] = [
  { type: 'response.created', response: begunResponse },
  { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
  { type: 'response.content_part.added', ...place, content_index: 0, part },
  { type: 'response.output_text.delta', ...place, content_index: 0, delta: said },
  { type: 'response.output_text.done', ...place, content_index: 0, text: said },
  { type: 'response.output_item.done', output_index: 0, item },
  { type: 'response.completed', response: nativeResponse },
].map((event, index) => ({ ...event, sequence_number: index }))

/** An event as both APIs write it. */
export function typedEventText(event: TypedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** The steps that send these events, without an end. */
export function typedEvents(events: readonly TypedEvent[]): Behaviour {
  return [streamHead, ...events.map((event) => chunk(typedEventText(event)))]
}

/** A complete stream of these events. */
export function typedStream(events: readonly TypedEvent[]): Behaviour {
  return [...typedEvents(events), streamEnd]
}

/** What a stream of typed events says, each event checked to be named after its type; comments are passed over. */
export function readTypedEvents(text: string): readonly TypedEvent[] {
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') throw new Error(`the last event is not complete: ${text.slice(-100)}`)
  return blocks
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (data === undefined) throw new Error(`no event with a name: ${block}`)
      const event = JSON.parse(data) as TypedEvent
      if (event.type !== name) throw new Error(`an event ${event.type} that is called ${name}`)
      return event
    })
}

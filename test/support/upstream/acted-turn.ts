/**
 * A turn of a model, acted by the scripted upstream in the wire format that it is asked in: a chat completion, a
 * response, a message or Google's content, complete or streamed. So one test can hold a client against providers of every API.
 */
import { typedStream } from '../contract/dialect-samples.ts'
import { json, stream, type Behaviour, type ScriptedRequest } from './upstream-behaviours.ts'
import { doneEvent, errorObject } from './upstream-samples.ts'

export interface Turn {
  /** What the model thinks before it answers. */
  readonly thought?: string
  readonly text?: string
  readonly call?: Call
  /** Several calls at once. */
  readonly calls?: readonly Call[]
}

/** A call of a tool; its arguments as JSON. */
interface Call {
  readonly id: string
  readonly name: string
  readonly args: string
}

type Json = Readonly<Record<string, unknown>>
type Event = Json & { readonly type: string }

const created = 1_760_000_000

/** The script of a model that takes this turn, whoever asks in whatever format. */
export function acted(turn: Turn): (request: ScriptedRequest) => Behaviour {
  return (request) => {
    const streamed = request.json()['stream'] === true
    switch (request.path) {
      case '/v1/chat/completions':
        return streamed ? stream([...chatChunks(turn), doneEvent]) : json(chatCompletion(turn))
      case '/v1/responses':
        return streamed ? typedStream(responseEvents(turn)) : json(response(turn))
      case '/v1/messages':
        return streamed ? typedStream(messageEvents(turn)) : json(message(turn))
      default:
        if (request.path.endsWith(':streamGenerateContent')) return stream(googleChunks(turn))
        if (request.path.endsWith(':generateContent')) return json(googleChunk(googleParts(turn), 'STOP'))
        return json(errorObject('Not found.', 'not_found'), 404)
    }
  }
}

const callsOf = ({ call, calls = [] }: Turn): readonly Call[] => (call === undefined ? calls : [call])

function chatMessage(turn: Turn): Json {
  const { thought, text } = turn
  const calls = callsOf(turn)
  return {
    role: 'assistant',
    content: text ?? null,
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  }
}

function toolCall({ id, name, args }: Call): Json {
  return { id, type: 'function', function: { name, arguments: args } }
}

function chatCompletion(turn: Turn): Json {
  const choice = { index: 0, message: chatMessage(turn), logprobs: null, finish_reason: chatEnd(turn) }
  const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }
  return { id: 'chatcmpl-1', object: 'chat.completion', created, model: 'upstream-model', choices: [choice], usage }
}

const chatEnd = (turn: Turn): string => (callsOf(turn).length === 0 ? 'stop' : 'tool_calls')

function chatChunks(turn: Turn): readonly object[] {
  const { thought, text } = turn
  const chunk = (delta: object, finishReason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: 'upstream-model',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...halves(thought).map((half) => chunk({ reasoning_content: half })),
    ...halves(text).map((half) => chunk({ content: half })),
    ...callDeltas(callsOf(turn)).map((delta) => chunk({ tool_calls: [delta] })),
    chunk({}, chatEnd(turn)),
  ]
}

/** One call comes whole; several come one after another, each in pieces. */
function callDeltas(calls: readonly Call[]): readonly Json[] {
  if (calls.length < 2) return calls.map((call, index) => ({ index, ...toolCall(call) }))
  return calls.flatMap((call, index) => [
    { index, ...toolCall({ ...call, args: '' }) },
    ...halves(call.args).map((half) => ({ index, function: { arguments: half } })),
  ])
}

let responses = 0

function response(turn: Turn): Json & { readonly output: readonly Json[] } {
  const { thought, text } = turn
  responses += 1
  const ordinal = responses
  const output: Json[] = []
  if (thought !== undefined) {
    output.push({ id: `rs_acted${ordinal}`, type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] })
  }
  if (text !== undefined) {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
    output.push({ id: `msg_acted${ordinal}`, type: 'message', role: 'assistant', status: 'completed', content })
  }
  for (const [index, { id, name, args }] of callsOf(turn).entries()) {
    output.push({
      id: `fc_acted${ordinal}${index === 0 ? '' : `_${index}`}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })
  }
  return {
    id: `resp_acted${ordinal}`,
    object: 'response',
    created_at: created,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'upstream-model',
    output,
    store: true,
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 14,
    },
  }
}

function responseEvents(turn: Turn): readonly Event[] {
  const whole = response(turn)
  const begun = { ...whole, status: 'in_progress', output: [], usage: null }
  const events: Event[] = [
    { type: 'response.created', response: begun },
    ...whole.output.flatMap((item, index) => itemEvents(item, index, turn)),
    { type: 'response.completed', response: whole },
  ]
  return events.map((event, index) => ({ ...event, sequence_number: index }))
}

function itemEvents(item: Json, index: number, turn: Turn): readonly Event[] {
  const place = { item_id: item['id'], output_index: index }
  const frame = (begun: Json, between: readonly Event[]): readonly Event[] => [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...between,
    { type: 'response.output_item.done', output_index: index, item },
  ]
  if (item['type'] === 'reasoning') {
    const at = { ...place, summary_index: 0 }
    const part = { type: 'summary_text', text: '' }
    return frame({ ...item, summary: [] }, [
      { type: 'response.reasoning_summary_part.added', ...at, part },
      ...halves(turn.thought).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: turn.thought },
      { type: 'response.reasoning_summary_part.done', ...at, part: { ...part, text: turn.thought } },
    ])
  }
  if (item['type'] === 'function_call') {
    const args = String(item['arguments'])
    return frame({ ...item, arguments: '', status: 'in_progress' }, [
      ...halves(args).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, arguments: args },
    ])
  }
  const at = { ...place, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  return frame({ ...item, status: 'in_progress', content: [] }, [
    { type: 'response.content_part.added', ...at, part },
    ...halves(turn.text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text: turn.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part, text: turn.text } },
  ])
}

const signature = 'c2lnbmVk'

function message(turn: Turn): Json & { readonly content: readonly Json[] } {
  const { thought, text } = turn
  const calls = callsOf(turn)
  return {
    id: 'msg_acted',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: [
      ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: JSON.parse(args) as unknown })),
    ],
    stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 3 },
  }
}

const emptied: Readonly<Record<string, Json>> = {
  thinking: { thinking: '', signature: '' },
  text: { text: '' },
  tool_use: { input: {} },
}

function messageEvents(turn: Turn): readonly Event[] {
  const { content, stop_reason, stop_sequence, ...head } = message(turn)
  const start = { ...head, content: [], stop_reason: null, stop_sequence: null }
  return [
    { type: 'message_start', message: start },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: { ...block, ...emptied[String(block['type'])] } },
      ...blockDeltas(block, turn).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ]
}

function blockDeltas({ type, input }: Json, { thought, text }: Turn): readonly Json[] {
  if (type === 'text') return halves(text).map((half) => ({ type: 'text_delta', text: half }))
  if (type === 'tool_use') {
    return halves(JSON.stringify(input)).map((half) => ({ type: 'input_json_delta', partial_json: half }))
  }
  return [
    ...halves(thought).map((half) => ({ type: 'thinking_delta', thinking: half })),
    { type: 'signature_delta', signature },
  ]
}

/** A text in two pieces, so that a client has to put it together. */
function halves(text = ''): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
}

/** Parts of content of Google's API; calls have no ids there. */
function googleParts(turn: Turn): readonly Json[] {
  const { thought, text } = turn
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...callsOf(turn).map(({ name, args }) => ({ functionCall: { name, args: JSON.parse(args) as Json } })),
  ]
}

function googleChunk(parts: readonly Json[], finishReason?: string): Json {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 }
  return { candidates: [candidate], usageMetadata, modelVersion: 'upstream-model', responseId: 'resp-acted' }
}

function googleChunks(turn: Turn): readonly Json[] {
  const parts = googleParts(turn).flatMap((part): readonly Json[] =>
    typeof part['text'] === 'string' ? halves(part['text']).map((text) => ({ ...part, text })) : [part],
  )
  return [...parts.map((part) => googleChunk([part])), googleChunk([], 'STOP')]
}

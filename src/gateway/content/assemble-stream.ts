/**
 * Makes of the events of a streamed answer the document that the same request without `stream` would have had, as far as
 * the events came. Of the fields of a choice only what a reader of the conversation needs is put together.
 */
import { isObject } from '#lib/json-value.ts'

type Fields = Readonly<Record<string, unknown>>

/** The document; null for a text that has no events of a known kind. */
export function assembleStream(text: string): unknown {
  const events = eventsIn(text)
  const made = [responsesAnswer, messagesAnswer, choicesAnswer, generatedTexts]
  for (const make of made) {
    const answer = make(events)
    if (answer !== null) return answer
  }
  return null
}

function eventsIn(text: string): readonly Fields[] {
  const events: Fields[] = []
  for (const block of text.split(/\r?\n\r?\n/)) {
    const data = block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n')
    if (data === '' || data === '[DONE]') continue
    try {
      const value: unknown = JSON.parse(data)
      if (isObject(value)) events.push(value)
    } catch {
      // The event in which the collected bytes were cut off.
    }
  }
  return events
}

/** The Responses API: its last event has the whole response. Cut off before that, the texts that came. */
function responsesAnswer(events: readonly Fields[]): unknown {
  const own = events.filter(({ type }) => typeof type === 'string' && type.startsWith('response.'))
  if (own.length === 0) return null
  const ended = own.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(String(type)))
  if (ended !== undefined) return ended['response']
  const texts = own.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [textOf(delta)] : []))
  return { object: 'response', status: 'in_progress', output: [outputMessage(texts.join(''))] }
}

function outputMessage(text: string) {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
}

/** Anthropic's Messages API. */
function messagesAnswer(events: readonly Fields[]): unknown {
  const start = events.find(({ type }) => type === 'message_start')
  if (start === undefined) return null
  const blocks = new Map<unknown, Block>()
  const ending: Record<string, unknown> = {}
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start' && isObject(block)) blocks.set(index, { fields: { ...block }, json: '' })
    if (type === 'message_delta' && isObject(delta)) Object.assign(ending, delta)
    const open = blocks.get(index)
    if (type === 'content_block_delta' && open !== undefined && isObject(delta)) addToBlock(open, delta)
  }
  const content = [...blocks.values()].map(({ fields, json }) =>
    json === '' ? fields : { ...fields, input: parsedOr(json) },
  )
  const message = isObject(start['message']) ? start['message'] : {}
  return { ...message, ...ending, content }
}

interface Block {
  readonly fields: Record<string, unknown>
  /** The input of a tool, in pieces. */
  json: string
}

function addToBlock(block: Block, delta: Fields): void {
  for (const name of ['text', 'thinking'])
    if (typeof delta[name] === 'string') block.fields[name] = textOf(block.fields[name]) + delta[name]
  block.json += textOf(delta['partial_json'])
}

interface Choice {
  content: string
  refusal: string
  reasoning: string
  text: string | null
  finish: unknown
  readonly calls: Map<unknown, { id: unknown; name: string; args: string }>
}

/** Chat completions and completions. */
function choicesAnswer(events: readonly Fields[]): unknown {
  const chunks = events.filter(({ choices }) => Array.isArray(choices))
  const [first] = chunks
  if (first === undefined) return null
  const choices = new Map<unknown, Choice>()
  for (const chunk of chunks)
    for (const each of chunk['choices'] as readonly unknown[]) if (isObject(each)) addToChoice(choices, each)
  const usage = chunks.findLast((chunk) => isObject(chunk['usage']))?.['usage']
  const { id, model } = first
  return { id, model, choices: [...choices].map(choiceOf), ...(usage !== undefined && { usage }) }
}

function addToChoice(choices: Map<unknown, Choice>, { index = 0, delta, text, finish_reason: finish }: Fields): void {
  const empty = { content: '', refusal: '', reasoning: '', text: null, finish: null, calls: new Map() }
  const choice: Choice = choices.get(index) ?? empty
  choices.set(index, choice)
  if (typeof text === 'string') choice.text = (choice.text ?? '') + text
  if (finish !== undefined && finish !== null) choice.finish = finish
  if (!isObject(delta)) return
  choice.content += textOf(delta['content'])
  choice.refusal += textOf(delta['refusal'])
  choice.reasoning += textOf(delta['reasoning_content'] ?? delta['reasoning'])
  const calls: unknown = delta['tool_calls']
  if (Array.isArray(calls)) for (const call of calls as readonly unknown[]) if (isObject(call)) addCall(choice, call)
}

function addCall({ calls }: Choice, { index, id, function: called }: Fields): void {
  const call = calls.get(index) ?? { id: null, name: '', args: '' }
  calls.set(index, call)
  call.id ??= id ?? null
  if (!isObject(called)) return
  call.name += textOf(called['name'])
  call.args += textOf(called['arguments'])
}

function choiceOf([index, { content, refusal, reasoning, text, finish, calls }]: readonly [unknown, Choice]) {
  if (text !== null) return { index, text, finish_reason: finish }
  const called = [...calls.values()].map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  const message = {
    role: 'assistant',
    content: content === '' && called.length > 0 ? null : content,
    ...(refusal !== '' && { refusal }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(called.length > 0 && { tool_calls: called }),
  }
  return { index, message, finish_reason: finish }
}

/** The generation endpoints: pieces of the texts of a batch. */
function generatedTexts(events: readonly Fields[]): unknown {
  const pieces = events.filter(({ text, batch_id: at }) => typeof text === 'string' && Number.isInteger(at))
  if (pieces.length === 0) return null
  const texts: string[] = []
  for (const { text, batch_id: at } of pieces) texts[Number(at)] = (texts[Number(at)] ?? '') + textOf(text)
  return { text: Array.from(texts, (text) => text ?? '') }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function parsedOr(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/**
 * Reads what an upstream answered: a whole chat completion, or one chunk of a stream. It is the only
 * place that knows how upstreams differ. A field that is absent is tolerated; a field of the wrong
 * type makes the answer unreadable.
 * Shapes: https://platform.openai.com/docs/api-reference/chat/object and .../chat/streaming
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import type { JsonObject } from '../dialect.ts'
import type { ReasoningDetail } from './reasoning-details.ts'
import { WholeCharacters } from './whole-characters.ts'

/** A tool call, or a fragment of one. */
export interface ToolCallDelta {
  /** In a whole answer the call's position. Null where a chunk has none. */
  readonly index: number | null
  /** Empty where the fragment has none, as are name and arguments. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Fields of the vendor, which the upstream wants back with the call. */
  readonly extra: JsonObject
}

/** A page on the web that a text cites. */
export interface UrlCitation {
  readonly url: string
  readonly title: string
  /** Where the cited part of the text begins and ends, in characters; 0 where the upstream does not say. */
  readonly start: number
  readonly end: number
}

/** What a whole answer says, or what a chunk adds to it. Empty where it adds nothing. */
export interface ChatDelta {
  readonly reasoning: string
  readonly reasoningDetails: readonly ReasoningDetail[]
  readonly text: string
  readonly logprobs: readonly JsonObject[]
  readonly citations: readonly UrlCitation[]
  readonly refusal: string
  readonly toolCalls: readonly ToolCallDelta[]
  readonly finishReason: string | null
  /** The stop sequence that ended the text: vLLM and SGLang name it, others do not. */
  readonly matchedStop: string | null
}

/** Token counts. Null where the upstream reports none. */
export interface ChatUsage {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly totalTokens: number | null
  readonly cachedTokens: number | null
  readonly cacheWriteTokens: number | null
  readonly reasoningTokens: number | null
}

/** A whole answer, or a chunk of one. */
export interface ChatAnswer {
  readonly model: string | null
  readonly serviceTier: string | null
  readonly usage: ChatUsage | null
  /** Null for a chunk without a choice. */
  readonly delta: ChatDelta | null
}

const toolCallFields = new Set(['index', 'id', 'type', 'function'])

/** A whole answer. Throws `upstream_invalid_response` for anything else. */
export function readWholeAnswer(value: unknown): ChatAnswer & { readonly delta: ChatDelta } {
  const answer = readAnswer(value, 'message')
  const { delta } = answer
  if (delta === null) throw unreadableAnswer('choices')
  return { ...answer, delta }
}

/** Reads the chunks of one stream. */
export class ChunkReader {
  readonly #characters = new WholeCharacters()

  /** A chunk. Throws `upstream_stream_error` for an error in its place. */
  read(value: unknown): ChatAnswer {
    const answer = readAnswer(value, 'delta')
    return answer.delta === null ? answer : { ...answer, delta: this.#whole(answer.delta) }
  }

  #whole(delta: ChatDelta): ChatDelta {
    const characters = this.#characters
    return {
      ...delta,
      text: characters.of('text', delta.text),
      reasoning: characters.of('reasoning', delta.reasoning),
      refusal: characters.of('refusal', delta.refusal),
      toolCalls: delta.toolCalls.map((call) => ({
        ...call,
        arguments: characters.of(`call ${call.index}`, call.arguments),
      })),
    }
  }
}

/** The error for an answer that cannot be translated. The reason goes to the log. */
export function unreadableAnswer(what: string): ApiError {
  return new ApiError('upstream_invalid_response', { internal: `not the shape of a chat completion: ${what}` })
}

function readAnswer(value: unknown, field: 'message' | 'delta'): ChatAnswer {
  if (!isObject(value)) throw unreadableAnswer('the answer')
  const { model, service_tier: serviceTier, usage, choices, error } = value
  if (isObject(error)) throw new ApiError('upstream_stream_error', { internal: 'an error in the place of an answer' })
  const choice = readObjectList(choices, 'choices').find((one) => (one['index'] ?? 0) === 0)
  return {
    model: typeof model === 'string' ? model : null,
    serviceTier: typeof serviceTier === 'string' ? serviceTier : null,
    usage: isObject(usage) ? readUsage(usage) : null,
    delta: choice === undefined ? null : readChoice(choice, field),
  }
}

function readChoice(choice: JsonObject, field: 'message' | 'delta'): ChatDelta {
  const message = choice[field] ?? (field === 'delta' ? {} : null)
  if (!isObject(message)) throw unreadableAnswer(field)
  const content = readContent(message['content'])
  const matchedStop = choice['stop_reason'] ?? choice['matched_stop']
  return {
    // Upstreams differ in the name of the field; one that fills both says the same twice.
    reasoning: readText(message, 'reasoning_content') || readText(message, 'reasoning') || content.reasoning,
    reasoningDetails: readObjectList(message['reasoning_details'], 'reasoning_details'),
    text: content.text,
    logprobs: isObject(choice['logprobs']) ? readObjectList(choice['logprobs']['content'], 'logprobs') : [],
    citations: readCitations(message['annotations']),
    refusal: readText(message, 'refusal'),
    toolCalls: readObjectList(message['tool_calls'], 'tool_calls').map((call, position) =>
      readToolCall(call, field === 'delta' ? null : position),
    ),
    finishReason: readText(choice, 'finish_reason') || null,
    matchedStop: typeof matchedStop === 'string' ? matchedStop : null,
  }
}

/** Text, or the list of parts that some upstreams send when the model thinks. */
function readContent(content: unknown): { text: string; reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  const read = { text: '', reasoning: '' }
  for (const part of readObjectList(content, 'content')) {
    if (part['type'] === 'text') read.text += readText(part, 'text')
    else if (part['type'] === 'thinking') read.reasoning += readContent(part['thinking']).text
    else throw unreadableAnswer('content')
  }
  return read
}

/** Annotations of another kind belong to files of the upstream, which nobody else has. */
function readCitations(annotations: unknown): readonly UrlCitation[] {
  if (!Array.isArray(annotations)) return []
  return annotations.filter(isObject).flatMap(({ type, url_citation: cited }) => {
    if (type !== 'url_citation' || !isObject(cited) || typeof cited['url'] !== 'string') return []
    const { url, title } = cited
    const at = (name: string): number => readCount(cited, name) ?? 0
    return [{ url, title: typeof title === 'string' ? title : '', start: at('start_index'), end: at('end_index') }]
  })
}

function readToolCall(call: JsonObject, position: number | null): ToolCallDelta {
  const { index, function: called } = call
  if (called !== undefined && called !== null && !isObject(called)) throw unreadableAnswer('tool_calls.function')
  return {
    index: typeof index === 'number' ? index : position,
    id: readText(call, 'id'),
    name: readText(called ?? {}, 'name'),
    arguments: readText(called ?? {}, 'arguments'),
    extra: Object.fromEntries(Object.entries(call).filter(([name]) => !toolCallFields.has(name))),
  }
}

function readUsage(usage: JsonObject): ChatUsage {
  const prompt = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const completion = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  return {
    promptTokens: readCount(usage, 'prompt_tokens'),
    completionTokens: readCount(usage, 'completion_tokens'),
    totalTokens: readCount(usage, 'total_tokens'),
    cachedTokens: readCount(prompt, 'cached_tokens'),
    cacheWriteTokens: readCount(prompt, 'cache_write_tokens'),
    reasoningTokens: readCount(completion, 'reasoning_tokens'),
  }
}

function readCount(object: JsonObject, name: string): number | null {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function readText(object: JsonObject, name: string): string {
  const value = object[name] ?? ''
  if (typeof value === 'string') return value
  throw unreadableAnswer(name)
}

function readObjectList(value: unknown, name: string): readonly JsonObject[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw unreadableAnswer(name)
}

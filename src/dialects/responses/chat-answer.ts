/**
 * Reads what an upstream answered: a whole chat completion, or one chunk of a stream. Fields that
 * are missing are tolerated, as upstreams differ; a field of the wrong type makes the answer
 * unreadable.
 * Shapes: https://platform.openai.com/docs/api-reference/chat/object and .../chat/streaming
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import { type Json } from './fields.ts'

/** A tool call, or a piece of one. */
export interface CallPiece {
  readonly index: number | null
  /** Empty where the piece does not say. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** What the upstream adds of its own and wants back with the call. */
  readonly others: Json
}

/** What an answer says, or how it goes on. Empty where it says nothing. */
export interface Said {
  readonly thoughts: string
  readonly thoughtDetails: readonly Json[]
  readonly text: string
  readonly logprobs: readonly Json[]
  readonly refusal: string
  readonly calls: readonly CallPiece[]
  readonly finishReason: string | null
}

export interface ChatAnswer {
  readonly model: string | null
  readonly serviceTier: string | null
  readonly usage: Json | null
  /** Null for a chunk without a choice. */
  readonly said: Said | null
}

const callFields = new Set(['index', 'id', 'type', 'function'])

/** A whole answer. Throws `upstream_invalid_response` when it is none. */
export function readWholeAnswer(value: unknown): ChatAnswer & { readonly said: Said } {
  const answer = readAnswer(value, 'message')
  const { said } = answer
  if (said === null) throw unreadable('choices')
  return { ...answer, said }
}

/** A chunk of a stream. Throws `upstream_stream_error` for an error in its place. */
export function readChunk(value: unknown): ChatAnswer {
  return readAnswer(value, 'delta')
}

function readAnswer(value: unknown, field: 'message' | 'delta'): ChatAnswer {
  if (!isObject(value)) throw unreadable('the answer')
  const { model, service_tier: serviceTier, usage, choices = [], error } = value
  if (isObject(error)) throw new ApiError('upstream_stream_error', { internal: 'an error in the place of an answer' })
  if (!Array.isArray(choices)) throw unreadable('choices')
  const choice: unknown = choices.find((one: unknown) => isObject(one) && (one['index'] ?? 0) === 0)
  return {
    model: typeof model === 'string' ? model : null,
    serviceTier: typeof serviceTier === 'string' ? serviceTier : null,
    usage: isObject(usage) ? usage : null,
    said: isObject(choice) ? readChoice(choice, field) : null,
  }
}

function readChoice(choice: Json, field: 'message' | 'delta'): Said {
  const message = choice[field] ?? (field === 'delta' ? {} : null)
  if (!isObject(message)) throw unreadable(field)
  const finishReason = text(choice, 'finish_reason')
  const content = readText(message['content'])
  return {
    // Servers differ in the name of the field; one that fills both says the same twice.
    thoughts: text(message, 'reasoning_content') || text(message, 'reasoning') || content.thoughts,
    thoughtDetails: objects(message['reasoning_details'], 'reasoning_details'),
    text: content.text,
    logprobs: isObject(choice['logprobs']) ? objects(choice['logprobs']['content'], 'logprobs') : [],
    refusal: text(message, 'refusal'),
    calls: objects(message['tool_calls'], 'tool_calls').map((call, at) =>
      readCall(call, field === 'delta' ? null : at),
    ),
    finishReason: finishReason === '' ? null : finishReason,
  }
}

/** Text, or the list of parts that some servers send when the model thinks. */
function readText(content: unknown): { text: string; thoughts: string } {
  if (content === null || content === undefined) return { text: '', thoughts: '' }
  if (typeof content === 'string') return { text: content, thoughts: '' }
  const said = { text: '', thoughts: '' }
  for (const part of objects(content, 'content')) {
    if (part['type'] === 'text') said.text += text(part, 'text')
    else if (part['type'] === 'thinking') said.thoughts += readText(part['thinking']).text
    else throw unreadable('content')
  }
  return said
}

function readCall(call: Json, position: number | null): CallPiece {
  const { index, function: called } = call
  if (called !== undefined && called !== null && !isObject(called)) throw unreadable('tool_calls.function')
  return {
    index: typeof index === 'number' ? index : position,
    id: text(call, 'id'),
    name: text(called ?? {}, 'name'),
    arguments: text(called ?? {}, 'arguments'),
    others: Object.fromEntries(Object.entries(call).filter(([name]) => !callFields.has(name))),
  }
}

function text(object: Json, name: string): string {
  const value = object[name] ?? ''
  if (typeof value === 'string') return value
  throw unreadable(name)
}

function objects(value: unknown, name: string): readonly Json[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw unreadable(name)
}

function unreadable(what: string): ApiError {
  return new ApiError('upstream_invalid_response', { internal: `not the shape of a chat completion: ${what}` })
}

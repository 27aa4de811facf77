/**
 * A request of the Responses API as a chat completion, and its settings as the answer repeats them.
 * Fields that this API does not have travel on untouched, as they do in a chat completion; those
 * that it has and that no chat completion can express are refused.
 * Shape: https://platform.openai.com/docs/api-reference/responses/create
 */
import { ApiError } from '#errors/api-error.ts'
import {
  defined,
  invalid,
  needString,
  notTranslatable,
  otherFields,
  pathOf,
  readBoolean,
  readInteger,
  readNumber,
  readObject,
  readString,
  readWord,
  refuseFields,
  type Json,
  type Place,
} from '../fields.ts'
import { chatMessages } from './input-items.ts'
import { readTools } from './tools.ts'

export interface ResponsesRequest {
  readonly chatBody: Json
  readonly model: string
  /** The settings of the request, as every answer repeats them. */
  readonly echo: Json
  /** The client asked for a summary of the thoughts, so they are worded as one. */
  readonly thoughtsAsSummary: boolean
}

/** What lives on a server between requests, or is run by one. */
const stateful: Readonly<Record<string, string>> = {
  previous_response_id: 'Answers are not stored here. Send the whole conversation as "input".',
  conversation: 'Conversations are not stored here. Send the whole conversation as "input".',
  background: 'Leave it out, and read the answer from this request.',
  prompt: 'Prompts are not stored here. Send the text as "instructions" and "input".',
  context_management: 'Leave it out, and shorten the conversation before sending it.',
  moderation: 'Leave it out.',
  access_programs: 'Leave it out.',
  image: 'Leave it out.',
}

/** What a chat completion calls by another name than this API, and what this API's answer cannot hold. */
const wordedOtherwise: Readonly<Record<string, string>> = {
  messages: 'Send the conversation as "input".',
  response_format: 'Send it as "text.format".',
  verbosity: 'Send it as "text.verbosity".',
  reasoning_effort: 'Send it as "reasoning.effort".',
  max_tokens: 'Send it as "max_output_tokens".',
  max_completion_tokens: 'Send it as "max_output_tokens".',
  logprobs: 'Ask for "message.output_text.logprobs" in "include".',
  functions: 'Send them as "tools".',
  function_call: 'Send it as "tool_choice".',
  n: 'An answer has one choice.',
  modalities: 'Use chat completions for spoken answers.',
  audio: 'Use chat completions for spoken answers.',
}

const includable = [
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  // These belong to tools and stored files that no translated answer has, so nothing is left out.
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const

const translated: ReadonlySet<string> = new Set([
  ...Object.keys({ ...stateful, ...wordedOtherwise }),
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
  'text',
  'reasoning',
  'include',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'truncation',
  'store',
  'stream',
  'stream_options',
  'metadata',
])

/** Understands a request; throws `invalid_body` for what is malformed or cannot be translated. */
export function readResponsesRequest(object: Json): ResponsesRequest {
  const body: Place = { object, path: '' }
  refuseUntranslatable(body)
  const model = readString(body, 'model') ?? ''
  if (model === '') throw new ApiError('missing_model', { param: 'model' })
  const streamed = readBoolean(body, 'stream') ?? false
  const text = readText(body)
  const reasoning = readReasoning(body)
  const sampling = readSampling(body)
  const tools = readTools(body)
  return {
    model,
    chatBody: {
      ...otherFields(body, translated),
      model,
      messages: chatMessages(body),
      stream: streamed,
      // The last event of a stream tells the usage, asked for or not.
      ...(streamed ? { stream_options: { include_usage: true } } : {}),
      ...tools.chat,
      ...text.chat,
      ...reasoning.chat,
      ...sampling.chat,
    },
    echo: {
      ...readPassing(body),
      instructions: readString(body, 'instructions') ?? null,
      max_tool_calls: readInteger(body, 'max_tool_calls', 1) ?? null,
      metadata: readMetadata(body),
      parallel_tool_calls: readBoolean(body, 'parallel_tool_calls') ?? true,
      previous_response_id: null,
      background: false,
      store: false,
      truncation: 'disabled',
      ...tools.echo,
      ...text.echo,
      ...reasoning.echo,
      ...sampling.echo,
    },
    thoughtsAsSummary: reasoning.asSummary,
  }
}

function refuseUntranslatable(body: Place): void {
  for (const [name, hint] of Object.entries({ ...stateful, ...wordedOtherwise })) {
    const value = body.object[name] ?? false
    if (value !== false && !(name === 'n' && value === 1)) throw notTranslatable(name, hint)
  }
  // Storing is the API's default, and whoever asks for the answer's `store` is told.
  readBoolean(body, 'store')
  if (readWord(body, 'truncation', ['auto', 'disabled']) === 'auto')
    throw notTranslatable('truncation', 'Leave it out, and shorten the conversation before sending it.')
  const options = readObject(body, 'stream_options')
  if (options !== undefined) refuseFields(options, Object.keys(options.object))
}

/** Fields that both APIs have, and that answers repeat: checked, and left to travel on. */
function readPassing(body: Place): Json {
  return {
    user: readString(body, 'user') ?? null,
    safety_identifier: readString(body, 'safety_identifier') ?? null,
    prompt_cache_key: readString(body, 'prompt_cache_key') ?? null,
    ...defined({ prompt_cache_retention: readString(body, 'prompt_cache_retention') }),
    service_tier: readString(body, 'service_tier') ?? null,
  }
}

function readSampling(body: Place): { readonly chat: Json; readonly echo: Json } {
  const temperature = readNumber(body, 'temperature')
  const topP = readNumber(body, 'top_p')
  const topLogprobs = readInteger(body, 'top_logprobs', 0)
  const maxOutputTokens = readInteger(body, 'max_output_tokens', 1)
  const logprobs = readIncluded(body).has('message.output_text.logprobs') || (topLogprobs ?? 0) > 0
  return {
    chat: defined({
      temperature,
      top_p: topP,
      // Not `max_completion_tokens`: servers that do not know that one ignore it without a word.
      max_tokens: maxOutputTokens,
      logprobs: logprobs ? true : undefined,
      top_logprobs: logprobs ? topLogprobs : undefined,
    }),
    echo: {
      temperature: temperature ?? null,
      top_p: topP ?? null,
      top_logprobs: topLogprobs ?? 0,
      max_output_tokens: maxOutputTokens ?? null,
    },
  }
}

function readIncluded(body: Place): ReadonlySet<string> {
  const { include } = body.object
  if (include === undefined || include === null) return new Set()
  if (!Array.isArray(include)) throw invalid('include', '"include" must be an array of strings.')
  const place: Place = { object: Object.fromEntries(include.entries()), path: 'include' }
  return new Set(include.map((_, index) => readWord(place, String(index), includable) ?? ''))
}

function readText(body: Place): { readonly chat: Json; readonly echo: Json } {
  const text = readObject(body, 'text')
  if (text === undefined) return { chat: {}, echo: { text: { format: { type: 'text' } } } }
  refuseFields(text, Object.keys(otherFields(text, new Set(['format', 'verbosity']))))
  const verbosity = readString(text, 'verbosity')
  const format = readObject(text, 'format')
  return {
    chat: defined({ verbosity, response_format: format === undefined ? undefined : responseFormat(format) }),
    echo: { text: defined({ format: format?.object ?? { type: 'text' }, verbosity }) },
  }
}

function responseFormat(format: Place): Json | undefined {
  const type = readWord(format, 'type', ['text', 'json_object', 'json_schema'])
  if (type !== 'json_schema') return type === 'json_object' ? { type } : undefined
  const schema = readObject(format, 'schema')
  if (schema === undefined) throw invalid(pathOf(format, 'schema'), `"${pathOf(format, 'schema')}" must be an object.`)
  return {
    type,
    json_schema: defined({
      name: needString(format, 'name'),
      description: readString(format, 'description'),
      schema: schema.object,
      strict: readBoolean(format, 'strict'),
    }),
  }
}

function readReasoning(body: Place): { readonly chat: Json; readonly echo: Json; readonly asSummary: boolean } {
  const reasoning = readObject(body, 'reasoning') ?? { object: {}, path: 'reasoning' }
  const known = new Set(['effort', 'summary', 'generate_summary', 'context', 'mode'])
  refuseFields(reasoning, Object.keys(otherFields(reasoning, known)))
  readDefault(reasoning, 'context', 'auto')
  readDefault(reasoning, 'mode', 'standard')
  const effort = readString(reasoning, 'effort')
  const summary = readString(reasoning, 'summary') ?? readString(reasoning, 'generate_summary')
  return {
    chat: defined({ reasoning_effort: effort }),
    echo: { reasoning: { effort: effort ?? null, summary: summary ?? null } },
    asSummary: summary !== undefined,
  }
}

/** A field that can only have the value that it has anyway. */
function readDefault(place: Place, name: string, value: string): void {
  if ((readString(place, name) ?? value) !== value) throw notTranslatable(pathOf(place, name))
}

function readMetadata(body: Place): Json {
  const metadata = readObject(body, 'metadata')
  if (metadata === undefined) return {}
  for (const name of Object.keys(metadata.object)) needString(metadata, name)
  return metadata.object
}

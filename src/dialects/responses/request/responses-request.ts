/**
 * A request of the Responses API as a chat completion, and its settings as the response repeats them.
 * Fields that this API does not have are passed on, as in a chat completion; fields that it has and
 * that a chat completion cannot express are refused.
 * Shape: https://platform.openai.com/docs/api-reference/responses/create
 */
import { ApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../../dialect.ts'
import {
  defined,
  pathOf,
  readBoolean,
  readEnum,
  readInteger,
  readNumber,
  readObject,
  readString,
  readStrings,
  requestBody,
  requireObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { unsupportedField, extraFields, refuseUnsupportedFields, wording } from './unsupported-field.ts'
import { chatMessages } from './input-items.ts'
import type { ToolNames } from './tool-names.ts'
import { readTools } from './tools.ts'

/** A request, translated: the chat body, and what the response depends on. */
export interface ResponsesRequest {
  readonly chatBody: JsonObject
  readonly model: string
  /** The settings of the request, as every response repeats them. */
  readonly echo: JsonObject
  /** Whether the client asked for a summary: it then receives the reasoning as one. */
  readonly reasoningAsSummary: boolean
  readonly tools: ToolNames
  /** The types of tools that were left out. */
  readonly dropped: readonly string[]
}

/** Fields that need a server with state or tools of its own. */
const serverSideFields: Readonly<Record<string, string>> = {
  prompt: 'Prompts are not stored here. Send the text as "instructions" and "input".',
  context_management: 'Leave it out, and shorten the conversation before sending it.',
  moderation: 'Leave it out.',
  access_programs: 'Leave it out.',
  image: 'Leave it out.',
}

/** Fields of a chat completion that have another name in this API, or that its response cannot hold. */
const chatOnlyFields: Readonly<Record<string, string>> = {
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
  // A translated response never has the tools and stored files that these belong to.
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const

const knownFields: ReadonlySet<string> = new Set([
  ...Object.keys({ ...serverSideFields, ...chatOnlyFields }),
  'model',
  'input',
  // The server has put what they refer to into the input.
  'previous_response_id',
  'conversation',
  'background',
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
  // What a client notes for its own server.
  'client_metadata',
])

/** The request as a chat completion. Throws `invalid_body` for what is malformed or cannot be translated. */
export function readResponsesRequest(fields: JsonObject): ResponsesRequest {
  const body = requestBody(fields, wording)
  refuseUnsupported(body)
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
      ...extraFields(body, knownFields),
      model,
      messages: chatMessages(body),
      stream: streamed,
      // The last event of a stream always has the usage.
      ...(streamed ? { stream_options: { include_usage: true } } : {}),
      ...tools.chat,
      ...text.chat,
      ...reasoning.chat,
      ...sampling.chat,
    },
    echo: {
      ...readPassthrough(body),
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
    reasoningAsSummary: reasoning.asSummary,
    tools: tools.names,
    dropped: tools.dropped,
  }
}

function refuseUnsupported(body: RequestObject): void {
  for (const [name, hint] of Object.entries({ ...serverSideFields, ...chatOnlyFields })) {
    const value = body.fields[name] ?? false
    if (value !== false && !(name === 'n' && value === 1)) throw unsupportedField(name, hint)
  }
  readBoolean(body, 'store')
  readBoolean(body, 'background')
  // "auto" permits the server to shorten the conversation. It does not: the response says "disabled".
  readEnum(body, 'truncation', ['auto', 'disabled'])
  const options = readObject(body, 'stream_options')
  if (options !== undefined) refuseUnsupportedFields(options, Object.keys(options.fields))
}

/** Fields that both APIs have and responses repeat: checked here, and passed on. */
function readPassthrough(body: RequestObject): JsonObject {
  return {
    user: readString(body, 'user') ?? null,
    safety_identifier: readString(body, 'safety_identifier') ?? null,
    prompt_cache_key: readString(body, 'prompt_cache_key') ?? null,
    ...defined({ prompt_cache_retention: readString(body, 'prompt_cache_retention') }),
    service_tier: readString(body, 'service_tier') ?? null,
  }
}

function readSampling(body: RequestObject): { readonly chat: JsonObject; readonly echo: JsonObject } {
  const temperature = readNumber(body, 'temperature')
  const topP = readNumber(body, 'top_p')
  const topLogprobs = readInteger(body, 'top_logprobs', 0)
  const maxOutputTokens = readInteger(body, 'max_output_tokens', 1)
  const logprobs = readIncluded(body).has('message.output_text.logprobs') || (topLogprobs ?? 0) > 0
  return {
    chat: defined({
      temperature,
      top_p: topP,
      // Not `max_completion_tokens`: upstreams that do not know it ignore it silently.
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

function readIncluded(body: RequestObject): ReadonlySet<string> {
  const entries: RequestObject = {
    ...body,
    path: 'include',
    fields: Object.fromEntries(readStrings(body, 'include').entries()),
  }
  return new Set(Object.keys(entries.fields).map((index) => readEnum(entries, index, includable) ?? ''))
}

function readText(body: RequestObject): { readonly chat: JsonObject; readonly echo: JsonObject } {
  const text = readObject(body, 'text')
  if (text === undefined) return { chat: {}, echo: { text: { format: { type: 'text' } } } }
  refuseUnsupportedFields(text, Object.keys(extraFields(text, new Set(['format', 'verbosity']))))
  const verbosity = readString(text, 'verbosity')
  const format = readObject(text, 'format')
  return {
    chat: defined({ verbosity, response_format: format === undefined ? undefined : responseFormat(format) }),
    echo: { text: defined({ format: format?.fields ?? { type: 'text' }, verbosity }) },
  }
}

function responseFormat(format: RequestObject): JsonObject | undefined {
  const type = readEnum(format, 'type', ['text', 'json_object', 'json_schema'])
  if (type !== 'json_schema') return type === 'json_object' ? { type } : undefined
  const schema = requireObject(format, 'schema')
  return {
    type,
    json_schema: defined({
      name: requireString(format, 'name'),
      description: readString(format, 'description'),
      schema: schema.fields,
      strict: readBoolean(format, 'strict'),
    }),
  }
}

function readReasoning(body: RequestObject): {
  readonly chat: JsonObject
  readonly echo: JsonObject
  readonly asSummary: boolean
} {
  const reasoning = readObject(body, 'reasoning') ?? { ...body, fields: {}, path: 'reasoning' }
  const known = new Set(['effort', 'summary', 'generate_summary', 'context', 'mode'])
  refuseUnsupportedFields(reasoning, Object.keys(extraFields(reasoning, known)))
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

/** Refuses every value of a field but its default. */
function readDefault(object: RequestObject, name: string, value: string): void {
  if ((readString(object, name) ?? value) !== value) throw unsupportedField(pathOf(object, name))
}

function readMetadata(body: RequestObject): JsonObject {
  const metadata = readObject(body, 'metadata')
  if (metadata === undefined) return {}
  for (const name of Object.keys(metadata.fields)) requireString(metadata, name)
  return metadata.fields
}

/**
 * A Messages request as a chat body, field by field. Hints that change only cost or speed have no
 * effect; everything else is translated or refused.
 * Source: https://platform.claude.com/docs/en/api/messages
 */
import { createHash } from 'node:crypto'
import { ApiError } from '#errors/api-error.ts'
import {
  defined,
  invalidField,
  pathOf,
  readBoolean,
  readEnum,
  readInteger,
  readNumber,
  readObject,
  readObjects,
  readString,
  readStrings,
  requestBody,
  requireObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { refuseUnknownFields, unsupportedField, wording } from './unsupported-field.ts'
import type { JsonObject } from '../../dialect.ts'
import { chatMessages } from './chat-messages.ts'
import { readThinking, type ThinkingDisplay } from './thinking.ts'
import { readTools } from './tools.ts'

/** A request, translated: the chat body, and what the answer depends on. */
export interface MessagesRequest {
  readonly chatBody: JsonObject
  readonly model: string
  readonly stopSequences: readonly string[]
  readonly display: ThinkingDisplay
  /** The types of tools that were left out. */
  readonly dropped: readonly string[]
}

const requestFields = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'context_management',
  'cache_control',
  'speed',
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'inference_geo',
  'diagnostics',
]

/** Fields of features that Anthropic's servers run themselves, and the beta that a request names for each. */
const serverFeatures: Readonly<Record<string, string>> = {
  mcp_servers: 'mcp-client',
  container: 'code-execution, skills',
  fallbacks: 'server-side-fallback',
  user_profile_id: 'user-profiles',
}

/** The longest `user` that OpenAI accepts. */
const userCharsMax = 64

/** The request as a chat body. Throws ApiError for the first field that is malformed or has no counterpart. */
export function readMessagesRequest(body: JsonObject): MessagesRequest {
  const request = requestBody(body, wording)
  const prompt = readPrompt(request)
  refusePrefill(request)
  const maxTokens = readInteger(request, 'max_tokens', 1)
  if (maxTokens === undefined) throw invalidField('max_tokens', 'is required.')
  const stopSequences = readStrings(request, 'stop_sequences')
  const streamed = readBoolean(request, 'stream') ?? false
  const geography = readString(request, 'inference_geo')
  if (geography !== undefined && geography !== 'global') {
    throw unsupportedField('inference_geo', 'it does not choose where a model runs. Ask for a model that runs there.')
  }
  const chatBody = defined({
    ...extraFields(request),
    ...prompt.chatBody,
    // Not `max_completion_tokens`: upstreams that do not know it ignore it silently.
    max_tokens: maxTokens,
    stream: streamed,
    stream_options: streamed ? { include_usage: true } : undefined,
    temperature: readNumber(request, 'temperature'),
    top_p: readNumber(request, 'top_p'),
    top_k: readInteger(request, 'top_k', 0),
    stop: stopSequences.length === 0 ? undefined : stopSequences,
    user: userOf(request),
    // `auto` is the default of every upstream.
    service_tier:
      readEnum(request, 'service_tier', ['auto', 'standard_only']) === 'standard_only' ? 'default' : undefined,
  })
  return { ...prompt, chatBody, stopSequences }
}

/** The part of a request that counts as input tokens, as a chat body. Throws like `readMessagesRequest`. */
export function promptChatBody(body: JsonObject): JsonObject {
  return readPrompt(requestBody(body, wording)).chatBody
}

function readPrompt(request: RequestObject): Omit<MessagesRequest, 'stopSequences'> {
  refuseThread(request)
  refuseServerFeatures(request)
  const model = readString(request, 'model') ?? ''
  if (model === '') throw new ApiError('missing_model', { param: 'model' })
  const outputConfig = readObject(request, 'output_config')
  if (outputConfig !== undefined) refuseUnknownFields(outputConfig, ['effort', 'format'])
  const { effort, display } = readThinking(request, outputConfig)
  if (readEnum(request, 'speed', ['standard', 'fast']) === 'fast') {
    throw unsupportedField('speed', 'a model has one speed here. Leave it out.')
  }
  checkContextManagement(request)
  const tools = readTools(request)
  const chatBody = defined({
    model,
    messages: chatMessages(request),
    ...tools.chat,
    reasoning_effort: effort,
    response_format: responseFormat(request, outputConfig),
  })
  return { chatBody, model, display, dropped: tools.dropped }
}

/**
 * A thread is a conversation that the server stores. Anthropic's SDKs send the whole conversation when they read this
 * code (`ThreadUnsupportedRequestError`), so no other refusal comes first.
 */
function refuseThread({ fields }: RequestObject): void {
  if ((fields['thread'] ?? null) !== null) throw new ApiError('thread_unsupported_request', { param: 'thread' })
}

/** What only Anthropic's servers do is refused, and the feature is named: a client can then leave it out. */
function refuseServerFeatures({ fields }: RequestObject): void {
  for (const [name, feature] of Object.entries(serverFeatures)) {
    const value = fields[name] ?? null
    if (value === null || (Array.isArray(value) && value.length === 0)) continue
    throw unsupportedField(name, `the beta feature "${feature}" runs on Anthropic's servers only. Leave it out.`)
  }
}

/** Fields that this API does not have go to the provider as they are, as in a chat completion. */
function extraFields({ fields }: RequestObject): JsonObject {
  const known = new Set([...requestFields, ...Object.keys(serverFeatures), 'thread'])
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !known.has(name) && value !== null))
}

/** A chat completion answers the last message; it does not continue it. */
function refusePrefill(request: RequestObject): void {
  const last = readObjects(request, 'messages').at(-1)
  if (last?.fields['role'] !== 'assistant') return
  throw unsupportedField(last.path, 'an answer cannot be begun for the model. End with a message of the user.')
}

/** `output_format` is the former name of `output_config.format`. */
function responseFormat(request: RequestObject, outputConfig: RequestObject | undefined): object | undefined {
  const format =
    (outputConfig === undefined ? undefined : readObject(outputConfig, 'format')) ??
    readObject(request, 'output_format')
  if (format === undefined) return undefined
  refuseUnknownFields(format, ['type', 'schema'])
  if (requireString(format, 'type') !== 'json_schema')
    throw invalidField(pathOf(format, 'type'), 'must be "json_schema".')
  const { fields: schema } = requireObject(format, 'schema')
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
}

/** Thinking is cleared from the history anyway; other edits are not supported. */
function checkContextManagement(request: RequestObject): void {
  const management = readObject(request, 'context_management')
  if (management === undefined) return
  refuseUnknownFields(management, ['edits'])
  for (const edit of readObjects(management, 'edits')) {
    const type = requireString(edit, 'type')
    if (!type.startsWith('clear_thinking_')) {
      throw unsupportedField(pathOf(edit, 'type'), `it does not edit the conversation ("${type}").`)
    }
  }
}

function userOf(request: RequestObject): string | undefined {
  const metadata = readObject(request, 'metadata')
  if (metadata === undefined) return undefined
  refuseUnknownFields(metadata, ['user_id'])
  const user = readString(metadata, 'user_id')
  if (user === undefined || user.length <= userCharsMax) return user
  return createHash('sha256').update(user).digest('hex')
}

/**
 * A Messages request as a chat body, field by field. Hints that change nothing but cost or speed have
 * no effect; everything else is translated or refused.
 * Source: https://platform.claude.com/docs/en/api/messages
 */
import { createHash } from 'node:crypto'
import { ApiError } from '#errors/api-error.ts'
import {
  defined,
  malformed,
  optionalCount,
  optionalFlag,
  optionalNumber,
  optionalPlace,
  optionalText,
  optionalWord,
  pathOf,
  placeAt,
  places,
  refuseUnknown,
  requiredPlace,
  text,
  texts,
  untranslatable,
  type Place,
} from '../fields.ts'
import { chatMessages } from './chat-messages.ts'
import { thinkingOf, type ThoughtDisplay } from './thinking.ts'
import { toolFieldsOf } from './tools.ts'

/** What the answer's translation has to know of the request. */
export interface UnderstoodRequest {
  readonly chatBody: Readonly<Record<string, unknown>>
  readonly model: string
  readonly stopSequences: readonly string[]
  readonly display: ThoughtDisplay
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

/** OpenAI takes no longer `user`. */
const userCharsMax = 64

/** The request as a chat body. Throws ApiError for the first field that is malformed or has no counterpart. */
export function understand(body: Readonly<Record<string, unknown>>): UnderstoodRequest {
  const request = placeAt(body, '')
  const prompt = promptOf(request)
  refusePrefill(request)
  const maxTokens = optionalCount(request, 'max_tokens', 1)
  if (maxTokens === undefined) throw malformed('max_tokens', 'is required.')
  const stopSequences = texts(request, 'stop_sequences')
  const streamed = optionalFlag(request, 'stream') ?? false
  const geography = optionalText(request, 'inference_geo')
  if (geography !== undefined && geography !== 'global') {
    throw untranslatable('inference_geo', 'it does not choose where a model runs. Ask for a model that runs there.')
  }
  const chatBody = defined({
    ...prompt.chatBody,
    // Not `max_completion_tokens`: servers that do not know that one ignore it without a word.
    max_tokens: maxTokens,
    stream: streamed,
    stream_options: streamed ? { include_usage: true } : undefined,
    temperature: optionalNumber(request, 'temperature'),
    top_p: optionalNumber(request, 'top_p'),
    top_k: optionalCount(request, 'top_k', 0),
    stop: stopSequences.length === 0 ? undefined : stopSequences,
    user: userOf(request),
    // `auto` is what an upstream does anyway.
    service_tier:
      optionalWord(request, 'service_tier', ['auto', 'standard_only']) === 'standard_only' ? 'default' : undefined,
  })
  return { ...prompt, chatBody, stopSequences }
}

/** The part of a request that a token count is about, as a chat body. Throws like `understand`. */
export function understandPrompt(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return promptOf(placeAt(body, '')).chatBody
}

function promptOf(request: Place): Omit<UnderstoodRequest, 'stopSequences'> {
  refuseUnknown(request, requestFields)
  const model = optionalText(request, 'model') ?? ''
  if (model === '') throw new ApiError('missing_model', { param: 'model' })
  const outputConfig = optionalPlace(request, 'output_config')
  if (outputConfig !== undefined) refuseUnknown(outputConfig, ['effort', 'format'])
  const { effort, display } = thinkingOf(request, outputConfig)
  if (optionalWord(request, 'speed', ['standard', 'fast']) === 'fast') {
    throw untranslatable('speed', 'a model has one speed here. Leave it out.')
  }
  checkContextManagement(request)
  const chatBody = defined({
    model,
    messages: chatMessages(request),
    ...toolFieldsOf(request),
    reasoning_effort: effort,
    response_format: responseFormat(request, outputConfig),
  })
  return { chatBody, model, display }
}

/** Chat completions answer the last message; they do not go on with it. */
function refusePrefill(request: Place): void {
  const last = places(request, 'messages').at(-1)
  if (last?.fields['role'] !== 'assistant') return
  throw untranslatable(last.path, 'an answer cannot be begun for the model. End with a message of the user.')
}

/** `output_format` is the name that `output_config.format` had at first. */
function responseFormat(request: Place, outputConfig: Place | undefined): object | undefined {
  const format =
    (outputConfig === undefined ? undefined : optionalPlace(outputConfig, 'format')) ??
    optionalPlace(request, 'output_format')
  if (format === undefined) return undefined
  refuseUnknown(format, ['type', 'schema'])
  if (text(format, 'type') !== 'json_schema') throw malformed(pathOf(format, 'type'), 'must be "json_schema".')
  const { fields: schema } = requiredPlace(format, 'schema')
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
}

/** To clear thoughts from the history is what happens anyway; other edits would need to be done here. */
function checkContextManagement(request: Place): void {
  const management = optionalPlace(request, 'context_management')
  if (management === undefined) return
  refuseUnknown(management, ['edits'])
  for (const edit of places(management, 'edits')) {
    const type = text(edit, 'type')
    if (!type.startsWith('clear_thinking_')) {
      throw untranslatable(pathOf(edit, 'type'), `it does not edit the conversation ("${type}").`)
    }
  }
}

function userOf(request: Place): string | undefined {
  const metadata = optionalPlace(request, 'metadata')
  if (metadata === undefined) return undefined
  refuseUnknown(metadata, ['user_id'])
  const user = optionalText(metadata, 'user_id')
  if (user === undefined || user.length <= userCharsMax) return user
  return createHash('sha256').update(user).digest('hex')
}

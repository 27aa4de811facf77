/** The routes of the AI API below `/ai/v1`. */
import { z } from 'zod'
import { efforts } from '#config/declared/routing-forms.ts'
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import type { ApiError } from '#errors/api-error.ts'
import { modelBodyErrors, modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { Route, RouteDocs } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { anthropicError, answers } from './endpoints/answers.ts'
import { speech, transcription } from './endpoints/audio.ts'
import { chatCompletion } from './endpoints/chat-completions.ts'
import { completion } from './endpoints/completions.ts'
import { embeddings } from './endpoints/embeddings.ts'
import { imageEdit, imageGeneration } from './endpoints/images.ts'
import { countMessageTokens, messages } from './endpoints/messages.ts'
import type { ModelCall } from './endpoints/model-call.ts'
import { moderation } from './endpoints/moderations.ts'
import { requests } from './endpoints/requests.ts'
import { rerank } from './endpoints/rerank.ts'
import { responseCompaction, responseInputTokens, responses } from './endpoints/responses.ts'
import type { Gateway } from './gateway.ts'
import { getModel, listModels } from './models.ts'
import { serveModelCall } from './serve-model-call.ts'
import { stateRoutes } from './state-routes.ts'

const model = z
  .object({
    id: z.string().describe("The model's name"),
    object: z.literal('model'),
    created: z.int().describe('Seconds since 1970'),
    owned_by: z.string().describe("The provider's name, or sluice for a composite"),
    supported_reasoning_efforts: z
      .array(z.enum(efforts))
      .optional()
      .describe('Only when asked for, and only where it is known; of a composite what all its components take'),
  })
  .meta({ id: 'Model' })

const anthropicModel = z
  .object({ type: z.literal('model'), id: z.string(), display_name: z.string(), created_at: z.iso.datetime() })
  .meta({ id: 'AnthropicModel', description: 'To a client that sends anthropic-version.' })

const anthropicModels = z.object({
  data: z.array(anthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

const modelsQuery = z.object({
  group: z.string().optional().describe('Group ids, separated by commas: only models of these groups'),
  available_for_realtime: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: only models without a realtime deny rule; false: only those with one'),
  include_reasoning_capabilities: z
    .enum(['true', 'false'])
    .optional()
    .describe('true adds supported_reasoning_efforts where it is known'),
})

const modelQuery = modelsQuery.pick({ include_reasoning_capabilities: true })

export function gatewayRoutes(gateway: Gateway): Route<Caller>[] {
  const tag = 'Inference'
  return [
    ...modelCalls.map((row) => modelCallRoute(gateway, row)),
    ...stateRoutes(gateway),
    {
      method: 'POST',
      path: '/ai/v1/messages/count_tokens',
      access: 'inference',
      docs: {
        tag,
        summary: 'Estimate the input tokens of a Messages request',
        operation: 'countMessageTokens',
        errorAnswer: anthropicError,
        body: requests.messages,
        answer: z.object({ input_tokens: z.int() }),
        errors: [
          ...modelBodyErrors,
          'thread_unsupported_request',
          'model_not_found',
          'model_access_denied',
          'inflight_limit_exceeded',
        ],
      },
      errorResponse: anthropicErrorResponse,
      handle: (context, caller) => countMessageTokens(gateway, context, caller),
    },
    {
      method: 'GET',
      path: '/ai/v1/models',
      access: 'inference',
      docs: {
        tag,
        summary: 'List the models that the caller can use',
        query: modelsQuery,
        answer: z.union([z.object({ object: z.literal('list'), data: z.array(model) }), anthropicModels]),
        errors: ['invalid_group', 'invalid_query_parameter'],
      },
      handle: (context, caller) => listModels(gateway, context, caller),
    },
    {
      method: 'GET',
      path: '/ai/v1/models/*',
      access: 'inference',
      docs: {
        tag,
        summary: 'One model by its name or an alias, slashes included',
        operation: 'retrieveModel',
        query: modelQuery,
        answer: z.union([model, anthropicModel]),
        errors: ['model_not_found', 'model_access_denied', 'invalid_query_parameter'],
      },
      handle: (context, caller) => getModel(gateway, context, caller),
    },
  ]
}

interface ModelCallRow extends Omit<RouteDocs, 'tag'> {
  readonly call: ModelCall
  /** Beyond those that every call of a model can answer. */
  readonly errors?: readonly ErrorCode[]
  /** Errors of the endpoint's wire format; OpenAI's when left out. */
  readonly errorResponse?: (error: ApiError, requestId: string) => Response
}

/** Errors of requests that build on an earlier one. */
const stateErrors: readonly ErrorCode[] = [
  'previous_response_not_found',
  'conversation_not_found',
  'item_not_found',
  'store_unavailable',
  'overloaded',
]

/** Every endpoint that calls a model; its path is its name. */
const modelCalls: readonly ModelCallRow[] = [
  {
    call: chatCompletion,
    operation: 'createChatCompletion',
    ...answers.chatCompletion,
    summary: 'Answer a conversation, whole or streamed',
    body: requests.chatCompletion,
    errors: ['invalid_value', 'unsupported_value'],
  },
  {
    call: completion,
    operation: 'createCompletion',
    ...answers.completion,
    summary: 'Continue a text, whole or streamed',
    body: requests.completion,
  },
  {
    call: embeddings,
    operation: 'createEmbeddings',
    ...answers.embeddings,
    summary: 'Turn texts into vectors',
    body: requests.embeddings,
  },
  {
    call: rerank,
    operation: 'rerank',
    ...answers.rerank,
    summary: 'Order documents by how well they fit a query',
    body: requests.rerank,
  },
  {
    call: moderation,
    operation: 'createModeration',
    ...answers.moderation,
    summary: 'Tell whether texts or pictures are harmful',
    body: requests.moderation,
  },
  {
    call: imageGeneration,
    operation: 'generateImages',
    ...answers.images,
    summary: 'Make pictures from a text, whole or streamed',
    body: requests.imageGeneration,
  },
  {
    call: imageEdit,
    operation: 'editImages',
    ...answers.images,
    summary: 'Change pictures as a text says, whole or streamed',
    body: requests.imageEdit,
    bodyType: 'multipart/form-data',
    errors: ['invalid_multipart'],
  },
  {
    call: transcription,
    operation: 'createTranscription',
    ...answers.transcription,
    summary: 'Write down what is said in a recording, whole or streamed',
    body: requests.transcription,
    bodyType: 'multipart/form-data',
    errors: ['invalid_multipart'],
  },
  {
    call: speech,
    operation: 'createSpeech',
    ...answers.speech,
    summary: 'Read a text aloud, as it is made',
    body: requests.speech,
  },
  {
    call: responses,
    operation: 'createResponse',
    ...answers.responses,
    summary: 'Answer in the Responses API, whole or streamed',
    body: requests.responses,
    errors: [...stateErrors, 'invalid_value', 'unsupported_value'],
  },
  {
    call: responseCompaction,
    operation: 'compactResponse',
    ...answers.compaction,
    summary: 'Make a conversation of the Responses API shorter',
    body: requests.responses,
    errors: stateErrors,
  },
  {
    call: responseInputTokens,
    operation: 'countResponseInputTokens',
    ...answers.inputTokens,
    summary: 'Count the input tokens of a request of the Responses API',
    body: requests.responses,
    errors: stateErrors,
  },
  {
    call: messages,
    operation: 'createMessage',
    ...answers.messages,
    errorAnswer: anthropicError,
    summary: "Answer in the wire format of Anthropic's clients, whole or streamed",
    body: requests.messages,
    errors: ['invalid_value', 'unsupported_value', 'thread_unsupported_request'],
    errorResponse: anthropicErrorResponse,
  },
]

const modelCallErrors: readonly ErrorCode[] = [
  ...modelBodyErrors,
  'upstream_rejected',
  'model_access_denied',
  'realtime_denied',
  'model_not_found',
  'endpoint_not_supported',
  ...modelErrors,
]

function modelCallRoute(gateway: Gateway, { call, errors = [], errorResponse, ...docs }: ModelCallRow): Route<Caller> {
  return {
    method: 'POST',
    path: `/ai/v1/${call.endpoint}`,
    access: 'inference',
    docs: { tag: 'Inference', ...docs, errors: [...modelCallErrors, ...errors] },
    ...(errorResponse && { errorResponse }),
    handle: (context, caller) => serveModelCall(gateway, context, caller, call),
  }
}

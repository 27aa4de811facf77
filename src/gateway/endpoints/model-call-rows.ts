/** Every endpoint that calls a model, as a row of the route table: src/gateway/routes.ts gives each its address. */
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import { errorResponse as cohereErrorResponse } from '#dialects/cohere/error-response.ts'
import type { ApiError } from '#errors/api-error.ts'
import { modelBodyErrors, modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { RouteDocs } from '#http/route.ts'
import { anthropicError, answers, cohereError } from './answers.ts'
import { speech, transcription, translation } from './audio.ts'
import { chatCompletion } from './chat-completions.ts'
import { completion } from './completions.ts'
import { embeddings } from './embeddings.ts'
import { imageEdit, imageGeneration, imageVariation } from './images.ts'
import type { ModelCall } from './model-call.ts'
import { moderation } from './moderations.ts'
import { cohereRerank, cohereRerankAnswer, rerank } from './rerank.ts'
import { responseCompaction, responseInputTokens, responses } from './responses.ts'
import { messages } from './messages.ts'
import { requests } from './requests.ts'

/** An endpoint, and what the OpenAPI document says of it. */
export interface ModelCallRow extends Omit<RouteDocs, 'tag'> {
  readonly call: ModelCall
  /** The whole address where it is not the endpoint's own. */
  readonly path?: string
  readonly aliases?: readonly string[]
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

/** What endpoints have in common that take a form. */
const form = { bodyType: 'multipart/form-data', errors: ['invalid_multipart'] } as const

/** Every endpoint that calls a model; its path is its name unless it has another. */
export const modelCalls: readonly ModelCallRow[] = [
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
    call: cohereRerank,
    operation: 'rerankV2',
    errorAnswer: cohereError,
    path: '/ai/v2/rerank',
    aliases: ['/ai/v1/v2/rerank'],
    summary: "Order documents in the wire format of Cohere's clients, version 2",
    body: requests.rerank,
    answer: cohereRerankAnswer,
    errorResponse: cohereErrorResponse,
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
    ...form,
  },
  {
    call: imageVariation,
    operation: 'createImageVariations',
    ...answers.images,
    summary: 'Make variations of a picture',
    body: requests.imageVariation,
    ...form,
  },
  {
    call: transcription,
    operation: 'createTranscription',
    ...answers.transcription,
    summary: 'Write down what is said in a recording, whole or streamed',
    body: requests.transcription,
    ...form,
  },
  {
    call: translation,
    operation: 'createTranslation',
    ...answers.transcription,
    summary: 'Write down in English what is said in a recording',
    body: requests.translation,
    ...form,
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

/** What every call of a model can answer. */
export const modelCallErrors: readonly ErrorCode[] = [
  ...modelBodyErrors,
  'upstream_rejected',
  'model_access_denied',
  'realtime_denied',
  'model_not_found',
  'endpoint_not_supported',
  ...modelErrors,
]

/**
 * The route table: every address of Sluice, who may call it, and the handler that answers. The
 * OpenAPI document is made from these rows.
 */
import { z } from 'zod'
import { efforts } from '#config/declared/routing-forms.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ConsoleFiles } from '#console/console-files.ts'
import { serveConsolePage } from '#console/serve-console.ts'
import { modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { Documents } from '#documents/documents.ts'
import { documentRoutes } from '#documents/routes.ts'
import { chatCompletion } from '#gateway/endpoints/chat-completions.ts'
import { speech, transcription } from '#gateway/endpoints/audio.ts'
import { completion } from '#gateway/endpoints/completions.ts'
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import { countMessageTokens, messages } from '#gateway/endpoints/messages.ts'
import { responseCompaction, responseInputTokens, responses } from '#gateway/endpoints/responses.ts'
import { embeddings } from '#gateway/endpoints/embeddings.ts'
import { imageEdit, imageGeneration } from '#gateway/endpoints/images.ts'
import { moderation } from '#gateway/endpoints/moderations.ts'
import { requests } from '#gateway/endpoints/requests.ts'
import { rerank } from '#gateway/endpoints/rerank.ts'
import type { ModelCall } from '#gateway/endpoints/model-call.ts'
import { serveModelCall } from '#gateway/serve-model-call.ts'
import type { Gateway } from '#gateway/gateway.ts'
import type { Generation } from '#generation/generation.ts'
import { generationRoutes } from '#generation/routes.ts'
import { getModel, listModels } from '#gateway/models.ts'
import { serveStoredResponse, type ResponseAction } from '#gateway/serve-stored-response.ts'
import { docsPage } from '#http/docs-page.ts'
import { openApiDocument, type OpenApiDocument } from '#http/openapi.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { within } from '#lib/within.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { Store } from '#store/store.ts'

export interface RouteDeps {
  readonly gateway: Gateway
  readonly generation: Generation
  readonly documents: Documents
  readonly store: Store
  readonly feed: ChangeFeed
  readonly admin: readonly Route<Caller>[]
  readonly version: string
  /** Null where the console is not built. */
  readonly consoleFiles: ConsoleFiles | null
  readonly draining: () => boolean
}

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

export function routeTable(deps: RouteDeps): readonly Route<Caller>[] {
  const routes: Route<Caller>[] = [
    ...inferenceRoutes(deps),
    ...generationRoutes(deps.generation),
    ...documentRoutes(deps.documents),
    ...systemRoutes(deps),
    ...deps.admin,
  ]
  // Made when it is first asked for: it takes tens of milliseconds, and the table does not change.
  let made: OpenApiDocument | undefined
  const document = () => (made ??= openApiDocument(routes, { title: 'Sluice', version: deps.version }))
  const about = { tag: 'System', errors: [] }
  routes.push(
    {
      method: 'GET',
      path: '/',
      access: 'public',
      docs: { ...about, summary: 'The web console; where it is not built, leads to the page about this API' },
      handle: ({ request }) =>
        (deps.consoleFiles && serveConsolePage(deps.consoleFiles, request)) ??
        new Response(null, { status: 302, headers: { location: '/docs' } }),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      docs: { ...about, summary: 'This API as an OpenAPI 3.1 document' },
      handle: () => json(document()),
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      docs: { ...about, summary: 'This API as a page to read' },
      handle: () => docsPage(document()),
    },
  )
  return routes
}

interface ModelCallRow {
  readonly call: ModelCall
  readonly summary: string
  readonly body: z.ZodType
  readonly bodyType?: 'multipart/form-data'
  /** Beyond those that every call of a model can answer. */
  readonly errors?: readonly ErrorCode[]
  /** Errors of the endpoint's wire format; OpenAI's when left out. */
  readonly errorResponse?: (error: ApiError, requestId: string) => Response
}

/** Errors of requests that build on an earlier one. */
const stateErrors: readonly ErrorCode[] = ['previous_response_not_found', 'conversation_not_found', 'store_unavailable']

/** Every endpoint that calls a model; its path is its name. */
const modelCalls: readonly ModelCallRow[] = [
  {
    call: chatCompletion,
    summary: 'Answer a conversation, whole or streamed',
    body: requests.chatCompletion,
    errors: ['invalid_value', 'unsupported_value'],
  },
  { call: completion, summary: 'Continue a text, whole or streamed', body: requests.completion },
  { call: embeddings, summary: 'Turn texts into vectors', body: requests.embeddings },
  { call: rerank, summary: 'Order documents by how well they fit a query', body: requests.rerank },
  { call: moderation, summary: 'Tell whether texts or pictures are harmful', body: requests.moderation },
  { call: imageGeneration, summary: 'Make pictures from a text, whole or streamed', body: requests.imageGeneration },
  {
    call: imageEdit,
    summary: 'Change pictures as a text says, whole or streamed',
    body: requests.imageEdit,
    bodyType: 'multipart/form-data',
    errors: ['invalid_multipart'],
  },
  {
    call: transcription,
    summary: 'Write down what is said in a recording, whole or streamed',
    body: requests.transcription,
    bodyType: 'multipart/form-data',
    errors: ['invalid_multipart'],
  },
  { call: speech, summary: 'Read a text aloud, as it is made', body: requests.speech },
  {
    call: responses,
    summary: 'Answer in the Responses API, whole or streamed',
    body: requests.responses,
    errors: [...stateErrors, 'invalid_value', 'unsupported_value'],
  },
  {
    call: responseCompaction,
    summary: 'Make a conversation of the Responses API shorter',
    body: requests.responses,
    errors: stateErrors,
  },
  {
    call: responseInputTokens,
    summary: 'Count the input tokens of a request of the Responses API',
    body: requests.responses,
    errors: stateErrors,
  },
  {
    call: messages,
    summary: "Answer in the wire format of Anthropic's clients, whole or streamed",
    body: requests.messages,
    errors: ['invalid_value', 'unsupported_value', 'thread_unsupported_request'],
    errorResponse: anthropicErrorResponse,
  },
]

/** What reading the body of a call can answer. */
const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_body',
  'missing_model',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
]

const modelCallErrors: readonly ErrorCode[] = [
  ...bodyErrors,
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

interface StoredResponseRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/ai/v1/responses`. */
  readonly path: string
  readonly action: ResponseAction
  readonly summary: string
  readonly query?: z.ZodObject
}

/** What is done with an answer of the Responses API that its provider has stored. */
const storedResponses: readonly StoredResponseRow[] = [
  {
    method: 'GET',
    path: '/:id',
    action: 'retrieve',
    summary: 'A stored response, or the rest of its stream',
    query: z.looseObject({
      stream: z.enum(['true', 'false']).optional().describe('true: as events, of one that was made in the background'),
      starting_after: z.string().optional().describe('The sequence number of the last event that is not wanted again'),
      include: z.string().optional(),
    }),
  },
  { method: 'DELETE', path: '/:id', action: 'delete', summary: 'Delete a stored response' },
  {
    method: 'POST',
    path: '/:id/cancel',
    action: 'cancel',
    summary: 'Stop a response that is made in the background',
  },
  {
    method: 'GET',
    path: '/:id/input_items',
    action: 'input_items',
    summary: 'The input of a stored response',
    query: z.looseObject({
      after: z.string().optional(),
      limit: z.string().optional(),
      order: z.enum(['asc', 'desc']).optional(),
      include: z.string().optional(),
    }),
  },
]

const storedResponseErrors: readonly ErrorCode[] = [
  'response_not_found',
  'model_access_denied',
  'store_unavailable',
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_auth_failed',
  'upstream_invalid_response',
  'upstream_unavailable',
  'upstream_timeout',
]

function storedResponseRoute(gateway: Gateway, { method, path, action, ...docs }: StoredResponseRow): Route<Caller> {
  return {
    method,
    path: `/ai/v1/responses${path}`,
    access: 'inference',
    docs: { tag: 'Inference', ...docs, errors: storedResponseErrors },
    handle: (context, caller) => serveStoredResponse(gateway, context, caller, action),
  }
}

function inferenceRoutes({ gateway }: RouteDeps): Route<Caller>[] {
  const tag = 'Inference'
  return [
    ...modelCalls.map((row) => modelCallRoute(gateway, row)),
    ...storedResponses.map((row) => storedResponseRoute(gateway, row)),
    {
      method: 'POST',
      path: '/ai/v1/messages/count_tokens',
      access: 'inference',
      docs: {
        tag,
        summary: 'Estimate the input tokens of a Messages request',
        body: requests.messages,
        answer: z.object({ input_tokens: z.int() }),
        errors: [
          ...bodyErrors,
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
        answer: z.object({ object: z.literal('list'), data: z.array(model) }),
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
        query: modelQuery,
        answer: model,
        errors: ['model_not_found', 'model_access_denied', 'invalid_query_parameter'],
      },
      handle: (context, caller) => getModel(gateway, context, caller),
    },
  ]
}

/** Shorter than load balancers wait for the answer. */
const pingMaxMs = 2000

/** Whether the database answers soon. */
async function pings(store: Store): Promise<boolean> {
  const answered = await within(
    pingMaxMs,
    store.ping().then(() => true),
  ).catch(() => false)
  return answered ?? false
}

function systemRoutes({ gateway, documents, store, feed, draining }: RouteDeps): Route<Caller>[] {
  const { metrics, recorder, settings } = gateway
  const tag = 'System'
  const renderMetrics = async () => {
    recorder.settle()
    return new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } })
  }
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'public',
      duringDrain: true,
      docs: { tag, summary: 'The process runs', answer: z.object({ status: z.literal('ok') }) },
      handle: () => json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'public',
      duringDrain: true,
      docs: {
        tag,
        summary:
          'The server takes requests: the database answers, or AI requests go on without it, and no stop is under way',
        answer: z.object({
          status: z.enum(['ready', 'outage']).describe('outage: the database does not answer, and AI requests go on'),
          grace_seconds_left: z.number().optional().describe('How long they go on; only with outage'),
        }),
        errors: ['shutting_down', 'store_unavailable', 'storage_full', 'overloaded'],
      },
      handle: async () => {
        if (draining()) throw new ApiError('shutting_down')
        const fault = await documents.storage.check()
        if (fault !== null) throw new ApiError(fault)
        if (feed.standing === 'current' && (await pings(store))) return json({ status: 'ready' })
        const { graceLeftMs } = feed
        if (feed.standing === 'stale' || graceLeftMs === null) throw new ApiError('store_unavailable')
        return json({ status: 'outage', grace_seconds_left: Math.ceil(graceLeftMs / 1000) })
      },
    },
    settings.get('metrics.require_key')
      ? {
          method: 'GET',
          path: '/metrics',
          access: 'admin',
          duringDrain: true,
          docs: { tag, summary: 'Prometheus metrics' },
          handle: renderMetrics,
        }
      : {
          method: 'GET',
          path: '/metrics',
          access: 'public',
          duringDrain: true,
          docs: { tag, summary: 'Prometheus metrics' },
          handle: renderMetrics,
        },
  ]
}

/** The routes of the AI API below `/ai/v1`. */
import { z } from '#lib/schema.ts'
import { efforts } from '#config/declared/routing-forms.ts'
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import { modelBodyErrors, modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from '#http/request-context.ts'
import { errorSchema } from '#http/openapi.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { clientSecretForms, createClientSecret, createRealtimeSession } from './create-client-secret.ts'
import { anthropicError } from './endpoints/answers.ts'
import { deploymentAddress, withAzureAddresses } from './endpoints/azure-addresses.ts'
import type { ModelCall } from './endpoints/model-call.ts'
import { modelCallErrors, modelCalls, type ModelCallRow } from './endpoints/model-call-rows.ts'
import { requests } from './endpoints/requests.ts'
import { errorOfAsker } from './error-of-asker.ts'
import type { Gateway } from './gateway.ts'
import { getModel, listModels } from './models.ts'
import { serveRealtime } from './serve-realtime.ts'
import { serveModelCall } from './serve-model-call.ts'
import { stateRoutes } from './state-routes.ts'
import { serveCountTokens } from './serve-count-tokens.ts'
import { takeoffRoutes } from './takeoff-routes.ts'

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

const eitherError = z
  .object({
    type: z.literal('error').optional().describe("In Anthropic's form only"),
    error: errorSchema.shape.error
      .omit({ current: true })
      .partial({ param: true, code: true })
      .extend({ details: anthropicError.shape.error.shape.details.optional() }),
    request_id: anthropicError.shape.request_id,
  })
  .describe("In Anthropic's form for its clients, else in OpenAI's")
  .meta({ id: 'ModelsError' })

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

/** Calls that their clients do not wait for. */
export interface AsyncCalls {
  takes(call: ModelCall): boolean
  /** Answers 202; refusals as the call itself, by throwing. */
  start(context: RequestContext, caller: Caller, call: ModelCall): Promise<Response>
  /** The body of the 202. */
  readonly answer: z.ZodType
}

export function gatewayRoutes(gateway: Gateway, asyncCalls: AsyncCalls): Route<Caller>[] {
  return [...aiRoutes(gateway, asyncCalls).map(withAzureAddresses), ...takeoffRoutes(gateway)]
}

function aiRoutes(gateway: Gateway, asyncCalls: AsyncCalls): Route<Caller>[] {
  const tag = 'Inference'
  return [
    ...modelCalls.map((row) => modelCallRoute(gateway, row, asyncCalls)),
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
          'file_not_found',
          'inflight_limit_exceeded',
          'store_unavailable',
        ],
      },
      errorResponse: anthropicErrorResponse,
      handle: (context, caller) => serveCountTokens(gateway, context, caller),
    },
    ...realtimeRoutes(gateway),
    ...modelRoutes(gateway),
  ]
}

function modelRoutes(gateway: Gateway): readonly Route<Caller>[] {
  const tag = 'Inference'
  return [
    {
      method: 'GET',
      path: '/ai/v1/models',
      access: 'inference',
      docs: {
        tag,
        summary: 'List the models that the caller can use',
        query: modelsQuery,
        answer: z.union([z.object({ object: z.literal('list'), data: z.array(model) }), anthropicModels]),
        errorAnswer: eitherError,
        errors: ['invalid_group', 'invalid_query_parameter'],
      },
      errorResponse: errorOfAsker,
      handle: (context, caller) => listModels(gateway, context, caller),
    },
    {
      method: 'GET',
      path: '/ai/v1/models/*model',
      access: 'inference',
      docs: {
        tag,
        summary: 'One model by its name or an alias, slashes included',
        operation: 'retrieveModel',
        query: modelQuery,
        answer: z.union([model, anthropicModel]),
        errorAnswer: eitherError,
        errors: ['model_not_found', 'model_access_denied', 'invalid_query_parameter'],
      },
      errorResponse: errorOfAsker,
      handle: (context, caller) => getModel(gateway, context, caller),
    },
  ]
}

function realtimeRoutes(gateway: Gateway): readonly Route<Caller>[] {
  const secretErrors: readonly ErrorCode[] = [
    ...modelBodyErrors,
    'model_access_denied',
    'model_not_found',
    'endpoint_not_supported',
    'store_unavailable',
  ]
  const tag = 'Inference'
  return [
    realtimeRoute(gateway),
    {
      method: 'POST',
      path: '/ai/v1/realtime/client_secrets',
      access: 'inference',
      docs: {
        tag,
        operation: 'createClientSecret',
        summary: 'A short-lived secret with which a page opens realtime sessions with one model',
        body: clientSecretForms.body,
        answer: clientSecretForms.answer,
        errors: secretErrors,
      },
      handle: (context, caller) => createClientSecret(gateway, context, caller),
    },
    {
      method: 'POST',
      path: '/ai/v1/realtime/sessions',
      access: 'inference',
      docs: {
        tag,
        operation: 'createRealtimeSession',
        summary: 'The same for older clients: the secret is in the session',
        body: clientSecretForms.sessionBody,
        answer: clientSecretForms.sessionAnswer,
        errors: secretErrors,
      },
      handle: (context, caller) => createRealtimeSession(gateway, context, caller),
    },
  ]
}

function realtimeRoute(gateway: Gateway): Route<Caller> {
  return {
    method: 'GET',
    path: '/ai/v1/realtime',
    access: 'realtime',
    docs: {
      tag: 'Inference',
      summary: "A WebSocket to a model's provider, for sound and text in both directions",
      query: z.looseObject({
        model: z.string().optional().describe('A model name or alias; that of a client secret when left out'),
      }),
      status: 101,
      errors: [
        'upgrade_required',
        'missing_model',
        'upstream_rejected',
        'model_access_denied',
        'realtime_denied',
        'model_not_found',
        'endpoint_not_supported',
        ...modelErrors,
      ],
    },
    handle: (context, caller) => serveRealtime(gateway, context, caller),
  }
}

function modelCallRoute(gateway: Gateway, row: ModelCallRow, asyncCalls: AsyncCalls): Route<Caller> {
  const { call, path = `/ai/v1/${call.endpoint}`, aliases = [], errors = [], errorResponse, ...docs } = row
  const canWait = asyncCalls.takes(call)
  return {
    method: 'POST',
    path,
    aliases: [...aliases, ...deploymentAddress(call.endpoint)],
    access: 'inference',
    docs: {
      tag: 'Inference',
      ...docs,
      errors: [...modelCallErrors, ...errors],
      ...(canWait && { accepted: asyncCalls.answer }),
    },
    ...(errorResponse && { errorResponse }),
    handle: (context, caller) =>
      canWait && asksAsync(context)
        ? asyncCalls.start(context, caller, call)
        : serveModelCall(gateway, context, caller, call),
  }
}

/** RFC 7240. A model in the address is not in the body, so such a call is made at once, as the RFC allows. */
function asksAsync({ request, params }: RequestContext): boolean {
  const prefer = request.headers.get('prefer')
  return prefer !== null && params['deployment'] === undefined && /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(prefer)
}

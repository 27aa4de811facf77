/** The routes of the AI API below `/ai/v1`. */
import { z } from 'zod'
import { efforts } from '#config/declared/routing-forms.ts'
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import { modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { deploymentAddress, withAzureAddresses } from './endpoints/azure-addresses.ts'
import { countMessageTokens } from './endpoints/messages.ts'
import { bodyErrors, modelCallErrors, modelCalls, type ModelCallRow } from './endpoints/model-call-rows.ts'
import { requests } from './endpoints/requests.ts'
import type { Gateway } from './gateway.ts'
import { getModel, listModels } from './models.ts'
import { serveRealtime } from './serve-realtime.ts'
import {
  addConversationItems,
  conversationBodies,
  conversationObject,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  serveConversation,
  updateConversation,
} from './serve-conversation.ts'
import { serveModelCall } from './serve-model-call.ts'
import { serveStoredResponse, type ResponseAction } from './serve-stored-response.ts'

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

export function gatewayRoutes(gateway: Gateway): Route<Caller>[] {
  return aiRoutes(gateway).map(withAzureAddresses)
}

function aiRoutes(gateway: Gateway): Route<Caller>[] {
  const tag = 'Inference'
  return [
    ...modelCalls.map((row) => modelCallRoute(gateway, row)),
    ...storedResponses.map((row) => storedResponseRoute(gateway, row)),
    ...conversationRoutes(gateway),
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
    realtimeRoute(gateway),
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

function realtimeRoute(gateway: Gateway): Route<Caller> {
  return {
    method: 'GET',
    path: '/ai/v1/realtime',
    access: 'inference',
    docs: {
      tag: 'Inference',
      summary: "A WebSocket to a model's provider, for sound and text in both directions",
      query: z.looseObject({ model: z.string().describe('A model name or alias') }),
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

function modelCallRoute(gateway: Gateway, row: ModelCallRow): Route<Caller> {
  const { call, path = `/ai/v1/${call.endpoint}`, aliases = [], errors = [], errorResponse, ...docs } = row
  return {
    method: 'POST',
    path,
    aliases: [...aliases, ...deploymentAddress(call.endpoint)],
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
  'invalid_body',
  'invalid_query_parameter',
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

const conversationErrors: readonly ErrorCode[] = ['conversation_not_found', 'store_unavailable']

const itemPage = z.object({
  after: z.string().optional().describe('The id of the item before the page'),
  limit: z.string().optional().describe('1 to 100; 20 when left out'),
  order: z.enum(['asc', 'desc']).optional().describe('desc when left out: the newest first'),
})

interface ConversationRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/ai/v1/conversations/:id`. */
  readonly path: string
  readonly summary: string
  readonly handle: Parameters<typeof serveConversation>[3]
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly answer?: z.ZodType
  readonly errors?: readonly ErrorCode[]
}

const anItem = z.looseObject({ id: z.string(), type: z.string() })
const someItems = z.object({
  object: z.literal('list'),
  data: z.array(anItem),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})
const conversationBodyErrors = bodyErrors.filter((code) => code !== 'missing_model')

/** What is done with a conversation that the gateway keeps. */
const conversations: readonly ConversationRow[] = [
  { method: 'GET', path: '', summary: 'A conversation', handle: getConversation, answer: conversationObject },
  {
    method: 'POST',
    path: '',
    summary: 'Change the metadata of a conversation',
    handle: updateConversation,
    body: conversationBodies.update,
    answer: conversationObject,
    errors: conversationBodyErrors,
  },
  { method: 'DELETE', path: '', summary: 'Delete a conversation with its items', handle: deleteConversation },
  {
    method: 'GET',
    path: '/items',
    summary: 'The items of a conversation',
    handle: listConversationItems,
    query: itemPage,
    answer: someItems,
    errors: ['invalid_query_parameter'],
  },
  {
    method: 'POST',
    path: '/items',
    summary: 'Add items to a conversation',
    handle: addConversationItems,
    body: conversationBodies.add,
    answer: someItems,
    errors: conversationBodyErrors,
  },
  {
    method: 'GET',
    path: '/items/:item',
    summary: 'An item of a conversation',
    handle: getConversationItem,
    answer: anItem,
    errors: ['item_not_found'],
  },
  {
    method: 'DELETE',
    path: '/items/:item',
    summary: 'Delete an item of a conversation',
    handle: deleteConversationItem,
    answer: conversationObject,
    errors: ['item_not_found'],
  },
]

function conversationRoutes(gateway: Gateway): readonly Route<Caller>[] {
  const tag = 'Inference'
  return [
    {
      method: 'POST',
      path: '/ai/v1/conversations',
      access: 'inference',
      docs: {
        tag,
        summary: 'Begin a conversation that the gateway keeps, for responses of any model',
        body: conversationBodies.create,
        answer: conversationObject,
        errors: [...conversationBodyErrors, 'store_unavailable'],
      },
      handle: (context, caller) => createConversation(gateway, context, caller),
    },
    ...conversations.map(({ method, path, handle, errors = [], ...docs }): Route<Caller> => ({
      method,
      path: `/ai/v1/conversations/:id${path}`,
      access: 'inference',
      docs: { tag, ...docs, errors: [...conversationErrors, ...errors] },
      handle: (context, caller) => serveConversation(gateway, context, caller, handle),
    })),
  ]
}

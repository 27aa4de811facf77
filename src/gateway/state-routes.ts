/** The routes of what the AI API keeps between requests: stored responses and conversations. */
import { z } from '#lib/schema.ts'
import { modelBodyErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { answers } from './endpoints/answers.ts'
import type { Gateway } from './gateway.ts'
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
import { serveStoredResponse, type ResponseAction } from './serve-stored-response.ts'

const tag = 'Inference'

interface StoredResponseRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/ai/v1/responses`. */
  readonly path: string
  readonly action: ResponseAction
  readonly summary: string
  readonly query?: z.ZodObject
  readonly answer: z.ZodType
  readonly events?: z.ZodType
}

/** What is done with an answer of the Responses API that its provider has stored. */
const storedResponses: readonly StoredResponseRow[] = [
  {
    method: 'GET',
    path: '/:id',
    action: 'retrieve',
    ...answers.responses,
    summary: 'A stored response, or the rest of its stream',
    query: z.looseObject({
      stream: z.enum(['true', 'false']).optional().describe('true: as events, of one that was made in the background'),
      starting_after: z.string().optional().describe('The sequence number of the last event that is not wanted again'),
      include: z.string().optional(),
    }),
  },
  { method: 'DELETE', path: '/:id', action: 'delete', summary: 'Delete a stored response', ...answers.deleted },
  {
    method: 'POST',
    path: '/:id/cancel',
    action: 'cancel',
    answer: answers.responses.answer,
    summary: 'Stop a response that is made in the background',
  },
  {
    method: 'GET',
    path: '/:id/input_items',
    action: 'input_items',
    ...answers.inputItems,
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
    docs: { tag, ...docs, errors: storedResponseErrors },
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
  readonly operation?: string
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
const conversationBodyErrors = modelBodyErrors.filter((code) => code !== 'missing_model')

/** What is done with a conversation that the gateway keeps. */
const conversations: readonly ConversationRow[] = [
  { method: 'GET', path: '', summary: 'A conversation', handle: getConversation, answer: conversationObject },
  {
    method: 'POST',
    path: '',
    summary: 'Change the metadata of a conversation',
    operation: 'updateConversation',
    handle: updateConversation,
    body: conversationBodies.update,
    answer: conversationObject,
    errors: conversationBodyErrors,
  },
  {
    method: 'DELETE',
    path: '',
    summary: 'Delete a conversation with its items',
    handle: deleteConversation,
    ...answers.deleted,
  },
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
    operation: 'createConversationItems',
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

/** Rows of the route table. */
export function stateRoutes(gateway: Gateway): readonly Route<Caller>[] {
  return [
    ...storedResponses.map((row) => storedResponseRoute(gateway, row)),
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

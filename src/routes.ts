/**
 * The route table: every address of Sluice, who may call it, and the story that answers. The
 * OpenAPI document is made from these rows.
 */
import { z } from 'zod'
import { efforts } from '#config/routing-forms.ts'
import { ApiError } from '#errors/api-error.ts'
import { chatCompletion } from '#gateway/chat-completions.ts'
import { serveModelCall } from '#gateway/model-call.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { getModel, listModels } from '#gateway/models.ts'
import { docsPage } from '#http/docs-page.ts'
import { openApiDocument, type OpenApiDocument } from '#http/openapi.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { Store } from '#store/store.ts'

export interface RouteDeps {
  readonly gateway: Gateway
  readonly store: Store
  readonly feed: ChangeFeed
  readonly admin: readonly Route<Caller>[]
  readonly version: string
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

const chatRequest = z
  .looseObject({
    model: z.string().describe('A model name or alias'),
    messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).min(1),
    stream: z.boolean().nullish().describe('true: the answer comes as server-sent events'),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  })
  .meta({ id: 'ChatCompletionRequest', description: 'Fields that are not listed go to the model provider unchanged.' })

export function routeTable(deps: RouteDeps): readonly Route<Caller>[] {
  const routes: Route<Caller>[] = [...inferenceRoutes(deps), ...systemRoutes(deps), ...deps.admin]
  // Made when it is first asked for: it takes tens of milliseconds, and the table does not change.
  let made: OpenApiDocument | undefined
  const document = () => (made ??= openApiDocument(routes, { title: 'Sluice', version: deps.version }))
  const about = { tag: 'System', errors: [] }
  routes.push(
    {
      method: 'GET',
      path: '/',
      access: 'public',
      docs: { ...about, summary: 'Leads to the page about this API', status: 302 },
      story: () => new Response(null, { status: 302, headers: { location: '/docs' } }),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      docs: { ...about, summary: 'This API as an OpenAPI 3.1 document' },
      story: () => json(document()),
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      docs: { ...about, summary: 'This API as a page to read' },
      story: () => docsPage(document()),
    },
  )
  return routes
}

function inferenceRoutes({ gateway }: RouteDeps): Route<Caller>[] {
  const tag = 'Inference'
  return [
    {
      method: 'POST',
      path: '/ai/v1/chat/completions',
      access: 'inference',
      docs: {
        tag,
        summary: 'Answer a conversation, whole or streamed',
        body: chatRequest,
        errors: [
          'invalid_json',
          'invalid_body',
          'missing_model',
          'invalid_value',
          'unsupported_value',
          'realtime_denied',
          'upstream_rejected',
          'model_access_denied',
          'realtime_denied',
          'model_not_found',
          'body_timeout',
          'request_too_large',
          'unsupported_media_type',
          'inflight_limit_exceeded',
          'upstream_rate_limited',
          'upstream_error',
          'upstream_auth_failed',
          'upstream_invalid_response',
          'upstream_unavailable',
          'upstream_timeout',
        ],
      },
      story: (exchange, caller) => serveModelCall(gateway, exchange, caller, chatCompletion),
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
      story: (exchange, caller) => listModels(gateway, exchange, caller),
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
      story: (exchange, caller) => getModel(gateway, exchange, caller),
    },
  ]
}

function systemRoutes({ gateway, store, feed, draining }: RouteDeps): Route<Caller>[] {
  const { metrics, settings } = gateway
  const tag = 'System'
  const renderMetrics = async () =>
    new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } })
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'public',
      duringDrain: true,
      docs: { tag, summary: 'The process runs', answer: z.object({ status: z.literal('ok') }) },
      story: () => json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'public',
      duringDrain: true,
      docs: {
        tag,
        summary: 'The server takes requests: the database answers and no stop is under way',
        answer: z.object({ status: z.literal('ready') }),
        errors: ['shutting_down', 'store_unavailable'],
      },
      story: async () => {
        if (draining()) throw new ApiError('shutting_down')
        if (!feed.connected) throw new ApiError('store_unavailable')
        await store.ping().catch((cause: unknown) => Promise.reject(new ApiError('store_unavailable', { cause })))
        return json({ status: 'ready' })
      },
    },
    settings.get('metrics.require_key')
      ? {
          method: 'GET',
          path: '/metrics',
          access: 'admin',
          duringDrain: true,
          docs: { tag, summary: 'Prometheus metrics' },
          story: renderMetrics,
        }
      : {
          method: 'GET',
          path: '/metrics',
          access: 'public',
          duringDrain: true,
          docs: { tag, summary: 'Prometheus metrics' },
          story: renderMetrics,
        },
  ]
}

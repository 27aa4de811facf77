/**
 * The route table: every address of Sluice, who may call it, and the handler that answers. The
 * OpenAPI document is made from these rows.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ConsoleFiles } from '#console/console-files.ts'
import { serveConsolePage } from '#console/serve-console.ts'
import type { Batches } from '#batches/batches.ts'
import { asyncCalls, batchRoutes } from '#batches/routes.ts'
import type { Documents } from '#documents/documents.ts'
import { mcpRoute } from '#documents/mcp/mcp-route.ts'
import { documentRoutes } from '#documents/routes.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { gatewayRoutes } from '#gateway/routes.ts'
import type { Generation } from '#generation/generation.ts'
import { generationRoutes } from '#generation/routes.ts'
import { docsPage, docsPageHtml } from '#http/docs-page.ts'
import { openApiDocument, type OpenApiDocument } from '#http/openapi.ts'
import { json, jsonText } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { within } from '#lib/within.ts'
import { joinedExposition, type OtherWorkers } from '#observe/other-workers.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { Store } from '#store/store.ts'

export interface RouteDeps {
  readonly gateway: Gateway
  readonly generation: Generation
  readonly documents: Documents
  readonly batches: Batches
  readonly store: Store
  readonly feed: ChangeFeed
  readonly admin: readonly Route<Caller>[]
  readonly version: string
  /** Null where the console is not built. */
  readonly consoleFiles: ConsoleFiles | null
  /** Null in a process that has its port to itself. */
  readonly otherWorkers: OtherWorkers | null
  readonly draining: () => boolean
}

export function routeTable(deps: RouteDeps): readonly Route<Caller>[] {
  const routes: Route<Caller>[] = [
    ...gatewayRoutes(deps.gateway, asyncCalls(deps.batches)),
    ...generationRoutes(deps.generation),
    ...documentRoutes(deps.documents),
    mcpRoute(deps.documents, deps.version),
    ...batchRoutes(deps.batches),
    ...systemRoutes(deps),
    ...deps.admin,
  ]
  // Made when they are first asked for, and once: the table does not change.
  let made: Promise<OpenApiDocument> | undefined
  const document = () => (made ??= openApiDocument(routes, { title: 'Sluice', version: deps.version }))
  let text: Promise<string> | undefined
  const documentText = () => (text ??= document().then((value) => JSON.stringify(value)))
  let page: Promise<string> | undefined
  const pageHtml = () => (page ??= document().then(docsPageHtml))
  const about = { tag: 'System', errors: [] }
  routes.push(
    {
      method: 'GET',
      path: '/',
      access: 'public',
      docs: {
        ...about,
        operation: 'getConsole',
        media: ['text/html'],
        moreStatuses: [302, 304],
        summary: 'The web console; where it is not built, leads to the page about this API',
      },
      handle: ({ request }) =>
        (deps.consoleFiles && serveConsolePage(deps.consoleFiles, request)) ??
        new Response(null, { status: 302, headers: { location: '/docs' } }),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      docs: {
        ...about,
        operation: 'getOpenApi',
        answer: z.looseObject({ openapi: z.string() }),
        summary: 'This API as an OpenAPI 3.1 document',
      },
      handle: async () => jsonText(await documentText()),
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      docs: { ...about, operation: 'getDocs', media: ['text/html'], summary: 'This API as a page to read' },
      handle: async () => docsPage(await pageHtml()),
    },
  )
  return routes
}

async function metricsAnswer(gateway: Gateway, otherWorkers: OtherWorkers | null): Promise<Response> {
  const own = exposition(gateway)
  const text = otherWorkers === null ? await own : await joinedExposition(own, otherWorkers)
  return new Response(text, { headers: { 'content-type': gateway.metrics.contentType } })
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

/** The metrics of this process alone. */
export async function exposition({ recorder, metrics }: Gateway): Promise<string> {
  recorder.settle()
  return metrics.render()
}

function systemRoutes({ gateway, documents, store, feed, draining, otherWorkers }: RouteDeps): Route<Caller>[] {
  const { settings } = gateway
  const tag = 'System'
  const renderMetrics = async () => metricsAnswer(gateway, otherWorkers)
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
          docs: { tag, operation: 'getMetrics', media: ['text/plain'], summary: 'Prometheus metrics' },
          handle: renderMetrics,
        }
      : {
          method: 'GET',
          path: '/metrics',
          access: 'public',
          duringDrain: true,
          docs: { tag, operation: 'getMetrics', media: ['text/plain'], summary: 'Prometheus metrics' },
          handle: renderMetrics,
        },
  ]
}

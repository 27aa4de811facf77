/**
 * A gateway object beside that of a running app, over the same catalog and the same upstream, for
 * tests of what the app itself wires: calls in this process, and chats with a search that the test
 * writes. Its server has one route.
 */
import { BudgetLedger } from '#budgets/budget-ledger.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import { chatCompletion } from '#gateway/endpoints/chat-completions.ts'
import type { Retrieve } from '#gateway/grounding/retrieve.ts'
import { EmbeddingBatcher } from '#gateway/embeddings/embedding-batcher.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { RateLimits } from '#gateway/admission/rate-limits.ts'
import { CapQueue } from '#limits/cap-queue.ts'
import { LocalInflightLimiter } from '#limits/inflight.ts'
import { RateBuckets, wholeParts } from '#limits/rate-buckets.ts'
import { serveModelCall } from '#gateway/serve-model-call.ts'
import { ContentLog } from '#gateway/content/content-log.ts'
import { LiveRequests } from '#gateway/usage/live-requests.ts'
import { UsageRecorder } from '#gateway/usage/usage-recorder.ts'
import { BackgroundResponses } from '#gateway/responses/background-responses.ts'
import { KeptResponses } from '#gateway/responses/kept-responses.ts'
import { ResponseRegistry } from '#gateway/responses/response-registry.ts'
import { PrefixAffinity } from '#gateway/upstreams/affinity.ts'
import { UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import { HttpServer } from '#http/server.ts'
import { ClientSecrets } from '#identity/client-secret.ts'
import { priorities, type Caller } from '#identity/records.ts'
import { systemClock as clock } from '#lib/clock.ts'
import { ByteBudget } from '#lib/byte-budget.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { sealer } from '#lib/seal.ts'
import { Ticker } from '#lib/ticker.ts'
import { createLogger } from '#observe/log.ts'
import { createMetrics } from '#observe/metrics.ts'
import { ProviderPool } from '#providers/registry.ts'
import { LocalFeed } from '#replica/change-feed.ts'
import { LastUsed } from '#replica/last-used.ts'
import { createAuthorize } from '#src/authorize.ts'
import { errorCatalogue } from '#errors/catalogue.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { recordsOf } from '#test/support/store/usage-batch.ts'
import { messages, type ChatOptions, type GatewayApp } from './gateway-app.ts'

export interface GatewayBeside extends AsyncDisposable {
  readonly gateway: Gateway
  /** Without a path. */
  readonly url: string
  /** Ends running requests as a stop does. */
  readonly shutdown: AbortController
  /** The usage rows so far, the oldest first. */
  rows(): Promise<readonly UsageRecord[]>
  /** POST /ai/v1/chat/completions of this gateway: fields over those of a small request, or a body as it is. */
  chat(fields?: object | string, options?: ChatOptions): Promise<Response>
}

/** Opens it; disposing closes it, before the app. */
export function gatewayBeside(
  { app, keys, store }: GatewayApp,
  { retrieve = null, set = [] }: { readonly retrieve?: Retrieve | null; readonly set?: readonly string[] } = {},
): GatewayBeside {
  using opening = new DisposableStack()
  const config = loadConfig({ environment: {}, directory: '/', overrides: set })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const settings = new LiveSettings(config.settings, config.sources)
  const logger = createLogger({ level: 'silent', format: 'json', clock, write: () => {} })
  const metrics = createMetrics({ version: '0.0.0', codes: Object.keys(errorCatalogue) })
  const written: UsageRecord[] = []
  const recorder = new UsageRecorder({
    metrics,
    write: async (batch) => void written.push(...recordsOf(batch)),
    queueMax: 1000,
    journal: null,
  })
  const ticker = opening.use(new Ticker())
  const shutdown = new AbortController()
  const onError = (): void => {}
  const { keptResponses: kept, conversations } = store
  const keptResponses = new KeptResponses({ responses: kept, conversations, settings, clock, onError })
  const inflight = new LocalInflightLimiter()
  const clientSecrets = new ClientSecrets(sealer(new Uint8Array(32)))
  const gateway: Gateway = {
    settings,
    findFile: null,
    searchFiles: null,
    catalog: () => app.state.catalog,
    callerNow: (caller) => caller,
    clientSecrets,
    providers: new ProviderPool(opening.use(new Http1Client({ clock, ticker }))),
    embeddingBatcher: new EmbeddingBatcher(() => ({ batchMs: 0, itemsMax: 64, answerBytesMax: 1_000_000 })),
    retrieve,
    bodies: new ByteBudget(settings.get('server.bytes_in_flight')),
    inflight,
    caps: new CapQueue({
      slots: inflight,
      clock,
      levels: priorities.length,
      lengthMax: () => settings.get('limits.queue.length'),
      limitOf: (cap) => app.state.catalog.concurrencyLimit(cap),
      shutdown: shutdown.signal,
    }),
    rates: new RateLimits(settings, new RateBuckets(clock, wholeParts), (id) => app.state.directory.groupName(id)),
    budgets: new BudgetLedger({ place: store.budgetPlace, clock, onFailure: onError }),
    affinity: new PrefixAffinity(),
    health: new UpstreamHealth(() => ({ failuresToEject: 100, ejectionMs: 1000, ejectionMaxMs: 1000 }), clock),
    recorder,
    live: new LiveRequests({ recorder, channel: null }),
    contentLog: new ContentLog({
      settings,
      store: store.contentLogs,
      prepare: () => Promise.reject(new Error('no content is logged here')),
      groupName: () => undefined,
      onDropped: () => {},
    }),
    responses: new ResponseRegistry({ store: store.responses, onError: () => {} }),
    keptResponses,
    background: new BackgroundResponses({
      kept: keptResponses,
      settings,
      now: () => Promise.resolve(clock.now()),
      onError,
    }),
    metrics,
    ticker,
    clock,
    logger,
    shutdown: shutdown.signal,
  }
  const server = serverOf(gateway, app)
  const { port } = server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${port}`
  const resources = opening.move()
  return {
    gateway,
    url,
    shutdown,
    async rows() {
      await recorder.flush()
      return written
    },
    chat(fields = {}, { key = keys.main, headers = {}, signal } = {}) {
      const body = typeof fields === 'string' ? fields : JSON.stringify({ model: 'plain', messages, ...fields })
      return fetch(`${url}/ai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key?.secret}`, ...headers },
        body,
        ...(signal !== undefined && { signal }),
      })
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      resources.dispose()
    },
  }
}

function serverOf(gateway: Gateway, { state }: GatewayApp['app']): HttpServer<Caller> {
  const authorize = createAuthorize({
    directory: state.directory,
    clientSecrets: gateway.clientSecrets,
    feed: new LocalFeed(state),
    session: () => null,
    lastUsed: new LastUsed(async () => {}),
    anonymousUser: () => null,
    clock,
    refused: () => {},
  })
  return new HttpServer<Caller>({
    routes: [
      {
        method: 'POST',
        path: '/ai/v1/chat/completions',
        access: 'inference',
        docs: { tag: 'test', summary: 'Of a test.' },
        handle: (context, caller) => serveModelCall(gateway, context, caller, chatCompletion),
      },
    ],
    authorize,
    accessOfUnknownPath: () => 'public',
    clock,
    logger: gateway.logger,
    idleSeconds: 10,
    keepAliveSeconds: 75,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  })
}

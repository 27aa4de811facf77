/**
 * The composition root: it constructs what the areas share, and gives each area its parts; what only the
 * documents need, `open-documents.ts` constructs. Resources are opened in order and
 * closed in reverse; if one cannot be opened, those before it are closed again.
 */
import { randomBytes } from 'node:crypto'
import { createAuthorize } from './authorize.ts'
import { adminRoutes } from '#admin/routes.ts'
import { sessionCaller } from '#admin/session/session.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ConsoleFiles } from '#console/console-files.ts'
import { serveConsole } from '#console/serve-console.ts'
import { errorCatalogue } from '#errors/catalogue.ts'
import { EmbeddingBatcher, type BatchOptions } from '#gateway/embeddings/embedding-batcher.ts'
import { adviceFor } from '#gateway/advice.ts'
import { errorOfAsker } from '#gateway/error-of-asker.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { anonymousUser } from '#generation/anonymous-user.ts'
import { ModelGates } from '#generation/fair-gate.ts'
import { FlavourRegistry } from '#generation/upstream/flavour.ts'
import type { Generation } from '#generation/generation.ts'
import { RateLimits } from '#gateway/admission/rate-limits.ts'
import { findingServers, type Names } from '#gateway/upstreams/find-servers.ts'
import { healthWork } from '#gateway/health-work.ts'
import { statusOf, writeStatus } from '#gateway/process-status.ts'
import { Session } from '#gateway/session.ts'
import { PrefixAffinity } from '#gateway/upstreams/affinity.ts'
import { healthOptions, UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import { HttpServer } from '#http/server.ts'
import { callerNow } from '#identity/authenticate.ts'
import { ClientSecrets } from '#identity/client-secret.ts'
import type { Caller } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { readNetwork } from '#lib/ip-network.ts'
import { Loop } from '#lib/loop.ts'
import { sealer, type Sealer } from '#lib/seal.ts'
import { within } from '#lib/within.ts'
import { Ticker } from '#lib/ticker.ts'
import type { Sources } from '#documents/sources/sources.ts'
import type { Logger } from '#observe/log.ts'
import type { OtherWorkers } from '#observe/other-workers.ts'
import { createMetrics } from '#observe/metrics.ts'
import { ProviderPool } from '#providers/registry.ts'
import { LocalFeed, type ChangeFeed } from '#replica/change-feed.ts'
import { LastUsed } from '#replica/last-used.ts'
import { Leader } from '#replica/leader.ts'
import { LiveState } from '#replica/live-state.ts'
import { PostgresFeed } from '#replica/postgres-feed.ts'
import type { Store } from '#store/store.ts'
import { batchUpkeep, contentOf, openBatches, type OpenBatches } from './open-batches.ts'
import { openDocuments, type OpenDocuments } from './open-documents.ts'
import { exportingUsage } from './open-exports.ts'
import { openLimits } from './open-limits.ts'
import { moneyWork, openBudgets } from './open-money.ts'
import { openKept, openRegistry } from './open-responses.ts'
import { openContentLog, openUsage, type OpenUsage } from './open-usage.ts'
import { openSources } from './open-sources.ts'
import { openWebhooks, type OpenWebhooks } from './open-webhooks.ts'
import { purge } from './purge.ts'
import { exposition, routeTable } from './routes.ts'

export interface AppOptions {
  readonly settings: LiveSettings
  /** Open and migrated; the app closes it. */
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
  /** Seals what browsers keep for the server. Left out: under a key of this process alone. */
  readonly sealer?: Sealer
  /** The built web console; null or left out: the server has none. */
  readonly consoleFiles?: ConsoleFiles | null
  /** Where usage records wait for the database; left out: in memory alone. */
  readonly journalDirectory?: string
  /** The proxies to providers; none when left out. */
  readonly proxyFor?: ProxyFor
  /** Where names of hosts lead; the machine's own name servers when left out. */
  readonly names?: Names
  /** The processes that share the port with this one; left out: it has the port to itself. */
  readonly otherWorkers?: OtherWorkers
}

export interface App {
  readonly state: LiveState
  /** Opens the port of the settings and the control socket, when a path is given. */
  listen(controlSocket?: string): { readonly host: string; readonly port: number }
  /** Answers a request of the operator without a socket. */
  handleTrusted(request: Request): Promise<Response>
  /** The metrics of this process alone. */
  exposition(): Promise<string>
  /** Stops taking requests, waits for the running ones, ends the rest, and closes everything. Idempotent. */
  close(): Promise<void>
}

const minuteMs = 60_000
const secondMs = 1000
const upgradeRetryMs = 5000
const abandonedCheckMs = 5000
const drainPollMs = 20
const countsMaxMs = 2000

/** Builds everything. On failure what was opened is closed again, the store included. */
export async function openApp(options: AppOptions): Promise<App> {
  const { settings, store } = options
  await using opening = new AsyncDisposableStack()
  opening.defer(() => store.close())
  const parts = await openParts(options, opening)
  startLoops(options, parts, opening)
  const server = createServer(options, parts)
  opening.defer(() => server.close())
  opening.defer(() =>
    drain(() => server.underWay + parts.gateway.background.underWay, server, parts.shutdown, settings),
  )

  const resources = opening.move()
  let closing: Promise<void> | undefined
  return {
    state: parts.state,
    listen(controlSocket) {
      parts.documents.start()
      parts.batches.start()
      parts.webhooks.start()
      const host = settings.get('server.host')
      const shared = options.otherWorkers !== undefined
      const { port } = server.listen({ host, port: settings.get('server.port'), shared })
      if (controlSocket !== undefined) server.listenOnSocket(controlSocket)
      return { host, port }
    },
    handleTrusted: (request) => server.handleTrusted(request),
    exposition: () => exposition(parts.gateway),
    close: () => (closing ??= resources.disposeAsync()),
  }
}

/** What the loops and the server work with. */
interface Parts {
  readonly state: LiveState
  readonly feed: ChangeFeed
  /** Which process does what one does for all. */
  readonly leader: Leader
  readonly lastUsed: LastUsed
  readonly tendJournals: OpenUsage['tendJournals']
  readonly gateway: Gateway
  readonly generation: Generation
  readonly documents: OpenDocuments
  readonly batches: OpenBatches
  readonly webhooks: OpenWebhooks
  readonly sources: Sources
  readonly shutdown: AbortController
}

/** The calls that documents make have no sources themselves, so the documents come between two gateways. */
async function openParts(options: AppOptions, opening: AsyncDisposableStack): Promise<Parts> {
  const { settings, store, clock, logger, version, proxyFor } = options
  const state = new LiveState(store.live, settings, logger)
  const feed = opening.use(await openFeed(options, state))
  const leader = opening.use(new Leader({ locks: store.leaderLocks, logger }))
  const metrics = createMetrics({ version, codes: Object.keys(errorCatalogue), genAi: settings.get('metrics.gen_ai') })
  // A database that is gone must not keep the stop from closing the rest.
  const flushed = (what: string, flush: Promise<void>): Promise<void> =>
    flush.catch((error: unknown) => logger.error(`${what} could not be written at the stop`, { error }))
  const lastUsed = new LastUsed((touches) => store.keys.touch(touches))
  opening.defer(() => flushed('when keys were last used', lastUsed.flush()))
  const budgets = openBudgets(options, opening)
  const { recorder, traces, tendJournals, live } = openUsage(options, metrics, opening)
  opening.defer(() => flushed('usage records', recorder.flush()))

  const responses = openRegistry(options)
  opening.defer(() => flushed('which provider holds a response', responses.flush()))
  const [ticker, shutdown] = [opening.use(new Ticker()), new AbortController()]
  const providers = new ProviderPool(opening.use(new Http1Client({ clock, ticker, ...(proxyFor && { proxyFor }) })))
  const limits = await openLimits({ ...options, state, feed, shutdown: shutdown.signal }, opening)
  const groupName = (id: string): string | undefined => state.directory.groupName(id)
  const withoutDocuments: Gateway = {
    settings,
    retrieve: null,
    searchFiles: null,
    findFile: null,
    catalog: () => state.catalog,
    callerNow: (caller) => callerNow(caller, state.directory, clock.now()),
    clientSecrets: new ClientSecrets(options.sealer ?? sealer(randomBytes(32))),
    providers,
    embeddingBatcher: new EmbeddingBatcher(() => batchOptions(settings)),
    ...limits,
    rates: new RateLimits(settings, limits.rates, groupName),
    budgets,
    health: new UpstreamHealth(() => healthOptions(settings), clock),
    affinity: new PrefixAffinity(),
    recorder,
    live,
    contentLog: openContentLog({ settings, store, logger, groupName }, metrics, opening),
    responses,
    ...openKept(options),
    metrics,
    ticker,
    clock,
    logger,
    shutdown: shutdown.signal,
  }
  const documents = openDocuments({ ...options, state, leader, traces, gateway: withoutDocuments }, opening)
  const gateway: Gateway = { ...withoutDocuments, ...contentOf(store, documents, withoutDocuments) }
  const batches = openBatches({ store, state, gateway, documents: documents.documents }, opening)
  const generation = generationOf(gateway)
  const webhooks = openWebhooks({ store, gateway, feed, leader, proxyFor }, opening)
  watchGauges(store, { state, feed, leader, gateway, webhooks })
  const sources = openSources({ store, state, gateway, documents: documents.documents, leader, proxyFor }, opening)
  const working = { documents, batches, webhooks, sources, generation }
  return { state, feed, leader, lastUsed, tendJournals, gateway, ...working, shutdown }
}

function generationOf(gateway: Gateway): Generation {
  const { settings, providers, bodies, clock, ticker } = gateway
  return {
    settings,
    begin: (context, caller, endpoint) => new Session(gateway, context, caller, endpoint),
    providers,
    flavours: new FlavourRegistry(clock),
    gates: new ModelGates(() => settings.get('generation.model_concurrency')),
    bodies,
    ticker,
  }
}

type Watched = Pick<Parts, 'state' | 'feed' | 'leader' | 'gateway' | 'webhooks'>

/** What the metrics and the other processes are told. */
function watchGauges(store: Store, { state, feed, leader, gateway, webhooks }: Watched): void {
  feed.tell(() => writeStatus(statusOf(gateway)))
  gateway.metrics.watch({
    inflight: () => inflightByName(gateway),
    queued: () => gateway.caps.waiting(),
    bodies: () => gateway.bodies,
    usageQueueDepth: () => gateway.recorder.depth,
    documents: () => documentCounts(store, leader),
    webhooksWaiting: () => webhooks.waiting(),
    outageSeconds: () => (feed.standing === 'current' ? 0 : feed.ageMs / 1000),
    changesInDoubt: () => state.inDoubt,
  })
}

function startLoops(options: AppOptions, parts: Parts, opening: AsyncDisposableStack): void {
  const { settings, store, clock, logger } = options
  const { state, feed, leader, lastUsed, tendJournals, gateway, documents } = parts
  const background = (what: string, intervalMs: number, work: () => Promise<void>): Loop =>
    opening.use(new Loop({ intervalMs, work, onError: (error) => logger.error(`${what} failed`, { error }) }))
  background('reading changes again', secondMs, () => state.readAgain())
  background('writing usage records', settings.get('usage.flush_milliseconds'), () => gateway.recorder.flush())
  background('writing when keys were last used', minuteMs, () => lastUsed.flush())
  background('writing which provider holds a response', secondMs, () => gateway.responses.flush())
  background('writing responses in the background', secondMs, () => gateway.background.beat())
  background('ending abandoned responses', abandonedCheckMs, () => gateway.background.endAbandoned())
  const money = moneyWork({ store, state, feed, settings, clock, logger, gateway })
  for (const [what, work] of [...money, ...healthWork(gateway, feed, clock)]) background(what, secondMs, work)
  background(
    'looking up the servers of providers',
    secondMs,
    findingServers({ ...options, state, health: gateway.health }),
  )
  if (tendJournals !== null) background('reading usage journals', secondMs, tendJournals)
  background('summing up usage records', secondMs, async () => {
    await leader.run('summing up usage records', () => store.usage.catchUp(clock.now()))
  })
  background('finishing an upgrade of the schema', upgradeRetryMs, async () => void (await store.finishUpgrade()))
  background('removing old files and batches', minuteMs, batchUpkeep({ store }, parts.batches, leader))
  background('exporting usage', secondMs, exportingUsage({ ...options, state, leader, documents: documents.documents }))
  background('purging old records', minuteMs, async () => {
    await leader.run('purging old records', () => purge(store, settings, clock))
  })
}

function createServer(options: AppOptions, parts: Parts): HttpServer<Caller> {
  const { settings, store, clock, logger, version, consoleFiles = null } = options
  const { state, feed, lastUsed, gateway, generation, documents, batches } = parts
  const authorize = createAuthorize({
    directory: state.directory,
    clientSecrets: gateway.clientSecrets,
    feed,
    session: (context) => sessionCaller({ store, directory: state.directory, clock, settings }, context),
    lastUsed,
    anonymousUser: (request) => anonymousUser(settings, request),
    clock,
    refused: (error, context) => gateway.metrics.refused(context.path, error),
  })
  const admin = adminRoutes({
    ...options,
    ...parts,
    ...gateway,
    webhooks: parts.webhooks.webhooks,
    openExportFile: (address) => documents.documents.blobs.open(address),
    sealer: options.sealer ?? sealer(randomBytes(32)),
    draining: () => server.stopping,
  })
  const server: HttpServer<Caller> = new HttpServer({
    routes: routeTable({
      gateway,
      generation,
      documents: documents.documents,
      batches: batches.batches,
      store,
      feed,
      admin,
      version,
      consoleFiles,
      otherWorkers: options.otherWorkers ?? null,
      draining: () => server.stopping,
    }),
    authorize,
    accessOfUnknownPath,
    corsOrigins: () => settings.get('server.cors_origins'),
    basePaths: ['/ai/v1', '/api/v1'],
    adviceFor,
    errorOfUnknownPath: errorOfAsker,
    sockets: {
      messageBytesMax: settings.get('realtime.max_message_bytes'),
      idleSeconds: settings.get('realtime.idle_seconds'),
    },
    answerUnknownPath: (context) => (consoleFiles === null ? null : serveConsole(consoleFiles, context)),
    clock,
    logger,
    idleSeconds: settings.get('server.header_idle_seconds'),
    keepAliveSeconds: settings.get('server.keep_alive_seconds'),
    trustedProxies: settings.get('server.trusted_proxies').flatMap((text) => readNetwork(text) ?? []),
    // Ours alone decides: the runtime's refusal comes before the access check and has no body, and what
    // nobody reads it does not hold in memory.
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  })
  return server
}

/** Memory holds everything when this has resolved. */
async function openFeed({ store, settings, clock, logger }: AppOptions, state: LiveState): Promise<ChangeFeed> {
  if (store.replicas !== null) {
    const timeoutMs = settings.get('cluster.replica_timeout_seconds') * 1000
    const graceMs = settings.get('cluster.outage_grace_seconds') * 1000
    return PostgresFeed.open({ replicas: store.replicas, state, clock, logger, timeoutMs, graceMs })
  }
  await state.load()
  return new LocalFeed(state)
}

/** A stranger learns nothing of the addresses below these prefixes, not even that one does not exist. */
function accessOfUnknownPath(path: string) {
  if (path.startsWith('/ai/') || path.startsWith('/api/') || /^\/(image_)?generate/.test(path)) return 'inference'
  if (path.startsWith('/scim/')) return 'scim'
  return path.startsWith('/admin/') ? 'user' : 'public'
}

/** Serves until load balancers know, waits for running requests, then ends those that are left with an error of their own. */
async function drain(
  underWay: () => number,
  server: HttpServer<Caller>,
  shutdown: AbortController,
  settings: LiveSettings,
): Promise<void> {
  const delayMs = settings.get('server.drain_delay_seconds') * 1000
  if (delayMs > 0) {
    server.announceStop()
    await Bun.sleep(delayMs)
  }
  server.drain()
  const graceMs = settings.get('server.drain_seconds') * 1000
  const idle = (until: number) => waitUntil(() => underWay() === 0 || performance.now() > until)
  await idle(performance.now() + graceMs)
  shutdown.abort()
  // The ended requests still send their last event.
  await idle(performance.now() + 2000)
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(drainPollMs)
}

function batchOptions(settings: LiveSettings): BatchOptions {
  return {
    batchMs: settings.get('embeddings.join_milliseconds'),
    itemsMax: settings.get('embeddings.join_items_max'),
    answerBytesMax: settings.get('gateway.max_response_bytes'),
  }
}

function inflightByName({ inflight, catalog }: Gateway): Iterable<readonly [string, number]> {
  const inUse = inflight.inUseByModel()
  return catalog().models.map((model) => [model.record.name, inUse.get(model.record.id) ?? 0] as const)
}

/** From the process that leads, and none without a database: the other metrics are wanted then most of all. */
async function documentCounts(store: Store, leader: Leader): Promise<[string, number][]> {
  const counted = async () => ((await leader.leads('metrics of the database')) ? store.documents.counts() : {})
  return Object.entries((await within(countsMaxMs, counted()).catch(() => null)) ?? {})
}

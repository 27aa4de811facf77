/**
 * The documents' part of the composition root: constructs what imports, processes and searches, and
 * closes it in reverse. What documents need of the gateway comes in here as functions, and what the
 * gateway needs of the documents goes out as one.
 */
import { join, resolve } from 'node:path'
import type { Model } from '#catalog/catalog.ts'
import { externalReaders } from '#config/settings/external-readers.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { BlobUpkeep, type BlobUpkeepOptions } from '#documents/blobs/blob-upkeep.ts'
import { BlobUse } from '#documents/blobs/blob-use.ts'
import { openBlobs, placeNames, type BlobPlaces } from '#documents/blobs/open-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { callerLookup } from '#documents/callers.ts'
import type { Documents } from '#documents/documents.ts'
import { embedQuery } from '#documents/embedders/embed-query.ts'
import { EmbedQueue } from '#documents/embedders/embed-queue.ts'
import { EmbedderRegistry, type EmbedderRegistryOptions } from '#documents/embedders/embedder-registry.ts'
import { HashingEmbedder } from '#documents/embedders/hashing-embedder.ts'
import { LocalEmbedder } from '#documents/embedders/local-embedder.ts'
import { ExternalReaders } from '#documents/external/external-readers.ts'
import { ocrOptions } from '#documents/reading/ocr-options.ts'
import type { DocumentModels, NamedModel } from '#documents/models.ts'
import { ReadingPool, type ReadingPoolOptions } from '#documents/reading/reading-pool.ts'
import { retrieve } from '#documents/search/retrieve.ts'
import { DocumentWorker, type DocumentWorkerOptions } from '#documents/work/document-worker.ts'
import { VectorUpkeep } from '#documents/work/vector-upkeep.ts'
import { packWords } from '#documents/work/word-upkeep.ts'
import { StorageHealth } from '#documents/storage-health.ts'
import { PageFetcher } from '#documents/web/page-fetcher.ts'
import { SourceClient } from '#documents/web/source-client.ts'
import { CompletionNotifier } from '#documents/work/completion-notifier.ts'
import { createFetchContent } from '#documents/work/fetch-content.ts'
import { processDocument, type ProcessDeps } from '#documents/work/process-document.ts'
import { createReadDocument } from '#documents/work/read-document.ts'
import type { Run } from '#documents/work/run.ts'
import { countRun } from '#documents/work/run-metrics.ts'
import { runSpans } from '#documents/work/run-spans.ts'
import { chatCompletion } from '#gateway/endpoints/chat-completions.ts'
import type { Retrieve } from '#gateway/grounding/retrieve.ts'
import { embeddings } from '#gateway/endpoints/embeddings.ts'
import { transcription } from '#gateway/endpoints/audio.ts'
import { rerank } from '#gateway/endpoints/rerank.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { innerCall } from '#gateway/inner-call.ts'
import { resolveModel } from '#gateway/admission/resolve-model.ts'
import type { TraceOptions } from '#gateway/usage/usage-recorder.ts'
import { ByteBudget } from '#lib/byte-budget.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { Loop, pause } from '#lib/loop.ts'
import type { Logger } from '#observe/log.ts'
import { mediaTypesOf } from '#readers/readers.ts'
import type { Leader } from '#replica/leader.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import { operator } from './authorize.ts'

export interface OpenDocumentsOptions {
  readonly settings: LiveSettings
  readonly store: Store
  readonly state: LiveState
  /** Which process removes what is left over. */
  readonly leader: Leader
  readonly clock: Clock
  readonly logger: Logger
  /** Serves the models that documents call. */
  readonly gateway: Gateway
  /** Takes the spans of what was done; null when no traces are made. */
  readonly traces: TraceOptions | null
  /** The way to readers on other servers. */
  readonly proxyFor?: ProxyFor | undefined
}

export interface OpenDocuments {
  readonly documents: Documents
  /** Begins to work on what is queued, before any request is taken; the first import does so too. */
  start(): void
  /** Passages for a chat over documents. */
  readonly retrieve: Retrieve
}

const never = new AbortController().signal
/** The task of the process that removes what documents have left behind. */
const removalTask = 'documents'
const upkeepEveryMs = 600_000
const vectorsEveryMs = 2000
const wordsEveryMs = 5000
const detectMs = 5000
const drawMs = 30_000
const readerHeadBytesMax = 32_768
/** CPU time to take a request apart, most of which the system needs to make the files. */
const unpackMs = 60_000
const retryBudgetMs = { passage: 120_000, query: 5000 }

/** What is opened here is closed with `opening`, in reverse. Paths are absolute: files are read in a process with another working directory. */
export function openDocuments(options: OpenDocumentsOptions, opening: AsyncDisposableStack): OpenDocuments {
  const { settings, store, state, clock, logger, gateway } = options
  const isOnlyProcess = store.replicas === null
  const directory = resolve(settings.get('data_dir'), 'documents')
  const spool = opening.use(new Spool(join(directory, 'incoming')))
  const places = openBlobs((name) => settings.get(name), { directory, spool, bytes: store.documentBytes })
  const { blobs } = places
  const now = store.now ?? (async () => clock.now())
  const blobUse = new BlobUse(blobs, store.documents)
  const storage = new StorageHealth(spool, gateway.metrics, clock)
  const pool = opening.use(openPool(settings))
  const embedQueue = openEmbedQueue(options)
  const models = documentModels(gateway)
  const callerOf = callerLookup(state.directory, operator)
  const embedders = openEmbedders(options, { models, callerOf }, opening)
  const notifier = new CompletionNotifier(store.documents, clock)
  const external = openReaders(options, opening)
  const kept = { store: store.documents, blobs, isOnlyProcess, spool }
  const parts: ProcessDeps = {
    ...kept,
    storage,
    callerOf,
    embedders,
    embedQueue,
    fetchContent: createFetchContent({ ...kept, blobUse, settings, now, pages: openPages(options, opening) }),
    readDocument: createReadDocument({ pool, settings, models, external }),
  }
  const process = (run: Run) => processDocument(parts, run)
  const ended = endOfRuns(options, { notifier, blobUse, blobs })
  const work = openWork(options, { places, blobUse, spool, now, process, ended }, opening)
  const documents: Documents = {
    settings,
    store: store.documents,
    directory: state.directory,
    groups: store.groups,
    blobs,
    place: async () => (isOnlyProcess ? null : blobs.place()),
    places: async () => (isOnlyProcess ? null : placeNames(places)),
    now,
    blobUse,
    spool,
    storage,
    budget: new ByteBudget(settings.get('documents.bytes_in_flight')),
    models,
    external,
    embedQuery: (query) => embedQuery(embedders, embedQueue, query),
    ...openShortWork(settings, spool, opening),
    notifier,
    wake: work.wake,
    metrics: gateway.metrics,
    clock,
    logger,
  }
  const start = (): void => {
    // A search finds out by itself what this fails with.
    void store.documents.fillSearch().catch(() => undefined)
    work.start()
  }
  return { documents, start, retrieve: (retrieval) => retrieve(documents, retrieval) }
}

/** What follows on the end of a run: the bytes of a version that was replaced are removed. */
function endOfRuns(
  { gateway, traces }: OpenDocumentsOptions,
  { notifier, blobUse, blobs }: Pick<Documents, 'notifier' | 'blobUse' | 'blobs'>,
): DocumentWorkerOptions['ended'] {
  return async (run, outcome) => {
    countRun(gateway.metrics, run, outcome)
    if (traces !== null) traces.add(runSpans(run, outcome, traces.ratio()))
    notifier.notify()
    if (outcome === 'completed' && run.document.version > 1)
      await blobUse.removeUnreferenced(await blobs.listOf(run.document.id))
  }
}

interface WorkParts extends Pick<DocumentWorkerOptions, 'now' | 'process' | 'ended'> {
  readonly places: BlobPlaces
  readonly blobUse: BlobUse
  readonly spool: Spool
}

/** The work behind the requests: nothing of it runs before `start` or the first `wake`. */
function openWork(
  { settings, store, leader, clock, logger }: OpenDocumentsOptions,
  { places, blobUse, spool, ...working }: WorkParts,
  opening: AsyncDisposableStack,
): { readonly start: () => void; readonly wake: () => void } {
  const isOnlyProcess = store.replicas === null
  const onError = (error: unknown): void => logger.error('removing abandoned files failed', { error })
  const lead: BlobUpkeepOptions['lead'] = (task) => leader.run(removalTask, task)
  const { documents } = store
  const upkeep = new BlobUpkeep({ places, use: blobUse, store: documents, isOnlyProcess, lead, logger })
  const running = opening.use(new AsyncDisposableStack())
  let worker: DocumentWorker | null = null
  const start = (isFirst: boolean): void => {
    if (worker !== null || settings.get('documents.concurrency') === 0) return
    const leads = (): Promise<boolean> => leader.leads(removalTask)
    const process = { ...working, isOnlyProcess, places: () => upkeep.names(), leads }
    worker = running.use(new DocumentWorker({ ...process, store: documents, settings, clock, logger }))
    // Abandoned bytes are removed at intervals, and at the start of the server at once.
    running.use(new Loop({ intervalMs: upkeepEveryMs, work: () => upkeep.run(false), onError }))
    const vectors = new VectorUpkeep({ store: documents, settings, clock, logger })
    const stop = new AbortController()
    running.use(
      new Loop({
        intervalMs: vectorsEveryMs,
        work: () => vectors.run(stop.signal),
        onError: (error) => vectors.failed(error),
      }),
    )
    running.use(
      new Loop({
        intervalMs: wordsEveryMs,
        work: () => packWords(documents, logger, stop.signal),
        onError: (error) => logger.error('packing the words of documents failed', { error }),
      }),
    )
    running.defer(() => stop.abort())
    if (!isFirst) return
    const first = Promise.all([spool.removeAbandoned(), upkeep.run(true)]).then(() => undefined, onError)
    running.defer(() => first)
  }
  const wake = (): void => {
    start(false)
    worker?.wake()
  }
  return { start: () => start(true), wake }
}

function openEmbedQueue({ settings, clock }: OpenDocumentsOptions): EmbedQueue {
  return new EmbedQueue({
    concurrency: () => settings.get('documents.embed_concurrency'),
    retryBudgetMs,
    wait: (ms, signal = never) => pause(ms, signal),
    clock,
  })
}

function openEmbedders(
  { settings }: OpenDocumentsOptions,
  calls: Pick<EmbedderRegistryOptions, 'models' | 'callerOf'>,
  opening: AsyncDisposableStack,
): EmbedderRegistry {
  const modelDirectory = settings.get('documents.local_model_dir')
  const local = modelDirectory === null ? null : opening.use(new LocalEmbedder({ modelDirectory }))
  const hashing = opening.use(new HashingEmbedder())
  return new EmbedderRegistry({ ...calls, hashing, local, batchMax: () => settings.get('documents.embed_batch') })
}

/** For addresses that users name. */
function openPages({ settings, gateway, proxyFor }: OpenDocumentsOptions, opening: AsyncDisposableStack): PageFetcher {
  const { clock, ticker } = gateway
  const client = opening.use(
    new SourceClient({
      clock,
      ticker,
      proxyFor,
      allowsPrivate: () => settings.get('documents.urls_allow_private'),
      allowedBy: 'documents.urls_allow_private',
      timeoutMs: () => settings.get('documents.source_timeout_seconds') * 1000,
    }),
  )
  return new PageFetcher({ client, clock })
}

/** The readers on other servers that the configuration names; there may be none. */
function openReaders(
  { settings, gateway, proxyFor }: OpenDocumentsOptions,
  opening: AsyncDisposableStack,
): ExternalReaders {
  const { clock, ticker, metrics, logger } = gateway
  const entries = externalReaders(settings.get('documents.readers')?.reveal() ?? '[]')
  const client = opening.use(
    new Http1Client({ clock, ticker, headBytesMax: readerHeadBytesMax, ...(proxyFor && { proxyFor }) }),
  )
  const answerBytesMax = (): number => settings.get('documents.max_unpacked_bytes')
  return new ExternalReaders({ entries, client, metrics, clock, logger, answerBytesMax, mediaTypesOf })
}

function openPool(settings: LiveSettings, options: Partial<ReadingPoolOptions> = {}): ReadingPool {
  return new ReadingPool({
    size: settings.get('documents.reader_processes'),
    timeMaxMs: settings.get('documents.read_seconds') * 1000,
    memoryBytesMax: settings.get('documents.read_memory_bytes'),
    ...options,
  })
}

/** Processes of their own, so that neither an import nor a person who looks up a page waits for the reading of large documents. */
function openShortWork(
  settings: LiveSettings,
  spool: Spool,
  opening: AsyncDisposableStack,
): Pick<Documents, 'detectType' | 'unpack' | 'drawPage'> {
  const detecting = opening.use(openPool(settings, { size: 1, timeMaxMs: detectMs }))
  const unpacking = opening.use(openPool(settings, { size: 1, timeMaxMs: unpackMs }))
  const drawing = opening.use(openPool(settings, { size: 1, timeMaxMs: drawMs }))
  return {
    detectType: async (file, name) => (await detecting.run('detect', { file, name })).mediaType,
    unpack: (work, signal) => unpacking.run('unpack', work, { signal }),
    async drawPage(page, signal) {
      await using workspace = await spool.workspace()
      const ocr = ocrOptions(settings) ?? undefined
      const { image } = await drawing.run('render', { ...page, directory: workspace.path, ocr }, { signal })
      return await Bun.file(image).bytes()
    },
  }
}

function documentModels(gateway: Gateway): DocumentModels {
  const { catalog } = gateway
  return {
    resolve: (name, caller) => namedModel(resolveModel(catalog(), name, caller)),
    mayUse: (name, caller) => catalog().resolve(name, caller).kind === 'found',
    byId(id) {
      const model = catalog().models.find(({ record }) => record.id === id)
      return model === undefined ? null : namedModel(model)
    },
    chatCompletion: (call) => innerCall(gateway, { ...call, call: chatCompletion }),
    embeddings: (call) => innerCall(gateway, { ...call, call: embeddings }),
    rerank: (call) => innerCall(gateway, { ...call, call: rerank }),
    transcription: (call) => innerCall(gateway, { ...call, call: transcription }),
  }
}

function namedModel({ record: { id, name, groupIds }, upstreams }: Model): NamedModel {
  const asked = upstreams.map(({ upstreamName, provider }) => ({ name: upstreamName, kind: provider.kind }))
  return { id, name, groupIds, upstreams: asked }
}

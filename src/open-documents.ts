/**
 * The documents' part of the composition root: constructs what imports, processes and searches, and
 * closes it in reverse. What documents need of the gateway comes in here as functions, and what the
 * gateway needs of the documents goes out as one.
 */
import { join, resolve } from 'node:path'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { BlobStore } from '#documents/blobs/blob-store.ts'
import { directoryBlobs } from '#documents/blobs/directory-blobs.ts'
import { s3Blobs } from '#documents/blobs/s3-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { BlobSweep } from '#documents/blobs/sweep.ts'
import type { Documents, DocumentModels, EmbedQuery } from '#documents/documents.ts'
import { EmbedQueue } from '#documents/embedders/embed-queue.ts'
import { EmbedderBook, type EmbedAccount } from '#documents/embedders/embedder-book.ts'
import { EmbedFailure, type Embedder } from '#documents/embedders/embedder.ts'
import { LocalEmbedder } from '#documents/embedders/local-embedder.ts'
import { ReadingPool, type ReadingPoolOptions } from '#documents/reading/reading-pool.ts'
import { search } from '#documents/search/search.ts'
import { DocumentWorker } from '#documents/work/document-worker.ts'
import { Endings } from '#documents/work/endings.ts'
import { processDocument } from '#documents/work/process-document.ts'
import { readDocumentWith } from '#documents/work/read-document.ts'
import type { Run } from '#documents/work/run.ts'
import { chatCompletion } from '#gateway/endpoints/chat-completions.ts'
import type { Retrieval, RetrievedChunk } from '#gateway/grounding/retrieve.ts'
import { embeddings } from '#gateway/endpoints/embeddings.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { innerCall } from '#gateway/inner-call.ts'
import { resolveModel } from '#gateway/admission/resolve-model.ts'
import type { Caller } from '#identity/records.ts'
import { ByteBudget } from '#lib/byte-budget.ts'
import type { Clock } from '#lib/clock.ts'
import { Loop, pause } from '#lib/loop.ts'
import type { Logger } from '#observe/log.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import { operator } from './authorize.ts'

export interface OpenDocumentsOptions {
  readonly settings: LiveSettings
  readonly store: Store
  readonly state: LiveState
  readonly clock: Clock
  readonly logger: Logger
  /** The gateway once it is built; asked for at each call. */
  readonly gateway: () => Gateway
}

export interface OpenDocuments {
  readonly documents: Documents
  /** Begins to work on what is queued, before any request is taken; the first import does so too. */
  start(): void
  /** Passages for a chat over documents. */
  retrieve(retrieval: Retrieval): Promise<readonly RetrievedChunk[]>
}

const never = new AbortController().signal
const sweepEveryMs = 600_000
const detectMs = 5000
const retryBudgetMs = { passage: 120_000, query: 5000 }

/** What is opened here is closed with `opening`, in reverse. Paths are absolute: files are read in a process with another working directory. */
export function openDocuments(options: OpenDocumentsOptions, opening: AsyncDisposableStack): OpenDocuments {
  const { settings, store, state, clock, logger, gateway } = options
  const directory = resolve(settings.get('data_dir'), 'documents')
  const spool = opening.use(new Spool(join(directory, 'incoming')))
  const blobs = openBlobs(settings, directory, spool)
  const pool = opening.use(openPool(settings))
  const embedQueue = new EmbedQueue({
    concurrency: () => settings.get('documents.embed_concurrency'),
    retryBudgetMs,
    wait: (ms, signal = never) => pause(ms, signal),
    clock,
  })
  const models = documentModels(gateway)
  const modelDirectory = settings.get('documents.local_model_dir')
  const local = modelDirectory === null ? null : opening.use(new LocalEmbedder({ modelDirectory }))
  const embedders = embedderBook(options, local)
  const endings = new Endings(store.documents, clock)
  const callerOf = (userId: string): Caller | null => callerOfUser(state, userId)
  const readDocument = readDocumentWith({ pool, settings, models })
  const process = (run: Run) =>
    processDocument({ store: store.documents, blobs, spool, callerOf, embedders, embedQueue, readDocument }, run)
  const ended = async (run: Run, outcome: string): Promise<void> => {
    observe(gateway(), run, outcome)
    endings.tell()
    if (outcome === 'completed' && run.document.version > 1) await removeOlder(blobs, run)
  }

  const running = opening.use(new AsyncDisposableStack())
  let worker: DocumentWorker | null = null
  const alone = store.replicas === null
  const start = (isFirst: boolean): void => {
    if (worker !== null || settings.get('documents.concurrency') === 0) return
    worker = running.use(new DocumentWorker({ store: store.documents, settings, clock, logger, alone, process, ended }))
    const sweep = new BlobSweep(blobs, store.documents)
    const onError = (error: unknown): void => logger.error('removing abandoned files failed', { error })
    running.use(new Loop({ intervalMs: sweepEveryMs, work: () => sweep.run(false), onError }))
    if (isFirst) Promise.all([spool.removeAbandoned(), sweep.run(alone)]).catch(onError)
  }
  const documents: Documents = {
    settings,
    store: store.documents,
    directory: state.directory,
    groups: store.groups,
    blobs,
    spool,
    budget: new ByteBudget(settings.get('documents.bytes_in_flight')),
    models,
    embedQuery: (query) => embedQuery(embedders, embedQueue, query),
    detectType: openTypeDetection(settings, opening),
    endings,
    wake: () => {
      start(false)
      worker?.wake()
    },
    metrics: gateway().metrics,
    clock,
    logger,
  }
  return { documents, start: () => start(true), retrieve: (retrieval) => retrieve(documents, retrieval) }
}

function openBlobs(settings: LiveSettings, directory: string, spool: Spool): BlobStore {
  const endpoint = settings.get('documents.s3_url')
  const bucket = settings.get('documents.s3_bucket')
  if (endpoint === null || bucket === null) return directoryBlobs(join(directory, 'blobs'))
  const region = settings.get('documents.s3_region')
  const accessKeyId = settings.get('documents.s3_access_key_id')
  const secretAccessKey = settings.get('documents.s3_secret_access_key')?.reveal()
  return s3Blobs(
    {
      endpoint,
      bucket,
      ...(region !== null && { region }),
      ...(accessKeyId !== null && { accessKeyId }),
      ...(secretAccessKey !== undefined && { secretAccessKey }),
    },
    spool,
  )
}

function openPool(settings: LiveSettings, options: Partial<ReadingPoolOptions> = {}): ReadingPool {
  return new ReadingPool({
    size: settings.get('documents.reader_processes'),
    timeMaxMs: settings.get('documents.read_seconds') * 1000,
    memoryBytesMax: settings.get('documents.read_memory_bytes'),
    ...options,
  })
}

/** A process of its own, so that an import does not wait for the reading of large documents. */
function openTypeDetection(settings: LiveSettings, opening: AsyncDisposableStack): Documents['detectType'] {
  const pool = opening.use(openPool(settings, { size: 1, timeMaxMs: detectMs }))
  return async (file, name) => (await pool.run('detect', { file, name })).mediaType
}

function documentModels(gateway: () => Gateway): DocumentModels {
  return {
    resolve(name, caller) {
      const { id, name: canonical } = resolveModel(gateway().catalog(), name, caller).record
      return { id, name: canonical }
    },
    mayUse: (name, caller) => gateway().catalog().resolve(name, caller).kind === 'found',
    async describe({ model, caller, prompt, picture, signal }) {
      const url = `data:${picture.mediaType};base64,${Buffer.from(picture.bytes).toString('base64')}`
      const content = [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: prompt },
      ]
      const body = { model, messages: [{ role: 'user', content }] }
      const answer = await innerCall(gateway(), { caller, call: chatCompletion, body, signal })
      return contentOf(await answer.json())
    },
  }
}

function contentOf(completion: unknown): string {
  const { choices } = completion as { choices?: readonly { message?: { content?: unknown } }[] }
  const content = choices?.[0]?.message?.content
  if (typeof content === 'string') return content
  throw new ApiError('upstream_invalid_response', { message: 'The multimodal model answered without a text.' })
}

function embedderBook({ settings, state, gateway }: OpenDocumentsOptions, local: Embedder | null): EmbedderBook {
  return new EmbedderBook({
    batchMax: () => settings.get('documents.embed_batch'),
    modelName: (id) =>
      gateway()
        .catalog()
        .models.find(({ record }) => record.id === id)?.record.name ?? null,
    callEmbeddings: (account, body, signal) => {
      const caller = callerOfAccount(state, gateway(), account, body.model)
      if (caller === null) throw new ApiError('model_access_denied', { message: 'The user does not exist any more.' })
      return innerCall(gateway(), { caller, call: embeddings, body, signal })
    },
    local,
  })
}

function callerOfUser({ directory }: LiveState, userId: string): Caller | null {
  if (userId === operator.account.user.id) return operator
  const account = directory.account(userId)
  return account === undefined || account.user.disabled ? null : { account, key: null }
}

/** The user, and for a question about documents with the rights to their embedding model. */
function callerOfAccount(
  state: LiveState,
  gateway: Gateway,
  { userId, rights }: EmbedAccount,
  model: string,
): Caller | null {
  const caller = callerOfUser(state, userId)
  if (caller === null || rights === 'own') return caller
  const lent = gateway.catalog().models.find(({ record }) => record.name === model)?.groupIds ?? []
  return { account: { ...caller.account, groupIds: new Set([...caller.account.groupIds, ...lent]) }, key: null }
}

async function embedQuery(embedders: EmbedderBook, queue: EmbedQueue, query: EmbedQuery): Promise<Float32Array> {
  const { component, caller, text, dimensions, signal } = query
  const embedder = embedders.of(component, { userId: caller.account.user.id, rights: 'documents' })
  const [vector] = await queue.embed(embedder, { texts: [text], purpose: 'query', signal, dimensions })
  if (vector === undefined)
    throw new EmbedFailure('embedder_invalid_answer', 'The embedder gave no vector.', { retryable: true })
  return vector
}

/** The bytes that a completed new version has taken the place of. */
async function removeOlder(blobs: BlobStore, { document }: Run): Promise<void> {
  for (const address of await blobs.of(document.id)) if (address.sha256 !== document.sha256) await blobs.remove(address)
}

function observe({ metrics }: Gateway, { advance }: Run, outcome: string): void {
  metrics.documentEnded(outcome)
  const entered = Object.entries(advance.stateAt).filter(([state]) => state !== 'queued')
  const times = entered.sort(([, a], [, b]) => a - b)
  for (const [index, [state, at]] of times.entries()) {
    const next = times[index + 1]
    if (next !== undefined) metrics.documentStage(state, next[1] - at)
  }
}

async function retrieve(
  documents: Documents,
  { caller, query, spec, signal }: Retrieval,
): Promise<readonly RetrievedChunk[]> {
  const { hits } = await search(
    documents,
    caller,
    {
      text: query,
      mode: spec.mode,
      topK: spec.topK,
      window: 0,
      categories: spec.categories ?? undefined,
      owners: spec.owners ?? undefined,
      documentIds: spec.docIds ?? undefined,
    },
    signal,
  )
  return hits.map(({ chunk: { documentId: docId, documentName: name, ...chunk } }) => {
    const { page, headingPath, start, end, text, tokens } = chunk
    return { docId, name, page, headingPath, start, end, text, tokens }
  })
}

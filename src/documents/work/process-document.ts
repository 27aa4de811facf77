/**
 * The handler of a document that a worker has claimed: read, cut, embed, stage. Its steps are the states
 * of the record. Chunks are staged in bounded batches, so a document of any size takes little memory,
 * and no search sees them before the worker completes the document.
 */
import { join } from 'node:path'
import type { Caller } from '#identity/records.ts'
import type { NewChunk } from '#store/documents/document-chunks.ts'
import type { Completion, DocumentStore } from '#store/documents/document-store.ts'
import { BlobMissing, BlobsUnavailable, type BlobStore, type LocalBlob } from '../blobs/blob-store.ts'
import type { StorageHealth } from '../storage-health.ts'
import type { Spool } from '../blobs/spool.ts'
import type { EmbedQueue } from '../embedders/embed-queue.ts'
import { spaceKeyOf, type EmbedderRegistry } from '../embedders/embedder-registry.ts'
import { EmbedFailure, type Embedder } from '../embedders/embedder.ts'
import { modelOptionsOf } from '../embedders/model-options.ts'
import { chunkBatches } from './chunk-batches.ts'
import type { ChunkRecord } from '../reading/chunk-record.ts'
import { pagesFile, type PageRecord } from '../reading/protocol.ts'
import { embeddedText } from './embedded-text.ts'
import type { FetchContent } from './fetch-content.ts'
import type { ReadDocument } from './read-document.ts'
import type { Run } from './run.ts'
import { semanticChunks } from './semantic-chunks.ts'

export interface ProcessDeps {
  readonly store: Pick<DocumentStore, 'stage'>
  readonly blobs: Pick<BlobStore, 'open'>
  /** No other process has bytes. */
  readonly isOnlyProcess: boolean
  readonly spool: Pick<Spool, 'workspace'>
  readonly storage: Pick<StorageHealth, 'note'>
  /** The account that imported a document, or null when it is gone. */
  readonly callerOf: (userId: string) => Caller | null
  readonly embedders: EmbedderRegistry
  readonly embedQueue: EmbedQueue
  /** Fetches what was imported by its address; see fetch-content.ts. */
  readonly fetchContent: FetchContent
  /** Reads and cuts; see read-document.ts. */
  readonly readDocument: ReadDocument
}

/** Resolves with what makes the document complete. Rejects with an error that `failureOf` knows, or the reason of the run's signal. */
export async function processDocument(deps: ProcessDeps, run: Run): Promise<Completion> {
  try {
    return await readAndStage(deps, run)
  } catch (thrown) {
    deps.storage.note(thrown)
    throw thrown
  }
}

async function readAndStage(deps: ProcessDeps, run: Run): Promise<Completion> {
  const { signal } = run
  const caller = deps.callerOf(run.document.importerId)
  if (caller === null) throw importerGone()
  await using workspace = await deps.spool.workspace()
  run.enter('reading')
  await deps.fetchContent(run)
  const { document } = run
  await using blob = await openBlob(deps, document)
  const read = await deps.readDocument({ run, caller, file: blob.path, directory: workspace.path })
  signal.throwIfAborted()
  run.enter('embedding')
  const embedder = deps.embedders.get(document.embedder, { userId: document.importerId, rights: 'own' })
  const staging: Staging = { deps, run, embedder, title: read.title, spaceKey: null, staged: 0, tooLong: 0 }
  for await (const batch of chunksOf(staging, workspace.path)) await stage(staging, batch)
  const { staged } = staging
  run.report({ chunks: { done: staged, total: staged }, embedded: { done: staged, total: staged } })
  run.enter('storing')
  const warnings = [...read.warnings, ...embeddingWarnings(staging)]
  const { mediaType, title, stated: metadata } = read
  const { progress, heartbeat } = run
  const pages = (await Bun.file(join(workspace.path, pagesFile)).json()) as readonly PageRecord[]
  const { stateAt } = heartbeat
  return { spaceKey: staging.spaceKey ?? '', mediaType, title, metadata, warnings, progress, pages, stateAt }
}

/** The bytes of a document whose place was not recorded may be in the directory of another process, which will record it. */
async function openBlob({ blobs, isOnlyProcess }: ProcessDeps, document: Run['document']): Promise<LocalBlob> {
  try {
    return await blobs.open(document)
  } catch (thrown) {
    if (!(thrown instanceof BlobMissing) || isOnlyProcess || document.place !== null) throw thrown
    throw new BlobsUnavailable('The stored bytes of this document are not where this process can read them.', {
      cause: thrown,
    })
  }
}

/** What is known while the chunks of one document are staged. */
interface Staging {
  readonly deps: ProcessDeps
  readonly run: Run
  readonly embedder: Embedder
  readonly title: string | null
  /** Known with the first vectors. */
  spaceKey: string | null
  staged: number
  /** Passages with more tokens than the model reads. */
  tooLong: number
}

function embeddingWarnings({ embedder, run, tooLong }: Staging): readonly string[] {
  const own = embedder.warning === null ? [] : [embedder.warning]
  if (tooLong === 0) return own
  const most = modelOptionsOf(run.document.embedder).max_tokens
  const count = tooLong === 1 ? '1 passage is' : `${tooLong} passages are`
  const text = `${count} longer than the ${most} tokens that the model ${embedder.name} reads; what is beyond may not be found by meaning. Import with a smaller chunk_units.`
  return [...own, text]
}

/** The chunks as they were cut; those of the semantic chunker are joined by what their vectors say. */
function chunksOf(staging: Staging, directory: string): AsyncIterable<readonly ChunkRecord[]> {
  const { name, units, overlap, percentile } = staging.run.document.chunker
  const batches = chunkBatches(directory)
  if (name !== 'semantic') return batches
  const options = { units: Number(units), overlap: Number(overlap), percentile: Number(percentile) }
  return semanticChunks(batches, (passages) => embed(staging, passages), options)
}

async function stage(staging: Staging, batch: readonly ChunkRecord[]): Promise<void> {
  const { deps, run } = staging
  const before = staging.staged
  const { total } = run.progress.chunks
  const report = (done: number): void => run.report({ embedded: { done: Math.min(done, total), total } })
  const vectors = await embed(staging, batch, (count) => report(before + count))
  const dimensions = vectors[0]?.length ?? 0
  const key = spaceKeyOf(run.document.embedder, dimensions)
  if (staging.spaceKey !== null && staging.spaceKey !== key) {
    const message = 'The embedding model changed the length of its vectors in the middle of a document.'
    throw new EmbedFailure('embedder_invalid_answer', message, { retryable: true })
  }
  staging.spaceKey = key
  const most = modelOptionsOf(run.document.embedder).max_tokens ?? Infinity
  staging.tooLong += batch.filter(({ tokens }) => tokens > most).length
  const chunks = batch.map((chunk, index): NewChunk => ({
    ...chunk,
    ordinal: before + index,
    vector: vectors[index] ?? new Float32Array(0),
  }))
  await deps.store.stage(run.lease, { key, dimensions }, chunks)
  staging.staged += batch.length
  report(staging.staged)
}

/** One vector for each chunk, checked and of length 1. */
function embed(
  { deps, run, embedder, title }: Staging,
  chunks: readonly ChunkRecord[],
  onProgress?: (count: number) => void,
): Promise<readonly Float32Array[]> {
  const texts = chunks.map((chunk) => embeddedText(chunk, title))
  const { signal } = run
  return deps.embedQueue.embed(embedder, { texts, purpose: 'passage', signal, ...(onProgress && { onProgress }) })
}

function importerGone(): EmbedFailure {
  const message = 'The user who imported the document does not exist any more, so no model can be called for it.'
  return new EmbedFailure('embedder_unavailable', message, { retryable: false })
}

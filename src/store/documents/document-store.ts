/**
 * Documents, their jobs, their chunks and the search over them: one aggregate, since what a search
 * finds must be exactly what the records say. The SQL is in the files beside this one; on which
 * thread it runs is in document-threads.ts, and what the tables mean in README.md.
 *
 * The job contract: a job is enqueued in the transaction that writes its document. A worker that claims it
 * has it until `leaseUntil` and renews that; each claim raises the job's fence, and every write of
 * a worker names its fence, so a worker that lost its lease changes nothing (it gets LeaseLost).
 * Chunks are staged under the fence and become visible when `complete` makes that fence the
 * document's visible one, in the transaction that ends the job. Chunks of any other fence are never
 * seen and are purged.
 *
 * Times are milliseconds since 1970 and come from the caller, as ids do: every time that another process may compare
 * is one of the database (database-time.ts). JSON columns are opaque here.
 */
import type { Page, PageRequest } from '../page.ts'
import type { NewChunk, PageStart, StoredChunk, StretchOfDocument, StretchQuery } from './document-chunks.ts'
import type { DocumentSource, Renaming } from './document-source.ts'
import type { Facet, Metadata } from './metadata/metadata.ts'
import type { MetadataFilter } from './metadata/metadata-filter.ts'
import type { MoveStep, PlacedChunks, VectorChoice } from './vector-places.ts'

export const documentStates = [
  'queued',
  'reading',
  'chunking',
  'embedding',
  'storing',
  'completed',
  'failed',
  'cancelled',
] as const
export type DocumentState = (typeof documentStates)[number]

/** A document in these states waits or is under way; in the others it has ended. */
export const unfinishedStates = [
  'queued',
  'reading',
  'chunking',
  'embedding',
  'storing',
] as const satisfies readonly DocumentState[]

/** `user:<id>` or `group:<id>`; everybody is the group `everyone`. */
export type Principal = string

/** Whose documents are seen: those imported by this user or owned by one of these principals; `all` sees every one. */
export interface Viewer {
  readonly userId: string
  readonly principals: readonly Principal[]
  readonly all: boolean
}

export interface DocumentProgress {
  readonly pages: StepProgress
  readonly chunks: StepProgress
  readonly embedded: StepProgress
}

export interface StepProgress {
  readonly done: number
  readonly total: number
}

export interface DocumentError {
  readonly code: string
  readonly stage: DocumentState
  readonly message: string
  readonly retryable: boolean
}

export interface DocumentFailure {
  readonly error: DocumentError
  /** When the document is to be tried again; null when it is not. */
  readonly retryAt: number | null
  readonly warnings: readonly string[]
  /** False: the attempt is as if it had not been made; true when left out. */
  readonly countsAttempt?: boolean
}

/** A reader, chunker or embedder with all its options as they were resolved. */
export interface Component {
  readonly name: string
  readonly [option: string]: unknown
}

export interface Components {
  readonly reader: Component
  readonly chunker: Component
  readonly embedder: Component
}

/** What an import hands over. */
export interface NewDocument extends Components {
  readonly id: string
  /** Null when it was left out, as by most imports. */
  readonly source?: DocumentSource | null
  readonly importerId: string
  readonly owners: readonly Principal[]
  readonly name: string
  readonly category: string
  /** Lower-case hex of the raw bytes. */
  readonly sha256: string
  readonly bytes: number
  /** Where the bytes lie, as the blob store calls it; null when every process can read them. */
  readonly place: string | null
  readonly createdAt: number
  /** Left out: that of the version before, none for a new document. */
  readonly metadata?: Metadata | undefined
}

/** What a worker has fetched for a document that was imported by its address. */
export interface FetchedContent extends Pick<NewDocument, 'sha256' | 'bytes' | 'place'> {
  /** Without the address. */
  readonly reader: Component
  /** Tells whether the page has changed; null when its server did not say. */
  readonly version: string | null
}

export interface DocumentRecord extends NewDocument {
  readonly source: DocumentSource | null
  readonly metadata: Metadata
  readonly state: DocumentState
  readonly progress: DocumentProgress
  /** Claims since it was queued, without those that gave the lease back. */
  readonly attempts: number
  /** Those of them whose worker fell silent. */
  readonly crashes: number
  readonly error: DocumentError | null
  readonly warnings: readonly string[]
  readonly mediaType: string | null
  readonly title: string | null
  /** Under which the same bytes were imported again, in their order. */
  readonly otherNames: readonly string[]
  /** How many times the document was given new bytes, from 1. */
  readonly version: number
  /** False until the first completion: then, and while a newer version is made, a version can be found. */
  readonly visible: boolean
  /** When each state was last entered. */
  readonly stateAt: Readonly<Partial<Record<DocumentState, number>>>
  readonly updatedAt: number
}

/** What the server has of one file of a source. */
export interface SourceEntry {
  readonly documentId: string
  readonly sourceId: string
  readonly sourceVersion: string | null
  readonly sha256: string
  readonly bytes: number
  readonly state: DocumentState
}

export type Inserted =
  /**
   * `replaced`: SHA-256 of the bytes that this version takes the place of, once it is complete; null
   * for a new document, and when the bytes are the same.
   */
  | { readonly kind: 'queued'; readonly replaced: string | null }
  /** Same bytes, category, importer and owners as a document that is neither failed nor cancelled. */
  | { readonly kind: 'duplicate'; readonly id: string }
  /** The id belongs to a document that the importer may not change. */
  | { readonly kind: 'taken' }

export interface Claim {
  readonly document: DocumentRecord
  readonly fence: number
}

/** A lease that a worker holds. */
export interface Lease {
  readonly id: string
  readonly fence: number
}

/** What a worker knows of a document under way; written with its heartbeat. */
export interface Heartbeat {
  readonly state: DocumentState
  readonly progress: DocumentProgress
  readonly stateAt: Readonly<Partial<Record<DocumentState, number>>>
}

export interface Completion {
  readonly spaceKey: string
  readonly mediaType: string
  readonly title: string | null
  /** What the file itself states. */
  readonly metadata?: Metadata | undefined
  readonly warnings: readonly string[]
  readonly progress: DocumentProgress
  /** Ascending by their start; empty when the format has none. */
  readonly pages: readonly PageStart[]
  readonly stateAt: Readonly<Partial<Record<DocumentState, number>>>
}

export interface DocumentFilter {
  readonly categories?: readonly string[] | undefined
  /** Only documents that have one of these among their owners. */
  readonly owners?: readonly Principal[] | undefined
  readonly ids?: readonly string[] | undefined
  readonly metadata?: MetadataFilter | undefined
  readonly states?: readonly DocumentState[] | undefined
  /** Part of the name, in any case. */
  readonly name?: string | undefined
}

export interface FindQuery {
  readonly viewer: Viewer
  readonly filter: Omit<DocumentFilter, 'states' | 'name'>
  /** Words to look for; null = no keyword search. */
  readonly keywords: string | null
  /** The query in each vector space that is to be searched. */
  readonly vectors: readonly { readonly spaceKey: string; readonly vector: Float32Array }[]
  /** Best chunks of each list. */
  readonly limit: number
}

/** A chunk in one of the lists: its row, and how well it fits, higher is better. */
export interface RankedChunk {
  readonly row: number
  readonly score: number
}

export interface FindResult {
  /** Ranked by BM25; how rare a word is, is counted in the chunks that the query allows. */
  readonly keyword: readonly RankedChunk[]
  /** Ranked by cosine similarity, -1 to 1; all spaces together, each in its own order. */
  readonly vector: readonly (RankedChunk & { readonly spaceKey: string })[]
  /** Why some vectors could not be searched: a sentence for each place that did not answer. */
  readonly silent: readonly string[]
}

export interface ChunkInContext extends StoredChunk {
  readonly row: number
  readonly documentName: string
  readonly documentTitle: string | null
  readonly category: string
  readonly metadata: Metadata
  /** Neighbours on either side, in the order of the text; without the chunk itself. */
  readonly before: readonly StoredChunk[]
  readonly after: readonly StoredChunk[]
}

/** What became of a change of metadata: `refused` says why as the end of a sentence. */
export type Described = { readonly document: DocumentRecord } | { readonly refused: string }

export interface FacetsQuery extends Pick<FindQuery, 'viewer' | 'filter'> {
  readonly keys: readonly string[]
  /** Most values of a key. */
  readonly limit: number
  /** Most documents that are looked at, the newest; 20,000 when left out. */
  readonly countedMax?: number
}

export interface CountedFacets {
  readonly facets: readonly Facet[]
  /** Documents that were looked at, and how many there are. */
  readonly counted: number
  readonly of: number
}

export interface DocumentStore {
  /**
   * Writes documents with their jobs, all in one transaction, each with its own outcome. Racing calls
   * cannot both be `queued` for the same bytes. A new version of a document replaces what is queued or
   * under way for it.
   */
  insert(documents: readonly NewDocument[]): Promise<readonly Inserted[]>
  /** Ids for the documents of these files: of those that are there, and for each of the others a new one, always the same. */
  idsOfSources(importerId: string, sources: readonly Pick<DocumentSource, 'name' | 'id'>[]): Promise<readonly string[]>
  /** What an importer has of a source, in an order that does not change. `next` continues; null at the end. */
  manifest(query: {
    readonly importerId: string
    readonly source: string
    readonly after: string | null
    readonly limit: number
  }): Promise<{ readonly entries: readonly SourceEntry[]; readonly next: string | null }>
  /** Gives a document another name or source id; `taken` when the importer has another document of that source id. */
  rename(id: string, viewer: Viewer, change: Renaming, now: number): Promise<DocumentRecord | 'taken' | null>
  get(id: string, viewer: Viewer): Promise<DocumentRecord | null>
  /** The newest first. Throws InvalidCursor. */
  list(query: DocumentFilter & PageRequest & { readonly viewer: Viewer }): Promise<Page<DocumentRecord>>
  /** Document, job, chunks and vectors; when it has resolved nothing of them is left. Null when there is none. */
  delete(id: string, viewer: Viewer): Promise<{ readonly sha256: readonly string[] } | null>
  /** Ends a document that has not ended; its job is gone. Returns the record as it then is. */
  cancel(id: string, viewer: Viewer, now: number): Promise<DocumentRecord | null>
  /** Queues a failed or cancelled document again, with no attempts. Returns the record as it then is; a duplicate rule may refuse. */
  retry(id: string, viewer: Viewer, now: number): Promise<DocumentRecord | { readonly duplicateOf: string } | null>
  /**
   * Merges a patch (RFC 7396) into the metadata of a document; the next search filters by what it then is. Null when the
   * viewer does not see the record.
   */
  describe(
    id: string,
    viewer: Viewer,
    change: { readonly patch: Metadata; readonly now: number },
  ): Promise<Described | null>
  /** How many of the visible documents that the filter allows have each value, the most frequent first, key by key. */
  facets(query: FacetsQuery): Promise<CountedFacets>
  /** Keys in the metadata of the newest documents whose content the viewer sees, in the order of code points; at most this many. */
  metadataKeys(viewer: Viewer, limit: number): Promise<readonly string[]>
  /** Visible chunks in the order of the text. */
  chunks(
    id: string,
    viewer: Viewer,
    page: { readonly from: number; readonly limit: number },
  ): Promise<{ readonly chunks: readonly StoredChunk[]; readonly total: number } | null>
  /** The visible text at a place, at most `chunksMax` chunks of it. Null when there is no such document, or no visible version. */
  stretch(id: string, viewer: Viewer, query: StretchQuery): Promise<StretchOfDocument | null>
  /** Documents that wait or are under way. */
  backlog(): Promise<number>
  /** Something waits, is under way, or is still to be removed. */
  hasWork(): Promise<boolean>
  /** Documents of each state, all of them. */
  counts(): Promise<Readonly<Partial<Record<DocumentState, number>>>>

  /** The jobs that have waited longest and may run now, at most `max`; each raises its attempts and its fence. */
  claim(query: {
    readonly worker: string
    readonly max: number
    readonly leaseUntil: number
    readonly now: number
    /** Only documents whose bytes lie in one of these places, or whose place is null. All when left out. */
    readonly places?: readonly string[] | undefined
  }): Promise<readonly Claim[]>
  /** Renews leases and writes what is known; returns those that are no longer held (cancelled, deleted, replaced, expired). */
  renew(
    leases: readonly (Lease & { readonly heartbeat: Heartbeat })[],
    times: { readonly leaseUntil: number; readonly now: number },
  ): Promise<readonly Lease[]>
  /** Sets the content of a document whose bytes its worker has fetched, in place of its address. Rejects with LeaseLost. */
  receive(lease: Lease, content: FetchedContent, now: number): Promise<void>
  /** Adds chunks that are not visible yet. Rejects with LeaseLost. */
  stage(
    lease: Lease,
    space: { readonly key: string; readonly dimensions: number },
    chunks: readonly NewChunk[],
  ): Promise<void>
  /** Makes the staged chunks the visible ones, in one step. Rejects with LeaseLost. */
  complete(lease: Lease, completion: Completion, now: number): Promise<void>
  /** Ends the job, or queues it again for `retryAt`. Rejects with LeaseLost. */
  fail(lease: Lease, failure: DocumentFailure, now: number): Promise<void>
  /** Queues jobs again as if they had not been claimed. Leases that were lost are left alone. */
  release(leases: readonly Lease[], now: number): Promise<void>
  /** Takes expired leases back: queued again after a growing wait, or failed with `crashed` at the last one. Returns how many. */
  reap(query: {
    readonly now: number
    readonly crashesMax: number
    readonly backoffMs: (crash: number) => number
  }): Promise<number>
  /** Documents that wait, and input files of batches that run, whose bytes lie in none of these places, in the order of their ids. */
  elsewhere(query: {
    readonly places: readonly string[]
    readonly after: string | null
    readonly limit: number
  }): Promise<readonly { readonly id: string; readonly sha256: string }[]>
  /** Whether the bytes of any document lie in a directory that is not among these places. */
  hasOtherPlaces(places: readonly string[]): Promise<boolean>
  /** Notes that these bytes of documents and files lie in this place. Documents that have other bytes by now stay as they are. */
  relocate(blobs: readonly { readonly id: string; readonly sha256: string }[], place: string): Promise<void>
  /** Removes some doomed chunks; returns how many, 0 when none is left. */
  purgeSome(): Promise<number>
  /** Which of these pairs belong to no file and to no document, neither as its bytes nor as those that it replaces. For blobs. */
  unreferenced(
    blobs: readonly { readonly id: string; readonly sha256: string }[],
  ): Promise<readonly { readonly id: string; readonly sha256: string }[]>

  /** The vector spaces of the visible documents that the filter allows. */
  spaces(
    viewer: Viewer,
    filter: FindQuery['filter'],
  ): Promise<readonly { readonly key: string; readonly embedder: Component; readonly dimensions: number }[]>
  /** The best chunks of visible documents; filters apply within the search, so `limit` come back if they exist. */
  find(query: FindQuery): Promise<FindResult>
  /** Fills the memory of searches, where a process before this one left codes, so that the first search does not wait for it. */
  fillSearch(): Promise<void>
  /** Moves some vectors towards this place, while searches go on. Rejects when another server does not answer. */
  moveVectors(choice: VectorChoice): Promise<MoveStep>
  /** Packs the words of some chunks that an earlier version stored; returns how many were looked at, 0 when there is nothing to do. */
  packWords(): Promise<number>
  /** How many chunks of visible documents each place holds. */
  placedVectors(): Promise<readonly PlacedChunks[]>
  /** Rows of `find` with up to `window` neighbours on either side; rows that are gone or not visible to the viewer are left out. */
  chunksInContext(rows: readonly number[], viewer: Viewer, window: number): Promise<readonly ChunkInContext[]>
  /** Ends the thread, if there is one. */
  close(): Promise<void>
}

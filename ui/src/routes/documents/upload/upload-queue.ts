/**
 * The upload queue. It sends a few files at a time, each with its own request, so that each file has
 * its own progress, error and cancel button. It lives as long as the tab, across pages.
 */
import { asApiError, type ApiError } from '../../../api/api-error.ts'
import type { DocumentImportAnswer } from '../../../api/schema.d.ts'
import { byteText } from '../../../components/format.ts'
import type { NamedFile } from '../import/named-file.ts'

/** The form fields beside the file, in order. A name may occur several times. */
export type ImportFields = readonly (readonly [name: string, value: string])[]

export interface SendOptions {
  readonly fields: ImportFields
  readonly signal: AbortSignal
  /** @param sent from 0 to 1 */
  readonly onProgress: (sent: number) => void
}

export type UploadState =
  | { readonly kind: 'waiting' }
  /** `sent` from 0 to 1; at 1 the server checks the file. */
  | { readonly kind: 'sending'; readonly sent: number }
  | { readonly kind: 'accepted'; readonly documentId: string }
  /** The existing document with the same bytes. */
  | { readonly kind: 'duplicate'; readonly documentId: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: ApiError }
  | { readonly kind: 'cancelled' }

export interface Upload {
  readonly id: number
  readonly name: string
  readonly bytes: number
  readonly state: UploadState
}

interface Job {
  readonly source: NamedFile
  readonly batch: Batch
  abort: AbortController | null
}

/** Files that were imported together. */
interface Batch {
  readonly fields: ImportFields
}

export interface UploadQueueOptions {
  readonly send: (source: NamedFile, options: SendOptions) => Promise<DocumentImportAnswer>
  /** Called when the server has accepted a file. */
  readonly onAccepted: () => void
  /** Larger files are not sent; infinite until the server's limit is known. */
  readonly fileBytesMax: () => number
}

const uploadsAtOnceMax = 3
/** Statuses that apply to all files of the batch. */
const batchStatuses = new Set([403, 422])

export class UploadQueue {
  readonly #options: UploadQueueOptions
  readonly #jobs = new Map<number, Job>()
  readonly #listeners = new Set<() => void>()
  #uploads: readonly Upload[] = []
  #lastId = 0
  #running = 0
  /** Set while the server's backlog is full. */
  #resume: ReturnType<typeof setTimeout> | null = null

  constructor(options: UploadQueueOptions) {
    this.#options = options
  }

  /** All uploads that were not dismissed, in the order of addition. */
  readonly uploads = (): readonly Upload[] => this.#uploads

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(files: readonly NamedFile[], fields: ImportFields): void {
    const batch: Batch = { fields }
    const added = files.map((source): Upload => {
      const id = (this.#lastId += 1)
      this.#jobs.set(id, { source, batch, abort: null })
      return { id, name: source.name, bytes: source.file.size, state: { kind: 'waiting' } }
    })
    this.#publish([...this.#uploads, ...added])
    this.#pump()
  }

  /** Cancels an upload. A file that the server has accepted stays there. */
  cancel(id: number): void {
    const upload = this.#uploads.find((each) => each.id === id)
    if (upload === undefined || !isOpen(upload)) return
    this.#jobs.get(id)?.abort?.abort()
    this.#set(id, { kind: 'cancelled' })
  }

  cancelAll(): void {
    for (const upload of this.#uploads) if (isOpen(upload)) this.cancel(upload.id)
  }

  /** Sends a failed or cancelled file again. */
  retry(id: number): void {
    this.#set(id, { kind: 'waiting' })
    this.#pump()
  }

  /** Removes the finished uploads from the list. */
  dismiss(): void {
    const open = this.#uploads.filter(isOpen)
    const openIds = new Set(open.map(({ id }) => id))
    for (const id of this.#jobs.keys()) if (!openIds.has(id)) this.#jobs.delete(id)
    this.#publish(open)
  }

  #pump(): void {
    while (this.#running < uploadsAtOnceMax && this.#resume === null) {
      const next = this.#uploads.find(({ state }) => state.kind === 'waiting')
      const job = next && this.#jobs.get(next.id)
      if (next === undefined || job === undefined) return
      this.#running += 1
      void this.#run(next.id, job).finally(() => {
        this.#running -= 1
        this.#pump()
      })
    }
  }

  async #run(id: number, job: Job): Promise<void> {
    const { source, batch } = job
    const fileBytesMax = this.#options.fileBytesMax()
    if (source.file.size > fileBytesMax) {
      this.#set(id, {
        kind: 'invalid',
        message: `The file exceeds the server’s limit of ${byteText(fileBytesMax)}.`,
      })
      return
    }
    const abort = new AbortController()
    job.abort = abort
    this.#set(id, { kind: 'sending', sent: 0 })
    try {
      const answer = await this.#options.send(source, {
        fields: batch.fields,
        signal: abort.signal,
        onProgress: (sent) => {
          if (!abort.signal.aborted) this.#set(id, { kind: 'sending', sent })
        },
      })
      if (!abort.signal.aborted) this.#set(id, stateOf(answer))
      if (answer.accepted.length > 0) this.#options.onAccepted()
    } catch (thrown) {
      if (!abort.signal.aborted) this.#failed(id, batch, asApiError(thrown))
    }
  }

  #failed(id: number, batch: Batch, error: ApiError): void {
    if (error.code === 'backlog_full') {
      this.#set(id, { kind: 'waiting' })
      this.#pause(error.retryAfterSeconds ?? 5)
      return
    }
    const fails = (upload: Upload): boolean =>
      upload.id === id ||
      (batchStatuses.has(error.status) && upload.state.kind === 'waiting' && this.#jobs.get(upload.id)?.batch === batch)
    this.#publish(
      this.#uploads.map((upload) => (fails(upload) ? { ...upload, state: { kind: 'failed', error } } : upload)),
    )
  }

  /** Waits until the server has worked off its backlog. */
  #pause(seconds: number): void {
    this.#resume ??= setTimeout(() => {
      this.#resume = null
      this.#pump()
    }, seconds * 1000)
  }

  #set(id: number, state: UploadState): void {
    this.#publish(this.#uploads.map((upload) => (upload.id === id ? { ...upload, state } : upload)))
  }

  #publish(uploads: readonly Upload[]): void {
    this.#uploads = uploads
    for (const listener of this.#listeners) listener()
  }
}

/** True for an upload that has not finished. */
export function isOpen({ state }: Upload): boolean {
  return state.kind === 'waiting' || state.kind === 'sending'
}

function stateOf({ accepted, duplicate, invalid }: DocumentImportAnswer): UploadState {
  const taken = accepted[0]?.doc_id ?? null
  if (taken !== null) return { kind: 'accepted', documentId: taken }
  const known = duplicate[0]?.doc_id ?? null
  if (known !== null) return { kind: 'duplicate', documentId: known }
  return { kind: 'invalid', message: invalid[0]?.reason?.message ?? 'The server did not accept the file.' }
}

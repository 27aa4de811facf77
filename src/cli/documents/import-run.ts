/**
 * One run of `sluice import`: files are sent, several at once, while those that were sent before are watched
 * until they end. The outcome of a file is written to its place in the list of outcomes, and nowhere else.
 */
import { pause } from '#lib/loop.ts'
import { Refusal } from '../admin/admin-client.ts'
import type { FileToSend } from './files-below.ts'
import {
  requestWithRetry,
  type RetryOptions,
  type RetriedAnswer,
  type RepeatableRequest,
} from './request-with-retry.ts'

/** What became of a file. */
export interface Outcome {
  readonly name: string
  readonly docId: string | null
  /** `unsent`, `invalid`, `duplicate`, or the state of the document. */
  readonly state: string
  readonly problem: string | null
  /** What its owner should know of a document that was completed. */
  readonly warnings: readonly string[]
}

export interface ImportOptions {
  readonly files: readonly FileToSend[]
  /** Fields of the form, which hold for all files. */
  readonly fields: readonly (readonly [string, string])[]
  /** Go on until the documents have ended. */
  readonly wait: boolean
  readonly retry: RetryOptions
  readonly onProgress: (progress: ImportProgress) => void
}

export interface ImportProgress {
  readonly sent: number
  /** Ended, or refused. */
  readonly done: number
}

interface ItemOnWire {
  readonly doc_id: string | null
  readonly reason?: { readonly message: string }
}

interface ImportOnWire {
  readonly accepted: readonly ItemOnWire[]
  readonly duplicate: readonly ItemOnWire[]
  readonly invalid: readonly ItemOnWire[]
}

interface DocumentOnWire {
  readonly doc_id: string
  readonly state: string
  readonly error: { readonly message: string } | null
  readonly warnings: readonly string[]
}

const sentTogether = 4
const lookEveryMs = 400
/** What one request of the list takes. */
const askedTogether = 200
const ended: readonly string[] = ['completed', 'failed', 'cancelled']
/** Statuses that refuse one file; any other refusal would meet all of them. */
const refusesFile = new Set([400, 413])

/** Longest name of a document. */
const nameMax = 1000

const unsent = { docId: null, state: 'unsent', problem: null, warnings: [] }

export class ImportRun {
  /** One for each file, in their order. */
  readonly outcomes: Outcome[]
  readonly #order: ImportOptions
  /** Places of what is not known to have ended, the oldest first: the server works on them in this order. */
  #underWay: number[] = []
  #sent = 0
  readonly #broken = new AbortController()
  /** Going on makes no sense, or is not wanted. */
  readonly #signal: AbortSignal

  constructor(order: ImportOptions) {
    this.#order = order
    this.#signal = AbortSignal.any([order.retry.signal, this.#broken.signal])
    this.outcomes = order.files.map(({ name }) => ({ ...unsent, name }))
  }

  /** Resolves when all has ended. Rejects when going on makes no sense; `outcomes` tells how far it came. */
  async finish(): Promise<void> {
    const { client } = this.#order.retry
    // Fails before any file is read when address, key or the server's state do not let files in.
    await client.request('GET', '/api/v1/documents?limit=1', undefined, this.#signal)
    const queue = this.#order.files.entries()
    const allSent = new AbortController()
    const sending = Promise.all(Array.from({ length: sentTogether }, () => this.#sendSome(queue)))
    const watching = this.#order.wait ? this.#watch(allSent.signal) : Promise.resolve()
    const stop = (thrown: unknown): void => this.#broken.abort(thrown)
    // What is under way ends before this does: the client is closed after it.
    await Promise.all([sending.then(() => allSent.abort()).catch(stop), watching.catch(stop)])
    this.#signal.throwIfAborted()
  }

  /** Never leaves a request behind: each ends when the run is broken off. */
  async #sendSome(queue: Iterable<[number, FileToSend]>): Promise<void> {
    for (const [index, file] of queue) {
      if (this.#signal.aborted) return
      const outcome = await this.#send(file).catch((thrown: unknown) => this.#broken.abort(thrown))
      if (outcome === undefined) return
      this.outcomes[index] = outcome
      this.#sent += 1
      if (outcome.docId !== null) this.#underWay.push(index)
      this.#report()
    }
  }

  async #send({ path, name, isUrl = false, fields: own = [] }: FileToSend): Promise<Outcome> {
    const file = isUrl ? null : await readFile(path)
    if (typeof file === 'string') return { ...unsent, name, state: 'invalid', problem: file }
    const fields = [...this.#order.fields, ...own]
    try {
      const { answer, mayBeSecond } = await this.#ask({
        method: 'POST',
        path: '/api/v1/documents',
        body: () => (file === null ? urlRequest(path, fields) : formOf(file, name, fields)),
      })
      return outcomeOf(name, answer as ImportOnWire, mayBeSecond)
    } catch (thrown) {
      if (!(thrown instanceof Refusal && refusesFile.has(thrown.status))) throw thrown
      return { ...unsent, name, state: 'invalid', problem: thrown.message }
    }
  }

  /** Looks at what is under way until all has been sent and has ended. A duplicate may still be under way, too. */
  async #watch(allSent: AbortSignal): Promise<void> {
    while (!allSent.aborted || this.#underWay.length > 0) {
      await this.#look()
      if (!allSent.aborted || this.#underWay.length > 0) await pause(lookEveryMs, this.#signal)
      this.#signal.throwIfAborted()
    }
  }

  async #look(): Promise<void> {
    const places = this.#underWay.slice()
    const over = new Set<number>()
    for (let at = 0; at < places.length; at += askedTogether) {
      const some = places.slice(at, at + askedTogether)
      const states = await this.#statesOf(some)
      for (const place of some) {
        const outcome = this.outcomes[place]
        const now = outcome === undefined ? null : endOf(outcome, states.get(outcome.docId ?? ''))
        if (now === null) continue
        this.outcomes[place] = now
        over.add(place)
      }
      // What comes after many that wait waits too.
      if ([...states.values()].every(({ state }) => state === 'queued')) break
    }
    this.#underWay = this.#underWay.filter((place) => !over.has(place))
    if (over.size > 0) this.#report()
  }

  async #statesOf(places: readonly number[]): Promise<ReadonlyMap<string, DocumentOnWire>> {
    const ids = new Set(places.flatMap((place) => this.outcomes[place]?.docId ?? []))
    const path = `/api/v1/documents?limit=${askedTogether}&doc_id=${[...ids].join(',')}`
    const { answer } = await this.#ask({ method: 'GET', path })
    const { data } = answer as { data: readonly DocumentOnWire[] }
    return new Map(data.map((document) => [document.doc_id, document]))
  }

  #ask(request: RepeatableRequest): Promise<RetriedAnswer> {
    return requestWithRetry({ ...this.#order.retry, signal: this.#signal }, request)
  }

  #report(): void {
    this.#order.onProgress({ sent: this.#sent, done: this.#sent - this.#underWay.length })
  }
}

/** The bytes of the file, or why it cannot be read. */
async function readFile(path: string): Promise<Blob | string> {
  try {
    // In memory, so that a file that changes in the meantime is sent as it was at one time.
    return new Blob([await Bun.file(path).arrayBuffer()])
  } catch {
    return 'The file cannot be read. Check whether it is still there and whether you may read it.'
  }
}

function formOf(file: Blob, name: string, fields: ImportOptions['fields']): FormData {
  const form = new FormData()
  for (const [field, value] of fields) form.append(field, value)
  form.append('files', file, name)
  return form
}

/** The fields of a form as those of a request with one item. */
function urlRequest(url: string, fields: ImportOptions['fields']): Blob {
  const valueOf = (name: string): string | undefined => fields.find(([field]) => field === name)?.[1]
  const owners = fields.filter(([field]) => field === 'owners').map(([, value]) => value)
  const metadata = valueOf('metadata')
  const file = {
    name: url.slice(0, nameMax),
    url,
    category: valueOf('category'),
    ...(owners.length > 0 && { owners }),
    ...(metadata !== undefined && { metadata: JSON.parse(metadata) as unknown }),
  }
  const counts = ['chunk_units', 'chunk_overlap'].map((name) => [name, valueOf(name)] as const)
  const request = {
    files: [file],
    ...Object.fromEntries(['reader', 'chunker', 'embedder'].map((name) => [name, valueOf(name)])),
    ...Object.fromEntries(counts.map(([name, value]) => [name, value === undefined ? undefined : Number(value)])),
  }
  return new Blob([JSON.stringify(request)], { type: 'application/json' })
}

function outcomeOf(name: string, { accepted, duplicate, invalid }: ImportOnWire, mayBeSecond: boolean): Outcome {
  const [refused] = invalid
  if (refused !== undefined)
    return { ...unsent, name, state: 'invalid', problem: refused.reason?.message ?? 'The server refused the file.' }
  const docId = accepted[0]?.doc_id ?? duplicate[0]?.doc_id ?? null
  // After a try that was cut off, the duplicate is the file itself.
  return { ...unsent, name, docId, state: accepted.length > 0 || mayBeSecond ? 'queued' : 'duplicate' }
}

/** The outcome of a document that has ended, or null. */
function endOf(outcome: Outcome, document: DocumentOnWire | undefined): Outcome | null {
  if (document === undefined)
    return { ...outcome, state: 'deleted', problem: 'The document was deleted in the meantime.' }
  const { state, error, warnings } = document
  if (!ended.includes(state)) return null
  const shown = outcome.state === 'duplicate' && state === 'completed' ? 'duplicate' : state
  const fallback = state === 'cancelled' ? 'The document was cancelled.' : null
  return { ...outcome, state: shown, problem: error?.message ?? fallback, warnings }
}

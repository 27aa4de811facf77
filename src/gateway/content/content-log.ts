/**
 * Logs the prompts and answers of chosen models, groups and keys. A request never waits for it: what was sent is held,
 * prepared on a thread (prepare-content.ts) when the request has ended, and written by a loop of the app. What all
 * requests hold together is bounded; content beyond that, and content that cannot be written in time, is dropped and
 * counted, and the request goes on.
 */
import type { Model } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { newTimedId } from '#lib/timed-id.ts'
import type { ContentLogStore, FullContentLog } from '#store/content/content-logs.ts'
import type { ContentSink } from '../usage/usage-recorder.ts'
import type { ContentJobs } from './content-thread.ts'
import type { PreparedContent, RawContent } from './prepare-content.ts'

export interface ContentLogOptions {
  readonly settings: LiveSettings
  readonly store: Pick<ContentLogStore, 'insertMany'>
  readonly prepare: ContentJobs['prepare']
  /** The name of the group of this id. */
  readonly groupName: (id: string) => string | undefined
  readonly onDropped: (requests: number) => void
}

/** One request whose content is logged. */
export interface LoggedRequest {
  readonly context: RequestContext
  readonly caller: Caller
  readonly model: Model
  readonly endpoint: string
  /** The body as the client sent it; made only for a request that is logged. */
  readonly bytes: () => Uint8Array
}

/** Bytes of requests under way and of those that wait to be written, in this process. */
const heldBytesMax = 128 * 1024 * 1024
/** A larger body is named by its size. */
const requestBytesMax = 32 * 1024 * 1024
/** An answer is collected up to so many bytes: base64 of a few pictures, or a long stream. */
const answerBytesMax = 16 * 1024 * 1024
/** A held row beside its texts. */
const rowBytes = 512
const writtenAtOnce = 50
const writtenBytesMax = 4 * 1024 * 1024

interface WaitingRow {
  readonly row: FullContentLog
  readonly bytes: number
}

export class ContentLog {
  readonly #options: ContentLogOptions
  readonly #rows: WaitingRow[] = []
  readonly #preparing = new Set<Promise<void>>()
  #heldBytes = 0

  constructor(options: ContentLogOptions) {
    this.#options = options
  }

  /** Whether anything is logged: all that a request looks at where this is off. */
  get isOn(): boolean {
    return this.#options.settings.get('content_log.enabled')
  }

  /** What takes the answer of this request; null when its content is not logged. */
  begin(request: LoggedRequest): ContentSink | null {
    if (!this.#isWanted(request)) return null
    const body = request.bytes()
    if (!this.#hold(body.byteLength + rowBytes)) return this.#drop(1)
    return new ContentCapture(request, body, {
      hold: (bytes) => this.#hold(bytes),
      finish: (captured) => this.#finish(captured),
    })
  }

  /** Requests whose content waits to be written. */
  get depth(): number {
    return this.#preparing.size + this.#rows.length
  }

  /** Writes all that has ended by now. Rows that the store refuses are tried again as long as there is room. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#preparing)
    while (this.#rows.length > 0) {
      const rows = this.#nextRows()
      try {
        await this.#options.store.insertMany(rows.map(({ row }) => row))
      } catch (error) {
        this.#rows.unshift(...rows)
        throw error
      }
      this.#release(rows.reduce((sum, { bytes }) => sum + bytes, 0))
    }
  }

  #isWanted({ caller, model }: LoggedRequest): boolean {
    const { settings, groupName } = this.#options
    const models = settings.get('content_log.models')
    if (models.includes('*') || models.includes(model.record.name)) return true
    if (caller.key !== null && settings.get('content_log.keys').includes(caller.key.id)) return true
    const groups = settings.get('content_log.groups')
    if (groups.length === 0) return false
    for (const id of caller.account.groupIds) if (groups.includes(groupName(id) ?? id)) return true
    return false
  }

  #nextRows(): WaitingRow[] {
    let bytes = 0
    const end = this.#rows.findIndex((each, index) => {
      bytes += each.bytes
      return index > 0 && (index >= writtenAtOnce || bytes > writtenBytesMax)
    })
    return this.#rows.splice(0, end < 0 ? this.#rows.length : end)
  }

  #finish(captured: Captured): void {
    const preparing = this.#prepare(captured).catch(() => {
      this.#release(captured.heldBytes)
      this.#drop(1)
    })
    this.#preparing.add(preparing)
    void preparing.then(() => this.#preparing.delete(preparing))
  }

  async #prepare({ facts, request, answer, heldBytes }: Captured): Promise<void> {
    const { settings, prepare } = this.#options
    const rules = {
      kinds: settings.get('content_log.redact'),
      patterns: settings.get('content_log.redact_patterns'),
      bytesMax: settings.get('content_log.max_bytes'),
    }
    const nothing: PreparedContent = { text: '', cut: false }
    const asked = await prepare(request, rules)
    const answered = answer.length === 0 ? nothing : await prepare(answer, rules)
    const row: FullContentLog = {
      ...facts,
      request: asked.text,
      answer: answer.length === 0 ? null : answered.text,
      requestCut: asked.cut,
      answerCut: answered.cut,
    }
    this.#release(heldBytes)
    const bytes = 2 * (asked.text.length + answered.text.length) + rowBytes
    if (!this.#hold(bytes)) return void this.#drop(1)
    this.#rows.push({ row, bytes })
  }

  #hold(bytes: number): boolean {
    if (this.#heldBytes + bytes > heldBytesMax) return false
    this.#heldBytes += bytes
    return true
  }

  #release(bytes: number): void {
    this.#heldBytes -= bytes
  }

  #drop(requests: number): null {
    this.#options.onDropped(requests)
    return null
  }
}

type Facts = Omit<FullContentLog, 'request' | 'answer' | 'requestCut' | 'answerCut'>

interface Captured {
  readonly facts: Facts
  readonly request: RawContent
  readonly answer: RawContent
  /** To be released. */
  readonly heldBytes: number
}

interface CaptureOwner {
  /** False when there is no room for so many bytes. */
  readonly hold: (bytes: number) => boolean
  readonly finish: (captured: Captured) => void
}

/** Collects the answer of one request. */
class ContentCapture implements ContentSink {
  readonly #facts: Omit<Facts, 'status' | 'code'>
  readonly #request: RawContent
  readonly #owner: CaptureOwner
  readonly #pieces: Uint8Array[] = []
  #kept = 0
  #length = 0
  #heldBytes: number

  constructor({ context, caller, model, endpoint }: LoggedRequest, bytes: Uint8Array, owner: CaptureOwner) {
    this.#facts = {
      id: newTimedId('content'),
      at: context.clock.now(),
      requestId: context.requestId,
      userId: caller.account.user.id,
      keyId: caller.key?.id ?? null,
      model: model.record.name,
      endpoint,
    }
    const { byteLength: length } = bytes
    this.#request = { bytes: length > requestBytesMax ? bytes.subarray(0, 0) : bytes, length }
    this.#heldBytes = length + rowBytes
    this.#owner = owner
  }

  answer(bytes: Uint8Array): void {
    const { byteLength } = bytes
    const isNext = this.#kept === this.#length
    this.#length += byteLength
    // A piece after a gap would be read as if it followed.
    if (!isNext || this.#kept + byteLength > answerBytesMax || !this.#owner.hold(byteLength)) return
    // The bytes of a stream are parts of larger buffers, which would stay with them.
    this.#pieces.push(Buffer.from(bytes))
    this.#kept += byteLength
    this.#heldBytes += byteLength
  }

  end(status: number, code: string | null): void {
    this.#owner.finish({
      facts: { ...this.#facts, status, code },
      request: this.#request,
      answer: { bytes: Buffer.concat(this.#pieces), length: this.#length },
      heldBytes: this.#heldBytes,
    })
  }
}

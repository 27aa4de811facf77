/**
 * The requests of all processes as they end, for people who watch. While nobody watches, no request is touched: only a
 * process that is watched, or that knows of a watched one, looks at its requests. What is watched is kept in memory alone.
 */
import { payloadMax, type LiveChannel } from '#store/usage/live-channel.ts'
import { recordOfLine, usageLine, type UsageRecord } from '#store/usage/usage-record.ts'
import type { UsageRecorder } from './usage-recorder.ts'

export interface LiveRequestsOptions {
  readonly recorder: Pick<UsageRecorder, 'watch'>
  /** Null when no other process can be on the store. */
  readonly channel: LiveChannel | null
}

/** A request that has ended; one object for all who watch. */
export interface LiveRequest {
  /** Where a viewer goes on after it. */
  readonly place: string
  readonly record: UsageRecord
  /** As it goes to viewers, made once for all of them; null before the first. */
  bytes: Uint8Array | null
}

/** What a viewer is given next. `missed`: requests that it is not shown, null for an unknown number. */
export type LiveItem =
  | { readonly kind: 'request'; readonly request: LiveRequest }
  | { readonly kind: 'missed'; readonly count: number | null }

const placeForm = /^([0-9a-f]{8})-(\d{1,15})$/
const keptMax = 1000
/** Most requests that a viewer that comes back is shown at once: the newest, so that it is not dropped again for them. */
export const againMax = 250
/** Requests are kept for this long after the last viewer has left. */
const lingerMs = 60_000
/** Requests that wait for one viewer. */
export const pendingMax = 500
/** Viewers of one process. */
const viewersMax = 200
/** Between two messages to the other processes, and most texts of one of them. */
const sendMs = 250
const sendsMax = 40
const listenAgainMs = 5000

export class LiveRequests implements AsyncDisposable {
  readonly #options: LiveRequestsOptions
  /** Names this process among those on the channel, and the places of its requests. */
  readonly #id = crypto.randomUUID().slice(0, 8)
  readonly #views = new Set<LiveView>()
  #kept: LiveRequest[] = []
  #last = 0
  #watching: Disposable | null = null
  #ears: Promise<AsyncDisposable | null> | null = null
  #lingering: ReturnType<typeof setTimeout> | null = null
  #listening: ReturnType<typeof setTimeout> | null = null
  #isWatchedElsewhere = false
  #outgoing: string[] = []
  #isSending = false
  #isClosed = false

  constructor(options: LiveRequestsOptions) {
    this.#options = options
  }

  /** People who watch at this process. */
  get viewers(): number {
    return this.#views.size
  }

  /** Whether this process watches requests at all. */
  get isWatching(): boolean {
    return this.#watching !== null
  }

  /**
   * Shows what ends from now on, and what has ended behind a place that an earlier view has given; null when there are
   * too many viewers. Disposing ends it.
   */
  view(after: string | null): LiveView | null {
    if (this.#isClosed || this.#views.size >= viewersMax) return null
    const known = after === null ? [] : this.#behind(after)
    if (this.#lingering !== null) clearTimeout(this.#lingering)
    this.#lingering = null
    // One that is shown earlier requests again begins before them, for the case that it leaves before it has them.
    const place = after !== null && known !== null ? after : `${this.#id}-${this.#last}`
    const view: LiveView = new LiveView(place, () => this.#left(view))
    this.#views.add(view)
    const missed = known === null ? null : Math.max(0, known.length - againMax)
    if (missed !== 0) view.add({ kind: 'missed', count: missed })
    for (const request of known?.slice(-againMax) ?? []) view.add({ kind: 'request', request })
    this.#follow()
    return view
  }

  /** Whether people watch at other processes. Called about once a second. */
  heard(isWatchedElsewhere: boolean): void {
    this.#isWatchedElsewhere = isWatchedElsewhere
    this.#follow()
  }

  /** Ends all views. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const view of this.#views) view.end()
    this.#isWatchedElsewhere = false
    await this.#forget()
  }

  /** Those behind a place; null when that cannot be known. */
  #behind(place: string): readonly LiveRequest[] | null {
    const [, id, number] = placeForm.exec(place) ?? []
    const from = Number(number)
    const first = this.#last - this.#kept.length
    if (id !== this.#id || from < first || from > this.#last) return null
    return this.#kept.slice(from - first)
  }

  #left(view: LiveView): void {
    this.#views.delete(view)
    if (this.#views.size > 0 || this.#isClosed) return
    this.#lingering = setTimeout(() => void this.#forget(), lingerMs)
    this.#lingering.unref()
  }

  /** The last viewer left long ago. */
  async #forget(): Promise<void> {
    if (this.#lingering !== null) clearTimeout(this.#lingering)
    if (this.#listening !== null) clearTimeout(this.#listening)
    this.#lingering = this.#listening = null
    const ears = this.#ears
    this.#ears = null
    // A place of the time before must not look as if nothing had ended since.
    this.#kept = []
    this.#last += 1
    this.#follow()
    const open = await ears
    await open?.[Symbol.asyncDispose]()
  }

  /** Watches the requests here while that is of use to anyone, and the channel while people watch here. */
  #follow(): void {
    const isViewed = this.#views.size > 0 || this.#lingering !== null
    if (isViewed || this.#isWatchedElsewhere) this.#watching ??= this.#options.recorder.watch(this.#ended)
    else {
      this.#watching?.[Symbol.dispose]()
      this.#watching = null
    }
    if (isViewed) this.#listen()
  }

  #listen(): void {
    const { channel } = this.#options
    if (channel === null || this.#ears !== null || this.#listening !== null) return
    const again = (): void => {
      this.#ears = null
      this.#add({ kind: 'missed', count: null })
      if (this.#isClosed || (this.#views.size === 0 && this.#lingering === null)) return
      this.#listening ??= setTimeout(() => {
        this.#listening = null
        this.#listen()
      }, listenAgainMs)
    }
    let isOver = false
    const onEnd = (): void => {
      // Also said of a connection that was closed here.
      if (isOver || this.#ears !== opening) return
      isOver = true
      again()
    }
    const opening: Promise<AsyncDisposable | null> = channel
      .listen((text) => this.#received(text), onEnd)
      .catch(() => {
        onEnd()
        return null
      })
    this.#ears = opening
  }

  readonly #ended = (record: UsageRecord): void => {
    if (this.#views.size > 0 || this.#lingering !== null) this.#show(record)
    if (this.#isWatchedElsewhere && this.#options.channel !== null) this.#tell(record)
  }

  #show(record: UsageRecord): void {
    this.#last += 1
    const request = { place: `${this.#id}-${this.#last}`, record, bytes: null }
    this.#kept.push(request)
    // Cut now and then, as each cut moves all of them.
    if (this.#kept.length >= 2 * keptMax) this.#kept = this.#kept.slice(-keptMax)
    this.#add({ kind: 'request', request })
  }

  #add(item: LiveItem): void {
    for (const view of this.#views) view.add(item)
  }

  #tell(record: UsageRecord): void {
    const line = usageLine(record)
    // Reasons and limits are lists of any length; a line without them fits.
    this.#outgoing.push(
      line.length < payloadMax / 2 ? line : usageLine({ ...record, attemptReasons: null, limits: null }),
    )
    if (this.#isSending) return
    this.#isSending = true
    setTimeout(() => void this.#send(), sendMs)
  }

  async #send(): Promise<void> {
    const { channel } = this.#options
    const { texts, left } = packed(this.#outgoing)
    this.#outgoing = []
    this.#isSending = false
    const head = `${this.#id}\t`
    const all = [...texts.map((text) => `${head}0\n${text}`), ...(left > 0 ? [`${head}${left}\n`] : [])]
    for (const text of all) await channel?.send(text).catch(() => undefined)
  }

  #received(text: string): void {
    const end = text.indexOf('\n')
    const [id, left] = text.slice(0, end).split('\t')
    if (id === this.#id || end < 0) return
    let unread = Number(left) || 0
    for (const line of text.slice(end + 1).split('\n')) {
      if (line === '') continue
      try {
        this.#show(recordOfLine(line))
      } catch {
        // A process of a later version writes lines that this one cannot read.
        unread += 1
      }
    }
    if (unread > 0) this.#add({ kind: 'missed', count: unread })
  }
}

/** Lines in as few texts as they fit into, and how many did not fit into the most that are sent at once. */
function packed(lines: readonly string[]): { readonly texts: readonly string[]; readonly left: number } {
  const texts: string[] = []
  let [text, bytes] = ['', 0]
  for (const [at, line] of lines.entries()) {
    const size = Buffer.byteLength(line) + 1
    // Room for the head.
    if (bytes + size > payloadMax - 40 && text !== '') {
      texts.push(text)
      if (texts.length === sendsMax) return { texts, left: lines.length - at }
      ;[text, bytes] = ['', 0]
    }
    text += `${line}\n`
    bytes += size
  }
  if (text !== '') texts.push(text)
  return { texts, left: 0 }
}

/** What one viewer has yet to be shown. A viewer for whom too much waits is dropped, so that it costs the others nothing. */
export class LiveView implements Disposable {
  /** Where it begins. */
  readonly place: string
  readonly #onEnd: () => void
  #items: LiveItem[] = []
  #ring: (() => void) | null = null
  #end: 'ended' | 'dropped' | null = null

  constructor(place: string, onEnd: () => void) {
    this.place = place
    this.#onEnd = onEnd
  }

  /** Why nothing more comes; null while more may. */
  get over(): 'ended' | 'dropped' | null {
    return this.#end
  }

  /** Takes an item for later. */
  add(item: LiveItem): void {
    if (this.#end !== null) return
    if (this.#items.length >= pendingMax) return this.#finish('dropped')
    this.#items.push(item)
    this.#ring?.()
  }

  /** All that waits, after at most this time; none when nothing has come, or nothing more will. One caller at a time. */
  async next(waitMs: number): Promise<readonly LiveItem[]> {
    if (this.#items.length === 0 && this.#end === null) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMs)
      this.#ring = resolve
      await promise
      this.#ring = null
      clearTimeout(timer)
    }
    const items = this.#items
    this.#items = []
    return items
  }

  /** Nothing more comes. */
  end(): void {
    this.#finish('ended')
  }

  [Symbol.dispose](): void {
    this.#finish('ended')
  }

  #finish(how: 'ended' | 'dropped'): void {
    if (this.#end !== null) return
    this.#end = how
    if (how === 'dropped') this.#items = []
    this.#onEnd()
    this.#ring?.()
  }
}

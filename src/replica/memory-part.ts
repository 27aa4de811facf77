/**
 * Keeps one part of memory up to date with the store: which of its changes are still unread, and which of
 * those could not be read in time. Such a change is in doubt: memory may hold what was before it, so
 * requests for what it names are refused until it has been read.
 */
import { within } from '#lib/within.ts'
import type { Change } from './change.ts'
import { changeKey } from './change-log.ts'

export interface MemoryPartOptions {
  /** Reads these changes into memory and returns those that it could read; the others are read again later. */
  readonly read: (changes: readonly Change[]) => Promise<readonly Change[]>
  /** Other changes are in doubt than before. Requests must see this when it returns. */
  readonly onDoubt: (changes: readonly Change[]) => void
  /** Time after which an unread change is in doubt. */
  readonly patienceMs: number
}

/** One entity that has changed, once or several times. The calls that announced it are counted over the whole part. */
interface Unread {
  readonly change: Change
  /** The earliest call that is not in memory. */
  first: number
  last: number
  inDoubt: boolean
}

export class MemoryPart {
  readonly #options: MemoryPartOptions
  readonly #unread = new Map<string, Unread>()
  /** Rounds of reading follow one another, so an older read never replaces a newer one. */
  #round: Promise<void> = Promise.resolve()
  #calls = 0

  constructor(options: MemoryPartOptions) {
    this.#options = options
  }

  /** Resolves when the next request sees the changes, or is refused what they name; after `patienceMs` at the latest. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const call = this.#add(changes)
    await within(this.#options.patienceMs, this.readUnread())
    const late = changes.map((change) => this.#pending(change, call)).filter((unread) => unread !== null)
    if (late.every((unread) => unread.inDoubt)) return
    for (const unread of late) unread.inDoubt = true
    this.#reportDoubts()
  }

  /** Resolves when the changes are in memory, however long it takes; false when they could not be read. */
  async load(changes: readonly Change[]): Promise<boolean> {
    const call = this.#add(changes)
    await this.readUnread()
    return changes.every((change) => this.#pending(change, call) === null)
  }

  /** Reads once more what is unread, after the rounds under way. */
  readUnread(): Promise<void> {
    return (this.#round = this.#round.then(() => this.#readOnce()))
  }

  #add(changes: readonly Change[]): number {
    const call = (this.#calls += 1)
    for (const change of changes) {
      const unread = this.#unread.get(changeKey(change))
      if (unread === undefined) this.#unread.set(changeKey(change), { change, first: call, last: call, inDoubt: false })
      else unread.last = call
    }
    return call
  }

  /** The entry of a change, when memory may hold what was before that call. */
  #pending(change: Change, call: number): Unread | null {
    const unread = this.#unread.get(changeKey(change))
    return unread !== undefined && unread.first <= call ? unread : null
  }

  async #readOnce(): Promise<void> {
    if (this.#unread.size === 0) return
    const calls = this.#calls
    const changes = [...this.#unread.values()].map(({ change }) => change)
    let doubtEnded = false
    for (const change of await this.#options.read(changes)) {
      const unread = this.#unread.get(changeKey(change))
      if (unread === undefined) continue
      unread.first = calls + 1
      if (unread.last > calls) continue
      this.#unread.delete(changeKey(change))
      doubtEnded ||= unread.inDoubt
    }
    if (doubtEnded) this.#reportDoubts()
  }

  #reportDoubts(): void {
    this.#options.onDoubt([...this.#unread.values()].filter(({ inDoubt }) => inDoubt).map(({ change }) => change))
  }
}

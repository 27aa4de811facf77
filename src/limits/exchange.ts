/**
 * Carries claims to the shared place, one batch at a time, and tells the other processes what is wanted
 * and what has become free. Without the place, or while it is slow, nothing is asked for: the process
 * goes on with what it owns.
 */
import type { Clock } from '#lib/clock.ts'
import type { View } from './fair-share.ts'
import type { Place } from './place.ts'
import type { SentClaim, SlotLedger, Wanted } from './slot-ledger.ts'

export interface ExchangeOptions {
  readonly ledger: SlotLedger
  readonly place: Place
  readonly clock: Clock
  /** This process has been granted more of these keys. */
  readonly onMore: (keys: readonly string[]) => void
  /** Another process has given up some of these: it is anyone's who asks. */
  readonly onFree: (keys: readonly string[]) => void
  /** The place has failed; null: it answers again. */
  readonly onAway: (failure: unknown) => void
  /** The place is not in the state that the members agreed on. */
  readonly onVoid: () => void
}

/** Few enough for their hint to fit into a notification of PostgreSQL (8,000 bytes). */
const claimsMax = 60
/** A place that loses its state is agreed on again at most this often. */
const renewMs = 1000
/** An answer that takes longer is not worth asking for. */
const slowMs = 25

/**
 * What processes tell each other: `wanted` keys with their limits, how much, and how much of it is due (versions before
 * caps leave that out), and keys of which something is `free`.
 */
interface Hint {
  /** The member that wants or has lent. */
  readonly from: string
  readonly wanted?: readonly (readonly [key: string, limit: number, amount: number, due?: Wanted['due']])[]
  readonly free?: readonly string[]
}

export class Exchange {
  readonly #options: ExchangeOptions
  #agreed: { readonly view: View; readonly token: string } | null = null
  #agreedAt = -Infinity
  #seq = 0
  /** `elapsed` when the batch under way was sent; null without one. */
  #sentAt: number | null = null
  #isAway = false
  #isVoid = false
  /** Keys that this process has lent and not told yet. */
  readonly #lent = new Set<string>()

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  get #name(): string {
    const view = this.#agreed?.view
    return view?.members[view.self] ?? ''
  }

  /** Whether asking for more makes sense now. */
  get isReady(): boolean {
    const { ledger, clock } = this.#options
    if (this.#agreed === null || this.#agreed.view !== ledger.settledView || this.#isAway || this.#isVoid) return false
    return this.#sentAt === null || clock.elapsed() - this.#sentAt < slowMs
  }

  /** Whether the place has lost what the members agreed on with this token. Not at once, so that a place that always does keeps nobody busy. */
  isVoid(token: string): boolean {
    const isOld = this.#options.clock.elapsed() - this.#agreedAt >= renewMs
    return this.#isVoid && isOld && this.#agreed?.token === token
  }

  /** The members have agreed on the token of the settled epoch. */
  agree(view: View, token: string): void {
    if (this.#agreed?.view === view && this.#agreed.token === token) return
    this.#agreed = { view, token }
    this.#agreedAt = this.#options.clock.elapsed()
    this.#isVoid = false
    void this.beat()
  }

  /** Sends what is to be sent; a call while a batch is under way leaves it to that one. Never rejects. */
  async flush(): Promise<void> {
    if (this.#sentAt !== null || this.#isAway) return
    let isDone = false
    while (!isDone) isDone = !(await this.#send(false))
  }

  /**
   * At intervals: asks a place that has failed whether it is back, and sends what is left. A process that asks for
   * nothing has to hear the others, too: what it does not use is theirs. Never rejects.
   */
  async beat(): Promise<void> {
    if (this.#sentAt !== null) return
    if (this.#isAway || !this.#options.place.isHearing) await this.#send(true)
    await this.flush()
  }

  /** A hint of another process: lends what is idle, or asks again for what waits here. */
  hear(text: string): void {
    const { ledger, clock, onFree } = this.#options
    const { from, wanted = [], free = [] } = JSON.parse(text) as Hint
    if (from === this.#name) return
    for (const [key, limit, amount, due = 0] of wanted) {
      if (this.isReady && ledger.lend({ key, limit, amount, due }, clock.elapsed()) > 0) this.#lent.add(key)
    }
    if (wanted.length > 0) void this.flush()
    if (free.length > 0) onFree(free)
  }

  /** A slot that this process had given up is free now. */
  freed(key: string): void {
    this.#lent.add(key)
    void this.flush()
  }

  /** Sends one batch. False when there is nothing more to send now. */
  async #send(evenEmpty: boolean): Promise<boolean> {
    const { ledger, place, clock, onAway, onMore, onVoid } = this.#options
    const agreed = this.#agreed
    if (agreed === null || this.#isVoid || agreed.view !== ledger.settledView) return false
    const claims = ledger.claims(claimsMax)
    if (claims.length === 0 && !evenEmpty) return false
    const { members, self } = agreed.view
    this.#sentAt = clock.elapsed()
    this.#seq += 1
    try {
      const grants = await place.exchange({ token: agreed.token, members, self, seq: this.#seq, claims })
      if (this.#isAway) onAway(null)
      this.#isAway = false
      // In another epoch these claims and their answer mean nothing.
      if (this.#agreed !== agreed || agreed.view !== ledger.settledView) return true
      if (grants === null) {
        this.#isVoid = true
        ledger.lost(claims)
        onVoid()
        return false
      }
      this.#tell(claims, ledger.granted(claims, grants), self)
      onMore(claims.filter((_claim, index) => (grants[index] ?? 0) > 0).map(({ key }) => key))
      return true
    } catch (failure) {
      if (!this.#isAway) onAway(failure)
      this.#isAway = true
      if (agreed.view === ledger.settledView) ledger.lost(claims)
      return false
    } finally {
      this.#sentAt = null
    }
  }

  #tell(claims: readonly SentClaim[], short: readonly SentClaim[], self: number): void {
    const wanted = short.map((claim) => [claim.key, claim.limit, claim.want, dueOf(claim, self)] as const)
    const free = claims.map(({ key }) => key).filter((key) => this.#lent.delete(key))
    if (wanted.length === 0 && free.length === 0) return
    // A hint that is lost is given again: a process that wants more asks again.
    this.#options.place.tell(JSON.stringify({ from: this.#name, wanted, free } satisfies Hint)).catch(() => undefined)
  }
}

/** What brings a member to its share; while a key is frozen, that is not known. */
function dueOf({ have, shares }: SentClaim, self: number): Wanted['due'] {
  const share = shares[self] ?? 0
  return have === 0 && share === 0 ? 'one' : Math.max(0, share - have)
}

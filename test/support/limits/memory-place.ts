/** A place and a roster in the memory of a test, as simple as the words that describe them. */
import { applyClaims, type Batch, type Place, type Rows } from '#limits/place.ts'
import type { Excess } from '#limits/slot-ledger.ts'
import type { Roster, RosterStore } from '#limits/roster.ts'

/** What a place holds. */
interface Held {
  readonly epoch: number
  readonly token: string
  readonly rows: Rows
  readonly seqs: Map<string, number>
}

export class MemoryPlace implements Place {
  readonly kind = 'memory'
  readonly isHearing = true
  #held: Held | null = null
  #earlier: Held | null = null
  #tokens = 0
  readonly #onTell: (hint: string) => void

  constructor(onTell: (hint: string) => void = () => undefined) {
    this.#onTell = onTell
  }

  async open(epoch: number): Promise<string | null> {
    if (this.#held !== null && this.#held.epoch > epoch) return null
    if (this.#held?.epoch !== epoch) {
      this.#tokens += 1
      this.#held = { epoch, token: `memory:${epoch}-${this.#tokens}`, rows: new Map(), seqs: new Map() }
    }
    return this.#held.token
  }

  async exchange(batch: Batch): Promise<readonly number[] | null> {
    const held = this.#held
    const member = batch.members[batch.self] ?? ''
    if (held === null || held.token !== batch.token || batch.seq <= (held.seqs.get(member) ?? 0)) return null
    held.seqs.set(member, batch.seq)
    return applyClaims(held.rows, batch)
  }

  async tell(hint: string): Promise<void> {
    this.#onTell(hint)
  }

  /** Everything is gone, as after a restart without persistence. */
  empty(): void {
    this.#held = null
  }

  /** Keeps a copy for `restore`. */
  save(): void {
    const held = this.#held
    this.#earlier = held && { ...held, rows: new Map(held.rows), seqs: new Map(held.seqs) }
  }

  /** Goes back to the copy, as after a restart from an old snapshot; another server, so another token. */
  restore(): void {
    this.#tokens += 1
    const earlier = this.#earlier
    this.#held = earlier && { ...earlier, token: `${earlier.token}-${this.#tokens}` }
    this.#earlier = null
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export class MemoryRoster implements RosterStore {
  /** Ids of the registered processes. */
  readonly processes = new Set<string>()
  #epoch = 0
  #members: readonly string[] = []
  #token: string | null = null
  readonly #rows = new Map<string, { processId: string; epoch: number; excesses: readonly Excess[] }>()

  async read(): Promise<Roster> {
    const rows = [...this.#rows].map(([name, { processId, epoch, excesses }]) => ({
      name,
      isPresent: this.processes.has(processId),
      epoch,
      excesses,
    }))
    return { epoch: this.#epoch, members: this.#members, token: this.#token, rows }
  }

  async enter(name: string, processId: string): Promise<void> {
    for (const [other, row] of this.#rows) if (row.processId === processId) this.#rows.delete(other)
    this.#rows.set(name, { processId, epoch: -1, excesses: [] })
  }

  async leave(name: string): Promise<void> {
    this.#rows.delete(name)
  }

  async acknowledge(name: string, epoch: number, excesses: readonly Excess[]): Promise<void> {
    const row = this.#rows.get(name)
    if (row !== undefined && epoch >= row.epoch) Object.assign(row, { epoch, excesses })
  }

  async advance(from: number, members: readonly string[]): Promise<void> {
    if (this.#epoch !== from) return
    for (const [name, { processId }] of this.#rows) if (!this.processes.has(processId)) this.#rows.delete(name)
    this.#epoch += 1
    this.#members = [...members].sort()
    this.#token = null
  }

  async agree(epoch: number, token: string): Promise<void> {
    if (this.#epoch === epoch) this.#token ??= token
  }
}

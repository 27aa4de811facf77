/**
 * What one process holds of one counter of a hard budget: money that is taken ahead from the shared place, so that a
 * request costs no round trip. Free of input and output.
 *
 * Invariant: the place's `held` is never below what is available and reserved here, plus the cost of requests that
 * have ended and whose records are not stored yet. So what was spent and what is held stay within the amount.
 */

/** A change of what is held. It is sent again, under the same number, until its answer is known. */
export interface SliceChange {
  readonly slice: string
  readonly counter: string
  readonly holder: string
  /** Counts the changes of this slice, from 1. */
  readonly sequence: number
  /** Above 0: so much is wanted. Below 0: so much is given back. */
  readonly change: number
  /** What is wanted at least; less is of no use. */
  readonly least: number
}

export interface SliceAnswer {
  /** What was added to the slice; below 0 what was given back. */
  readonly granted: number
  /** What nobody has spent or holds, after the change. */
  readonly free: number
  /** What other processes hold. */
  readonly heldByOthers: number
  readonly spent: number
}

/** What the place knows of a slice. */
export interface HeldSlice {
  readonly held: number
  readonly sequence: number
  /** The answer to the change of this number. */
  readonly granted: number
}

/** A part of what is free goes to one process at a time, so that the last of a budget is not held idle by one. */
const partsOfFree = 8

/**
 * What the place does with a change, in one step. What is overdrawn counts as spent only, so it makes nothing free.
 * @param others what all other slices of the counter hold
 */
export function applyChange(
  { amount, spent, others }: { readonly amount: number; readonly spent: number; readonly others: number },
  slice: HeldSlice,
  { sequence, change, least }: Pick<SliceChange, 'sequence' | 'change' | 'least'>,
): { readonly slice: HeldSlice; readonly answer: SliceAnswer } {
  const freeWith = (held: number): number => Math.max(0, amount - spent - others - Math.max(0, held))
  const isRepeated = sequence <= slice.sequence
  const granted = isRepeated ? slice.granted : grantOf({ free: freeWith(slice.held), change, least })
  const held = isRepeated ? slice.held : slice.held + granted
  return {
    slice: isRepeated ? slice : { held, sequence, granted },
    answer: { granted, free: freeWith(held), heldByOthers: others, spent },
  }
}

function grantOf({
  free,
  change,
  least,
}: {
  readonly free: number
  readonly change: number
  readonly least: number
}): number {
  if (change <= 0) return change
  return free < least ? 0 : Math.min(change, free, Math.max(least, Math.floor(free / partsOfFree)))
}

export class Slice {
  readonly id: string
  readonly counter: string
  readonly holder: string
  #available = 0
  #reserved = 0
  #sequence = 0
  #pending: SliceChange | null = null

  /** @param after the number of the last change that was made under this name */
  constructor(names: { readonly id: string; readonly counter: string; readonly holder: string }, after = 0) {
    this.#sequence = after
    this.id = names.id
    this.counter = names.counter
    this.holder = names.holder
  }

  /** What a request can still reserve; below 0 after one that cost more than its bound. */
  get available(): number {
    return this.#available
  }

  get reserved(): number {
    return this.#reserved
  }

  /** The change whose answer is not known; null when there is none. */
  get pending(): SliceChange | null {
    return this.#pending
  }

  /** The number of the last change. */
  get sequence(): number {
    return this.#sequence
  }

  /** False when this process does not hold so much. */
  reserve(amount: number): boolean {
    if (amount > this.#available) return false
    this.#available -= amount
    this.#reserved += amount
    return true
  }

  /** A request has ended: what it did not cost is available again. */
  settle(reserved: number, cost: number): void {
    this.#reserved -= reserved
    this.#available += reserved - cost
  }

  /** Begins to ask for so much; the pending change when there is one. */
  take(change: number, least: number): SliceChange {
    return (this.#pending ??= this.#next(change, least))
  }

  /** Begins to give back so much of what is available; null when there is nothing to give, or a change is pending. */
  give(most: number): SliceChange | null {
    const given = Math.min(most, this.#available)
    if (this.#pending !== null || given <= 0) return null
    this.#available -= given
    return (this.#pending = this.#next(-given, 0))
  }

  /** The answer to a change; one that was answered before is left out. */
  answered({ sequence, change }: SliceChange, { granted }: SliceAnswer): void {
    if (this.#pending?.sequence !== sequence) return
    this.#pending = null
    if (change > 0) this.#available += granted
  }

  #next(change: number, least: number): SliceChange {
    this.#sequence += 1
    const { id: slice, counter, holder } = this
    return { slice, counter, holder, sequence: this.#sequence, change, least }
  }
}

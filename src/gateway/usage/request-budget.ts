/** The budgets that one request counts in: what it has reserved of the hard ones, and what it is charged with. */
import { sliceOf } from '#budgets/budget.ts'
import type { Reservation } from '#budgets/budget-ledger.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { priceAt } from '#pricing/price.ts'
import { mayHaveCost, type CostFacts, type RequestCost } from './request-cost.ts'

/** What a record says about its budgets. */
export interface Charges extends RequestCost {
  /** A JSON list. */
  readonly counters: string
  /** A JSON list; null when nothing was reserved. */
  readonly slices: string | null
}

/** What a request is charged with when one upstream serves it. */
export interface UpstreamCharge {
  readonly counters: readonly string[]
  /** The most that it can cost there. */
  readonly bound: number
}

export interface RequestBudgetOptions {
  readonly reservation: Reservation | null
  /** Counters whatever serves it. */
  readonly counters: readonly string[]
  /** Those of each upstream that it may go to. */
  readonly perUpstream: ReadonlyMap<Upstream, UpstreamCharge>
  /** A request cost more than its bound. */
  readonly onOverrun: (upstream: Upstream) => void
}

export class RequestBudget {
  readonly #options: RequestBudgetOptions

  constructor(options: RequestBudgetOptions) {
    this.#options = options
  }

  /** What the request is charged with when nobody sees its end, and the upstream that is then thought to have served it. */
  unseen(at: number): Charges & { readonly upstream: Upstream | null } {
    const { reservation, counters, perUpstream } = this.#options
    const [dearest] = [...perUpstream].toSorted(([, one], [, other]) => other.bound - one.bound)
    const [upstream, own] = dearest ?? [null, null]
    const charged = new Set([...counters, ...(own?.counters ?? [])])
    const isKnown = reservation !== null && upstream !== null
    return {
      upstream,
      cost: isKnown ? (own?.bound ?? null) : null,
      priceId: isKnown ? (priceAt(upstream.prices, at)?.id ?? null) : null,
      counters: JSON.stringify([...charged]),
      slices: this.#slicesOf(charged),
    }
  }

  /**
   * The request has ended: gives back what it did not cost. An answer whose tokens nobody reported, or whose begin nobody
   * waited for, costs what was reserved for it, since nobody can say that it cost less.
   */
  settle(facts: CostFacts, known: RequestCost): Charges {
    const { reservation, counters, perUpstream } = this.#options
    const { upstream } = facts
    const own = upstream === null ? undefined : perUpstream.get(upstream)
    const charged = new Set([...counters, ...(own?.counters ?? [])])
    if (reservation === null) return { ...known, counters: JSON.stringify([...charged]), slices: null }
    const cost = upstream === null || own === undefined ? known : this.#chargedCost({ ...facts, upstream }, own, known)
    reservation.settle(cost.cost ?? 0, charged)
    return { ...cost, counters: JSON.stringify([...charged]), slices: this.#slicesOf(charged) }
  }

  /** The slices that pay for these counters, as a JSON list. */
  #slicesOf(charged: ReadonlySet<string>): string | null {
    const { reservation } = this.#options
    const paying = reservation?.charges.filter(({ counter }) => charged.has(counter)) ?? []
    if (reservation === null || paying.length === 0) return null
    return JSON.stringify(paying.map(({ counter }) => sliceOf(counter, reservation.holder)))
  }

  #chargedCost(
    facts: CostFacts & { readonly upstream: Upstream },
    { bound }: UpstreamCharge,
    known: RequestCost,
  ): RequestCost {
    if (known.cost === null && mayHaveCost(facts))
      return { cost: bound, priceId: priceAt(facts.upstream.prices, facts.at)?.id ?? null }
    if ((known.cost ?? 0) > bound) this.#options.onOverrun(facts.upstream)
    return known
  }
}

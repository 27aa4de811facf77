/**
 * An expression as an automaton without empty steps (Glushkov): one state for each set of characters in it, counts
 * written out. Source: Glushkov, The abstract theory of automata, 1961.
 */
import { RegexProblem, type Range, type Regex } from './syntax.ts'

/** Work that may still be done, shared by all expressions of a request. */
export interface Budget {
  left: number
}

export interface Automaton {
  /** Characters that enter each state; the first is the start, which no character enters. */
  readonly sets: readonly (readonly Range[])[]
  /** States that can follow each state. */
  readonly next: readonly ReadonlySet<number>[]
}

const statesMax = 5000

/** Takes from the budget. Throws a RegexProblem when there is none left. */
export function spend(budget: Budget, amount: number): void {
  budget.left -= amount
  if (budget.left < 0) throw new RegexProblem('it is too complex to be checked')
}

/** Throws a RegexProblem when it is too large, or repeats in a way that can match the same text twice. */
export function automatonOf(regex: Regex, budget: Budget): Automaton {
  const builder = new Builder(budget)
  const whole = builder.build(regex)
  builder.connect([0], whole.first)
  return builder
}

/** A part of the automaton. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

const empty: Part = { first: [], last: [], nullable: true }

class Builder implements Automaton {
  readonly sets: (readonly Range[])[] = [[]]
  readonly next: Set<number>[] = [new Set()]
  readonly #budget: Budget

  constructor(budget: Budget) {
    this.#budget = budget
  }

  build(regex: Regex): Part {
    switch (regex.kind) {
      case 'set':
        return this.#state(regex.ranges)
      case 'sequence':
        return regex.items.reduce<Part>((before, item) => this.#joined(before, this.build(item)), empty)
      case 'choice':
        return this.#choice(regex.options.map((option) => this.build(option)))
      case 'repeat':
        return regex.max === Infinity ? this.#loop(regex.item, regex.min) : this.#counted(regex)
    }
  }

  /** Throws when a step is there already: then there are two ways to take it. */
  connect(from: readonly number[], to: readonly number[]): void {
    spend(this.#budget, from.length * to.length)
    for (const state of from) {
      for (const next of to) {
        if (this.next[state]?.has(next))
          throw new RegexProblem('it repeats a repetition, which can take exponential time')
        this.next[state]?.add(next)
      }
    }
  }

  #state(ranges: readonly Range[]): Part {
    const state = this.sets.length
    if (state > statesMax) throw new RegexProblem(`with its counts written out it is larger than ${statesMax} states`)
    this.sets.push(ranges)
    this.next.push(new Set())
    return { first: [state], last: [state], nullable: false }
  }

  #joined(before: Part, after: Part): Part {
    this.connect(before.last, after.first)
    spend(this.#budget, before.first.length + after.last.length)
    return {
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
      nullable: before.nullable && after.nullable,
    }
  }

  #choice(options: readonly Part[]): Part {
    return {
      first: options.flatMap(({ first }) => first),
      last: options.flatMap(({ last }) => last),
      nullable: options.some(({ nullable }) => nullable),
    }
  }

  /** The rounds that must be, the last of which may come again. */
  #loop(item: Regex, min: number): Part {
    const before = this.#rounds(item, min - 1)
    const round = this.build(item)
    if (round.nullable) throw new RegexProblem('it repeats without end what can be empty')
    this.connect(round.last, round.first)
    return this.#joined(before, { ...round, nullable: min === 0 })
  }

  #counted({ item, min, max }: Extract<Regex, { kind: 'repeat' }>): Part {
    const before = this.#rounds(item, min)
    const rounds: Part[] = []
    for (let round = min; round < max; round += 1) rounds.push(this.build(item))
    const [firstRound = empty] = rounds
    if (!rounds.some(({ nullable }) => nullable)) {
      // Each round is reached through the one before only.
      for (const [index, round] of rounds.entries()) this.connect(rounds[index - 1]?.last ?? [], round.first)
      return this.#joined(before, { first: firstRound.first, last: rounds.flatMap(({ last }) => last), nullable: true })
    }
    return this.#joined(
      before,
      rounds.reduce((all, round) => this.#joined(all, { ...round, nullable: true }), empty),
    )
  }

  #rounds(item: Regex, count: number): Part {
    let all = empty
    for (let round = 0; round < count; round += 1) all = this.#joined(all, this.build(item))
    return all
  }
}

/**
 * Whether an expression is safe to hand to an engine that others share. The guarantee is about the runs of its
 * automaton: the ways in which a matcher that goes back can read a text. Expressions pass with at most a fixed number of
 * runs, times the length of the text for each of up to two loops that can share it (`.*x.*`). Whatever makes that
 * number exponential is refused: ambiguous loops in the length of the text, `a?a?a?…` in that of the expression. So
 * is what has too many states as a deterministic automaton, which other engines build. A few harmless ones are refused, too.
 *
 * - Two ways through a loop for the same text: a pair of states is followed from one state of the loop back to one.
 *   Source: Weber and Seidl, On the degree of ambiguity of finite automata, 1991.
 * - Everything else: the deterministic automaton is built, with the number of runs in each state.
 *
 * All of it is paid from a budget, so that a request with many expressions costs no more than one.
 */
import { automatonOf, spend, type Automaton, type Budget } from './automaton.ts'
import { componentsOf, type Components } from './components.ts'
import { RegexProblem, type Range, type Regex } from './syntax.ts'

/** Work for all expressions of one request: some ten milliseconds. */
export const checkBudget = 60_000

/** Runs that end in one state, loops not counted. */
export const runsMax = 16
/** Loops that can share the text before a state with those of the state itself. */
export const sharingMax = 2
const subsetsMax = 3000
/** A step of the deterministic automaton beside a step through a loop. */
const stepCost = 8

/** Throws a RegexProblem for an expression that could occupy an engine. */
export function checkBounds(regex: Regex, budget: Budget = { left: checkBudget }): void {
  const automaton = automatonOf(regex, budget)
  const components = componentsOf(automaton.next)
  const classes = classesOf(automaton.sets, budget)
  for (const [component, isLoop] of components.isLoop.entries())
    if (isLoop) checkLoop(component, { automaton, components, classes, budget })
  countRuns({ automaton, components, classes, budget })
}

interface Checked {
  readonly automaton: Automaton
  readonly components: Components
  /** Classes of characters that enter each state: no two classes share a character. */
  readonly classes: readonly ReadonlySet<number>[]
  readonly budget: Budget
}

/** Every character of a set is in one class, and all characters of a class are in the same sets. */
function classesOf(sets: readonly (readonly Range[])[], budget: Budget): readonly ReadonlySet<number>[] {
  const names = sets.map((ranges) => ranges.join())
  const byName = new Map(names.map((name, state) => [name, { ranges: sets[state] ?? [], classes: new Set<number>() }]))
  const edges = [...byName.values()].flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]))
  const starts = [...new Set(edges)].sort((a, b) => a - b)
  // The sets that hold each interval between two starts.
  const holders = starts.map((): string[] => [])
  for (const [name, { ranges }] of byName) {
    for (const [first, last] of ranges) {
      const [from, to] = [positionOf(starts, first), positionOf(starts, last + 1)]
      spend(budget, to - from)
      for (let at = from; at < to; at += 1) holders[at]?.push(name)
    }
  }
  const distinct = new Map(holders.map((each) => [each.join(' '), each]))
  for (const [index, each] of [...distinct.values()].entries())
    for (const name of each) byName.get(name)?.classes.add(index)
  return names.map((name) => byName.get(name)?.classes ?? new Set())
}

function positionOf(sorted: readonly number[], value: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Throws when two ways lead from one state of the loop to one, over the same text. */
function checkLoop(component: number, checked: Checked): void {
  const { automaton, components, classes, budget } = checked
  const inside = (state: number): number[] =>
    [...(automaton.next[state] ?? [])].filter((next) => components.of[next] === component)
  const seen = new Set<number>()
  const open = startsOf(component, inside, checked)
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = [inside(pair[0]), inside(pair[1])]
    spend(budget, left.length * right.length)
    for (const step of left.flatMap((a) => right.map((b) => [a, b] as const))) {
      const [a, b] = step
      if (a === b && pair[0] === pair[1]) continue
      const key = Math.min(a, b) * automaton.sets.length + Math.max(a, b)
      if (seen.has(key) || !share(classes[a], classes[b], budget)) continue
      if (a === b)
        throw new RegexProblem('it repeats what can match a text in two ways, which can take exponential time')
      seen.add(key)
      open.push(step)
    }
  }
}

/** Each state of the loop with itself. Of those with the same ways on, such as the ends of all words of a choice, one. */
function startsOf(
  component: number,
  inside: (state: number) => readonly number[],
  { components, budget }: Checked,
): (readonly [number, number])[] {
  const starts = new Map<string, readonly [number, number]>()
  for (const state of components.members[component] ?? []) {
    const ways = inside(state).join()
    spend(budget, ways.length)
    starts.set(ways, [state, state])
  }
  return [...starts.values()]
}

function share(a: ReadonlySet<number> = new Set(), b: ReadonlySet<number> = new Set(), budget: Budget): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a]
  spend(budget, 1 + few.size)
  for (const each of few) if (many.has(each)) return true
  return false
}

/** What a state of the automaton has in a state of the deterministic one. */
interface Runs {
  /** Runs that end here, those that came into a loop at different times counted once. */
  readonly count: number
  /** Loops on the way that had runs already when others came in. */
  readonly sharing: number
}

/** Throws when too many runs can end in one state. */
function countRuns(checked: Checked): void {
  const start = new Map([[0, { count: 1, sharing: 0 }]])
  const subsets = new Map<string, Map<number, Runs>>([['0', start]])
  const open = new Set(subsets.keys())
  for (const name of open) {
    open.delete(name)
    for (const reached of stepsFrom(subsets.get(name) ?? start, checked)) {
      const key = [...reached.keys()].sort((a, b) => a - b).join()
      const known = subsets.get(key) ?? new Map<number, Runs>()
      subsets.set(key, known)
      if (raise(known, reached)) open.add(key)
    }
    if (subsets.size > subsetsMax) throw new RegexProblem('it has too many states as a deterministic automaton')
  }
}

/** For each class of characters that goes on, the states reached. */
function stepsFrom(subset: ReadonlyMap<number, Runs>, checked: Checked): readonly Map<number, Runs>[] {
  const { automaton, classes, components, budget } = checked
  const entered = new Map<number, Map<number, Entry>>()
  for (const [state, runs] of subset) {
    for (const next of automaton.next[state] ?? []) {
      spend(budget, stepCost * (1 + (classes[next]?.size ?? 0)))
      for (const each of classes[next] ?? []) {
        const states = entered.get(each) ?? new Map<number, Entry>()
        entered.set(each, states)
        states.set(next, withRuns(states.get(next) ?? noEntry, runs, isInside(state, next, components)))
      }
    }
  }
  const populated = new Set([...subset.keys()].map((state) => components.of[state]))
  const isShared = (state: number): boolean => {
    const component = components.of[state] ?? -1
    return components.isLoop[component] === true && populated.has(component)
  }
  return [...entered.values()].map(
    (states) => new Map([...states].map(([state, entry]) => [state, runsOf(entry, isShared(state))])),
  )
}

/** What comes to a state by one character: from its own loop, and from before it. */
interface Entry {
  readonly inside: Runs | null
  readonly before: Runs | null
}

const noRuns: Runs = { count: 0, sharing: 0 }
const noEntry: Entry = { inside: null, before: null }

function withRuns({ inside, before }: Entry, runs: Runs, staysInside: boolean): Entry {
  if (staysInside) return { inside: inside === null ? runs : greater(inside, runs), before }
  if (before === null) return { inside, before: runs }
  return { inside, before: { count: before.count + runs.count, sharing: Math.max(before.sharing, runs.sharing) } }
}

/** Whether a step stays in one loop. */
function isInside(from: number, to: number, { of, isLoop }: Components): boolean {
  const component = of[to] ?? -1
  return of[from] === component && isLoop[component] === true
}

/** @param isShared runs are in the same loop already: with each character more come to them */
function runsOf({ inside, before }: Entry, isShared: boolean): Runs {
  const entering = before !== null && isShared ? { ...before, sharing: before.sharing + 1 } : before
  const runs = inside === null || entering === null ? (inside ?? entering ?? noRuns) : greater(inside, entering)
  if (runs.count > runsMax) throw new RegexProblem('it can match the same text in too many ways')
  if (runs.sharing > sharingMax)
    throw new RegexProblem('it has too many repetitions in a row that match the same characters')
  return runs
}

function greater(a: Runs, b: Runs): Runs {
  return { count: Math.max(a.count, b.count), sharing: Math.max(a.sharing, b.sharing) }
}

/** Takes the greater of both for each state; whether any was raised. */
function raise(known: Map<number, Runs>, reached: ReadonlyMap<number, Runs>): boolean {
  let raised = false
  for (const [state, runs] of reached) {
    const before = known.get(state)
    if (before !== undefined && runs.count <= before.count && runs.sharing <= before.sharing) continue
    known.set(state, before === undefined ? runs : greater(before, runs))
    raised = true
  }
  return raised
}

/**
 * Finds everything in a text that a regular expression can match, in time linear in the text: all runs of the
 * automaton go side by side, so no text and no expression makes it go back. Not for knowing which of several matches is
 * meant: matches that overlap are one stretch.
 */
import { automatonOf, type Automaton } from './automaton.ts'
import { checkBudget } from './bounds.ts'
import { parseRegex } from './parse.ts'
import { lastCodePoint, RegexProblem, type Range, type Regex } from './syntax.ts'

/** Most states of an expression: characters and classes, with counts written out. */
export const patternStatesMax = 200
const asciiCount = 128
/** No text has it, so the state that it enters is reached from the accepting ones only. */
const end: Range = [lastCodePoint + 1, lastCodePoint + 1]

/** UTF-16 units, the end not included. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** Whether the text is an expression that `PatternSearch` takes. */
export function isPattern(text: string): boolean {
  try {
    return new PatternSearch(text) instanceof PatternSearch
  } catch {
    return false
  }
}

export class PatternSearch {
  readonly #next: readonly (readonly number[])[]
  readonly #accepts: readonly boolean[]
  readonly #ascii: readonly Uint8Array[]
  readonly #sets: readonly (readonly Range[])[]

  /** Throws a RegexProblem for what is not an expression, is too large, or can match nothing at all. */
  constructor(pattern: string) {
    const tree: Regex = { kind: 'sequence', items: [parseRegex(pattern), { kind: 'set', ranges: [end] }] }
    const { sets, next }: Automaton = automatonOf(tree, { left: checkBudget })
    if (sets.length - 2 > patternStatesMax) throw new RegexProblem(`it has more than ${patternStatesMax} states`)
    const last = sets.length - 1
    this.#accepts = next.map((following) => following.has(last))
    if (this.#accepts[0] === true) throw new RegexProblem('it matches the empty text')
    this.#next = next.map((following) => [...following].filter((state) => state !== last))
    this.#sets = sets
    this.#ascii = sets.map((ranges) => Uint8Array.from({ length: asciiCount }, (_, code) => Number(isIn(ranges, code))))
  }

  /** What the expression matches, in order and without overlaps. */
  find(text: string): readonly Stretch[] {
    const found: Stretch[] = []
    // The earliest start of the runs that are in each state.
    let starts = new Map<number, number>()
    for (let at = 0; at < text.length;) {
      const code = text.codePointAt(at) ?? 0
      const after = at + (code > 0xffff ? 2 : 1)
      const following = new Map<number, number>()
      let earliest = Infinity
      const enter = (from: number, start: number): void => {
        for (const state of this.#next[from] ?? []) {
          if (!this.#enters(state, code)) continue
          const known = following.get(state)
          if (known === undefined || start < known) following.set(state, start)
          if (this.#accepts[state] === true && start < earliest) earliest = start
        }
      }
      for (const [state, start] of starts) enter(state, start)
      enter(0, at)
      if (earliest !== Infinity) addStretch(found, { start: earliest, end: after })
      starts = following
      at = after
    }
    return found
  }

  #enters(state: number, code: number): boolean {
    return code < asciiCount ? this.#ascii[state]?.[code] === 1 : isIn(this.#sets[state] ?? [], code)
  }
}

/** Stretches come by their ends; one that reaches into earlier ones takes them in. */
function addStretch(found: Stretch[], { start, end: last }: Stretch): void {
  let first = start
  for (let before = found.at(-1); before !== undefined && before.end > first; before = found.at(-1)) {
    first = Math.min(first, before.start)
    found.pop()
  }
  found.push({ start: first, end: last })
}

function isIn(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last)
}

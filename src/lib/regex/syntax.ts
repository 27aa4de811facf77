/**
 * Regular expressions as a tree: the part of the syntax that is regular in the sense of automata.
 * Look-around, back-references and anchors in the middle have no node, for engines that compile to
 * automata cannot run them.
 */

/** Code points from the first to the last, both included. */
export type Range = readonly [first: number, last: number]

export type Regex =
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly items: readonly Regex[] }
  | { readonly kind: 'choice'; readonly options: readonly Regex[] }
  /** `max` is Infinity when there is no bound. */
  | { readonly kind: 'repeat'; readonly item: Regex; readonly min: number; readonly max: number }

/** Why an expression cannot be used, as a clause for people. */
export class RegexProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegexProblem'
  }
}

export const lastCodePoint = 0x10ffff

/** The same set in order, without overlaps. */
export function normal(ranges: readonly Range[]): readonly Range[] {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [first, last] of sorted) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** Everything that is not in the set. */
export function inverse(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = []
  let next = 0
  for (const [first, last] of normal(ranges)) {
    if (first > next) gaps.push([next, first - 1])
    next = last + 1
  }
  return next <= lastCodePoint ? [...gaps, [next, lastCodePoint]] : gaps
}

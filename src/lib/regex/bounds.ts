/**
 * Whether an expression is safe to hand to an engine that others share: small once its counts are
 * written out, and without the nested repetitions that take a backtracking matcher exponential time.
 */
import { overlap, RegexProblem, type Range, type Regex } from './syntax.ts'

const sizeMax = 10_000

/** Throws a RegexProblem for an expression that could occupy an engine. Refuses a few harmless ones, too. */
export function checkBounds(regex: Regex): void {
  if (sizeOf(regex) > sizeMax) throw new RegexProblem(`with its counts written out it is larger than ${sizeMax} states`)
  checkLoops(regex)
}

/** States of the automaton, as if every count were written out. */
function sizeOf(regex: Regex): number {
  switch (regex.kind) {
    case 'set':
      return 1
    case 'sequence':
      return regex.items.reduce((sum, item) => sum + sizeOf(item), 0)
    case 'choice':
      return regex.options.reduce((sum, option) => sum + sizeOf(option), 1)
    case 'repeat':
      return (sizeOf(regex.item) + 1) * Math.max(1, regex.max === Infinity ? regex.min : regex.max)
  }
}

function checkLoops(regex: Regex): void {
  if (regex.kind === 'repeat') {
    if (regex.max === Infinity || regex.max > 10) checkLoop(regex.item)
    checkLoops(regex.item)
  }
  if (regex.kind === 'sequence') regex.items.forEach(checkLoops)
  if (regex.kind === 'choice') regex.options.forEach(checkLoops)
}

/**
 * One round of a loop must have one way only to match the same text. A round that itself repeats
 * needs a character that parts it from the next and that its own repetitions cannot match; options
 * of one character must not overlap.
 */
function checkLoop(body: Regex): void {
  const options = body.kind === 'choice' ? body.options : [body]
  for (const [index, option] of options.entries()) {
    const ambiguous = options.slice(0, index).some((other) => isSameCharacter(option, other))
    if (ambiguous) throw new RegexProblem('it repeats a choice whose options match the same characters')
    const inner = innerLoops(option)
    if (inner.length > 0 && !separators(option).some((set) => !overlap(set, inner)))
      throw new RegexProblem('it repeats a repetition, which can take exponential time')
  }
}

function isSameCharacter(a: Regex, b: Regex): boolean {
  return a.kind === 'set' && b.kind === 'set' && overlap(a.ranges, b.ranges)
}

/** All characters that repetitions of no fixed count inside can match. */
function innerLoops(regex: Regex): readonly Range[] {
  switch (regex.kind) {
    case 'set':
      return []
    case 'sequence':
      return regex.items.flatMap(innerLoops)
    case 'choice':
      return regex.options.flatMap(innerLoops)
    case 'repeat':
      return regex.min === regex.max || (regex.max === 1 && innerLoops(regex.item).length === 0)
        ? innerLoops(regex.item)
        : allSets(regex.item)
  }
}

function allSets(regex: Regex): readonly Range[] {
  switch (regex.kind) {
    case 'set':
      return regex.ranges
    case 'sequence':
      return regex.items.flatMap(allSets)
    case 'choice':
      return regex.options.flatMap(allSets)
    case 'repeat':
      return allSets(regex.item)
  }
}

/** Sets of which a character must come in each round. */
function separators(regex: Regex): readonly (readonly Range[])[] {
  if (regex.kind === 'set') return [regex.ranges]
  return regex.kind === 'sequence' ? regex.items.flatMap(separators) : []
}

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectLinear } from '#test/support/growth.ts'
import { checkBounds } from './bounds.ts'
import { parseRegex } from './parse.ts'
import { RegexProblem, type Regex } from './syntax.ts'

function check(pattern: string): Regex {
  const tree = parseRegex(pattern)
  checkBounds(tree)
  return tree
}

/** The expression of the runtime that a tree stands for. */
function source(tree: Regex): string {
  switch (tree.kind) {
    case 'set':
      return `[${tree.ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')}]`
    case 'sequence':
      return tree.items.map((item) => `(?:${source(item)})`).join('')
    case 'choice':
      return tree.options.map((option) => `(?:${source(option)})`).join('|')
    case 'repeat':
      return `(?:${source(tree.item)}){${tree.min},${tree.max === Infinity ? '' : tree.max}}`
  }
}

const usable: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] = [
  ['yes|no', ['yes', 'no'], ['maybe', 'yesno']],
  ['^(red|green)$', ['red'], ['blue']],
  ['\\d{4}-\\d{2}-\\d{2}', ['2026-11-20'], ['2026-11-2', '20261120']],
  ['[^a-c\\d]+', ['xyz'], ['a', '1', '']],
  ['a{2,}b?', ['aa', 'aaab'], ['a', 'ab']],
  ['(?:x)(?<name>y)(?P<other>z)', ['xyz'], ['xy']],
  ['.\\.\\x41\\u00e9\\n', ['q.Aé\n'], ['\n.Aé\n']],
  ['[]|a', [], []],
  ['"[^"]*"(, "[^"]*")*', ['"a"', '"a", "b"'], ['"a" "b"']],
  ['([a-z]+ )*[a-z]+', ['a lot of words'], ['two  spaces']],
  ['[\\w-]+@[\\w.]+', ['a-b@c.d'], ['@']],
  ['🌊+', ['🌊🌊'], ['~']],
  ['', [''], ['a']],
  ['a||b', ['', 'a', 'b'], ['c']],
  ['\\d+\\.?\\d*', ['12.5', '7'], ['.5']],
  ['.*\\d.*[a-z].*', ['1a'], ['a1']],
  ['((jan|jun|jul),)+', ['jan,jul,'], ['jan']],
  ['(https?://)?[\\w.-]+(/[\\w.-]*)*', ['http://a.b/c'], ['//']],
  ['-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?', ['-1.5e3'], ['01']],
  ['("([^"\\\\]|\\\\.)*")', ['"a"', '"\\\\"'], ['"']],
  ['(\\w{1,30},){1,50}', ['a,bc,'], [',']],
  ['.{0,2000}', ['', 'abc'], ['\n']],
]

describe('an expression that automata can run', () => {
  for (const [pattern, matching, other] of usable.filter(([each]) => each !== '[]|a')) {
    test(`${JSON.stringify(pattern)} matches what it should`, () => {
      const compiled = new RegExp(`^(?:${source(check(pattern))})$`, 'u')
      for (const text of matching) expect([text, compiled.test(text)]).toEqual([text, true])
      for (const text of other) expect([text, compiled.test(text)]).toEqual([text, false])
    })
  }
})

describe('an expression is refused', () => {
  const refused: Readonly<Record<string, readonly string[]>> = {
    'for what is not an expression': [
      '(',
      ')',
      'a)',
      '[a',
      '*a',
      'a**',
      'a{3,1}',
      'a{',
      'a{x}',
      '\\',
      '[b-a]',
      '[a-\\d]',
      '[]|a',
    ],
    'for what automata cannot do': [
      '(a)\\1',
      '\\k<n>',
      '(?=a)',
      '(?!a)',
      '(?<=a)b',
      '(?i)a',
      'a^b',
      'a$b',
      'a++',
      '\\bword',
    ],
    'for a repetition that can take exponential time': [
      '(a+)+',
      '(a+)+$',
      '(a*)*b',
      '(a|a)*',
      '(\\w|\\d)+x',
      '(\\w+\\s?)+',
      '(x+x+)+y',
      '(.*,)*',
      '((a?b*)c?)+',
      '(a{1,50}){1,50}',
      '(a|aa)+b',
      '(ab|a|b)+c',
      '(a|b|ab)*c',
      '(\\s*-\\s*.*\\n)+',
      '([a-z]+[a-z]+){5,}',
      '(a{20}|a{20})+',
    ],
    'for too many ways to match the same text': [
      '(a?){50}a{50}',
      'a?'.repeat(30) + 'a'.repeat(30),
      '(\\d{1,3}){1,20}',
      '\\d*'.repeat(5),
    ],
    'for its size as a deterministic automaton': ['(a|b)*a(a|b){20}'],
    'for its size': ['a{100000}', '((a{100}){100}){100}', 'x'.repeat(2001), '('.repeat(60) + ')'.repeat(60)],
  }
  for (const [why, patterns] of Object.entries(refused)) {
    for (const pattern of patterns) {
      test(`${why}: ${pattern.slice(0, 40)}`, () => expect(() => check(pattern)).toThrow(RegexProblem))
    }
  }
})

/** Steps of a matcher that goes back, over all ways to read the text from its beginning; `max` when there are more. */
function stepsOf(tree: Regex, text: string, max: number): number {
  let steps = 0
  type Then = (at: number) => void
  function match(node: Regex, at: number, then: Then): void {
    steps += 1
    if (steps >= max) return
    if (node.kind === 'set') {
      const point = text.codePointAt(at) ?? -1
      if (node.ranges.some(([first, last]) => first <= point && point <= last)) then(at + 1)
    } else if (node.kind === 'choice') for (const option of node.options) match(option, at, then)
    else if (node.kind === 'sequence') follow(node.items, at, then)
    else rounds(node, { count: 0, at }, then)
  }
  function follow([item, ...rest]: readonly Regex[], at: number, then: Then): void {
    if (item === undefined) then(at)
    else match(item, at, (next) => follow(rest, next, then))
  }
  function rounds(
    node: Extract<Regex, { kind: 'repeat' }>,
    { count, at }: { count: number; at: number },
    then: Then,
  ): void {
    if (count >= node.min) then(at)
    if (count >= node.max) return
    match(node.item, at, (next) => {
      if (next > at || count < node.min) rounds(node, { count: count + 1, at: next }, then)
    })
  }
  match(tree, 0, () => {})
  return steps
}

describe('the steps of a matcher that goes back', () => {
  const stepsMax = 2_000_000
  const units = ['a', 'b', 'ab', 'aab', 'abb']
  const isCheap = (pattern: string): boolean =>
    units.every((unit) => {
      const tree = parseRegex(pattern)
      const [few, many] = [24, 48].map((length) => stepsOf(tree, unit.repeat(length).slice(0, length), stepsMax))
      // A number of runs that grows with the square of the length, tried from each of its characters: 8 and some more.
      return few !== undefined && many !== undefined && many < stepsMax && many < 300 + few * 20
    })

  const pattern = fc.letrec<{ all: string; atom: string; piece: string }>((tie) => ({
    atom: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '.'),
      tie('all').map((inner) => `(${inner})`),
    ),
    piece: fc
      .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,4}', '{0,12}', '{3,}'))
      .map((parts) => parts.join('')),
    all: fc
      .array(fc.array(tie('piece'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((options) => options.map((pieces) => pieces.join('')).join('|')),
  })).all

  test('are few for any expression that passes', () => {
    let passed = 0
    fc.assert(
      fc.property(pattern, (each) => {
        try {
          check(each)
        } catch {
          return
        }
        passed += 1
        expect([each, isCheap(each)]).toEqual([each, true])
      }),
      { numRuns: 500 },
    )
    expect(passed).toBeGreaterThan(30)
  })

  test('are too many for those that are refused', () => {
    for (const each of ['(a|aa)+b', '(ab|a|b)+c', '(a?){50}a{50}', '(a+)+', '(a|b|ab)*c', 'a*a*a*a*a*b'])
      expect([each, isCheap(each)]).toEqual([each, false])
  })
})

describe('the cost of the check grows with the length of the expression only', () => {
  const families: Readonly<Record<string, (size: number) => string>> = {
    'a long choice of characters': (size) =>
      Array.from({ length: size / 2 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('|'),
    'a long choice of words': (size) =>
      Array.from({ length: size / 4 }, (_, at) => at.toString(36).padStart(3, 'x')).join('|'),
    'a repeated choice': (size) => `(${Array.from({ length: size / 2 }, () => 'a').join('|')})*`,
    'a repeated choice of words': (size) =>
      `(${Array.from({ length: size / 5 }, (_, at) => `a${at % 1000}`).join('|')})*`,
    'a long sequence': (size) => 'ab'.repeat(size / 2),
    'what may be left out': (size) => 'a?'.repeat(size / 2),
    'many sets': (size) => '[a-cx]'.repeat(size / 6),
    'a large set': (size) =>
      `[${Array.from({ length: size / 2 }, (_, at) => String.fromCodePoint(0x4e00 + at * 2)).join('')}]*`,
    'loops in a row': (size) => 'a*b'.repeat(size / 3),
    'loops that share a text': (size) => '.*a'.repeat(size / 3),
    'a count': (size) => `a{${size}}`,
  }
  for (const [what, make] of Object.entries(families)) test(what, () => expectLinear({ from: 240, make, run: check }))
})

import { describe, expect, test } from 'bun:test'
import { checkBounds } from './bounds.ts'
import { gbnfOf } from './gbnf.ts'
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
    'for what is no expression': [
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
    ],
    'for its size': ['a{100000}', '((a{100}){100}){100}', 'x'.repeat(2001), '('.repeat(60) + ')'.repeat(60)],
  }
  for (const [why, patterns] of Object.entries(refused)) {
    for (const pattern of patterns) {
      test(`${why}: ${pattern.slice(0, 40)}`, () => expect(() => check(pattern)).toThrow(RegexProblem))
    }
  }
})

describe('the grammar of an expression', () => {
  const grammars: Readonly<Record<string, string>> = {
    'yes|no': 'root ::= [y] [e] [s] | [n] [o]',
    '\\d{4}-\\d{1,2}': 'root ::= [0-9]{4} [\\x2d] [0-9]{1,2}',
    '(ab)*c?d+e{2,}': 'root ::= ([a] [b])* [c]? [d]+ [e]{2,}',
    '"🌊"': 'root ::= [\\x22] [\\U0001f30a] [\\x22]',
    '(a|)b': 'root ::= ([a] | "") [b]',
  }
  for (const [pattern, grammar] of Object.entries(grammars)) {
    test(`of ${pattern}`, () => expect(gbnfOf(check(pattern))).toBe(grammar))
  }
})

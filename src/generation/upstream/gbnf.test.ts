import { describe, expect, test } from 'bun:test'
import { parseRegex } from '#lib/regex/parse.ts'
import { gbnfOf } from './gbnf.ts'

describe('the grammar of an expression', () => {
  const grammars: Readonly<Record<string, string>> = {
    'yes|no': 'root ::= [y] [e] [s] | [n] [o]',
    '\\d{4}-\\d{1,2}': 'root ::= [0-9]{4} [\\x2d] [0-9]{1,2}',
    '(ab)*c?d+e{2,}': 'root ::= ([a] [b])* [c]? [d]+ [e]{2,}',
    '"🌊"': 'root ::= [\\x22] [\\U0001f30a] [\\x22]',
    '(a|)b': 'root ::= ([a] | "") [b]',
  }
  for (const [pattern, grammar] of Object.entries(grammars)) {
    test(`of ${pattern}`, () => expect(gbnfOf(parseRegex(pattern))).toBe(grammar))
  }
})

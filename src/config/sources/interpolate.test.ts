import { expect, test } from 'bun:test'
import { assert, dictionary, property, string } from 'fast-check'
import { interpolate, referencedVariables, type InterpolationFault } from './interpolate.ts'

function run(
  value: unknown,
  environment: Record<string, string> = {},
): { result: unknown; faults: InterpolationFault[] } {
  const faults: InterpolationFault[] = []
  return { result: interpolate(value, 'top', environment, faults), faults }
}

test('references are replaced wherever a string stands', () => {
  const { result, faults } = run({ a: ['x${A}y${B}', 5, null, true], b: { c: '${A}' } }, { A: '1', B: '2' })
  expect(result).toEqual({ a: ['x1y2', 5, null, true], b: { c: '1' } })
  expect(faults).toEqual([])
})

test('a value that is put in is not read again', () => {
  expect(run('${A}', { A: '${B} $& $1', B: 'no' }).result).toBe('${B} $& $1')
})

test('$${ stands for a literal ${', () => {
  expect(run('$${A} ${A} $$ $A', { A: 'x' })).toEqual({ result: '${A} x $$ $A', faults: [] })
})

test('an unset or blank variable is a fault with the path of its string', () => {
  const { result, faults } = run({ list: [{ key: '${GONE}${BLANK}' }] }, { BLANK: ' ' })
  expect(result).toEqual({ list: [{ key: '${GONE}${BLANK}' }] })
  expect(faults).toEqual([
    { path: 'top.list[0].key', reference: '${GONE}', reason: 'missing' },
    { path: 'top.list[0].key', reference: '${BLANK}', reason: 'missing' },
  ])
})

test.each(['${}', '${A-B}', '${A:-x}', '${A', '${ A }', '${1A}'])('%s is malformed, and is not shown', (text) => {
  expect(run(text, { A: 'x' }).faults).toEqual([{ path: 'top', reference: '${…}', reason: 'malformed' }])
})

test('names of the language itself are not variables', () => {
  expect(run('${constructor}${__proto__}').faults).toHaveLength(2)
})

test('text without a reference stays as it is', () => {
  assert(
    property(dictionary(string(), string()), (tree) => {
      const plain = Object.fromEntries(Object.entries(tree).map(([key, text]) => [key, text.replaceAll('${', '$')]))
      expect(run(plain)).toEqual({ result: plain, faults: [] })
    }),
  )
})

test('the variables of a text are found, but not the escaped ones', () => {
  expect(referencedVariables('a: ${A}\nb: "$${B} ${C} ${A}"')).toEqual(new Set(['A', 'C']))
})

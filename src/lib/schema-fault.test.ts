import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { firstFault } from './schema-fault.ts'

const schema = z.strictObject({
  text: z.union([z.string(), z.array(z.string())]),
  count: z.int().min(1).max(5).nullish(),
  share: z.number().gt(0).lt(1).nullish(),
  kind: z.enum(['x', 'y']).nullish(),
  only: z.literal('q').nullish(),
  flag: z.boolean().nullish(),
  list: z.array(z.string().min(2).max(3)).min(1).max(2).nullish(),
  map: z.record(z.string().regex(/^a/, 'expected a name that begins with a'), z.int()).nullish(),
  own: z.string('expected a word of ours').nullish(),
  nested: z.object({ deep: z.array(z.object({ name: z.string() })) }).nullish(),
  form: z.union([z.object({ a: z.object({ b: z.int() }) }), z.null()]).optional(),
})

const faults: readonly (readonly [value: unknown, param: string | null, message: string])[] = [
  [5, null, 'expected an object'],
  [{}, 'text', 'expected a string or an array, and it is missing'],
  [{ text: 3 }, 'text', 'expected a string or an array'],
  [{ text: ['a', 3] }, 'text.1', 'expected a string'],
  [{ text: '', count: 1.5 }, 'count', 'expected a whole number'],
  [{ text: '', count: 'x' }, 'count', 'expected a number'],
  [{ text: '', count: 0 }, 'count', 'expected at least 1'],
  [{ text: '', count: 6 }, 'count', 'expected at most 5'],
  [{ text: '', share: 0 }, 'share', 'expected more than 0'],
  [{ text: '', share: 1 }, 'share', 'expected less than 1'],
  [{ text: '', kind: 3 }, 'kind', 'expected one of "x", "y"'],
  [{ text: '', only: 3 }, 'only', 'expected "q"'],
  [{ text: '', flag: 'yes' }, 'flag', 'expected true or false'],
  [{ text: '', list: {} }, 'list', 'expected an array'],
  [{ text: '', list: [] }, 'list', 'expected at least 1 item'],
  [{ text: '', list: ['aa', 'bb', 'cc'] }, 'list', 'expected at most 2 items'],
  [{ text: '', list: ['a'] }, 'list.0', 'expected at least 2 characters'],
  [{ text: '', map: 'x' }, 'map', 'expected an object'],
  [{ text: '', map: { b: 1 } }, 'map.b', 'expected a name that begins with a'],
  [{ text: '', map: { a: 'x' } }, 'map.a', 'expected a number'],
  [{ text: '', own: 3 }, 'own', 'expected a word of ours'],
  [{ text: '', nested: { deep: [{ name: 'a' }, {}] } }, 'nested.deep.1.name', 'expected a string, and it is missing'],
  [{ text: '', form: { a: { b: 'x' } } }, 'form.a.b', 'expected a number'],
  [{ text: '', form: 3 }, 'form', 'expected an object or null'],
  [{ text: '', other: 3 }, 'other', 'there is no such field'],
]

test.each(faults)('%j', (value, param, message) => {
  const { error } = schema.safeParse(value)
  expect(error && firstFault(error)).toEqual({ param, message })
})

test('any value that is refused has a fault in plain words that names a field and repeats no value', () => {
  const field = fc.constantFrom(...Object.keys(schema.shape))
  fc.assert(
    fc.property(fc.dictionary(field, fc.jsonValue({ maxDepth: 3 })), (sent) => {
      const secret = JSON.parse(JSON.stringify(sent), (_, value: unknown) =>
        typeof value === 'string' ? `secret-${value}` : value,
      ) as object
      const { error } = schema.safeParse({ text: 'a', ...secret })
      if (error === undefined) return
      const { param, message } = firstFault(error)
      expect(Object.keys(schema.shape)).toContain(param?.split('.')[0] ?? '')
      expect(message).toMatch(/^expected [\w ",-]+$/)
      expect(message).not.toMatch(/secret-|received|undefined|nullish/)
    }),
    { numRuns: 500 },
  )
})

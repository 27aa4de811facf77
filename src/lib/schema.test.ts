import { describe, expect, test } from 'bun:test'
import { z as zod } from 'zod'
import { z } from './schema.ts'

/** The same schemas from both, each with every way in which schemas are put together. */
function schemasOf(from: typeof z): Readonly<Record<string, zod.ZodType>> {
  const name = from.string().trim().min(2).max(5).describe('A name').meta({ id: 'Name' })
  const item = from.strictObject({
    name,
    size: from.int().min(0).default(3),
    tags: from.array(name).nullish(),
    at: from.iso.datetime({ offset: true }).optional(),
    kind: from.enum(['small', 'large']).catch('small'),
  })
  // From here on it is made, in ours as well.
  item.safeParse({})
  const tree: zod.ZodType = from.lazy(() => from.union([from.boolean(), from.object({ left: tree, right: tree })]))
  return {
    name,
    item,
    longer: item.extend({ more: from.record(from.string(), from.unknown()) }).partial(),
    without: item.omit({ size: true }),
    parts: from.looseObject({
      ...item.shape,
      tags: item.shape.tags.or(item.shape.at),
      all: from.array(item).optional(),
    }),
    either: from.discriminatedUnion('type', [
      from.object({ type: from.literal('a'), a: name }).meta({ id: 'A' }),
      from.looseObject({ type: from.literal('b'), b: from.number().gt(1).or(from.null()) }),
    ]),
    count: from.coerce.number('expected a number').int().min(1).max(9),
    refined: from
      .string()
      .transform((text, context) => (text === 'no' ? (context.addIssue('not that'), from.NEVER) : text.length))
      .refine((length) => length < 4, 'too long'),
    tree,
  }
}

const ours = schemasOf(z)
const zods = schemasOf(zod as unknown as typeof z)
const values: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  7,
  '5',
  'no',
  'abc',
  ' abc ',
  'abcdef',
  [],
  {},
  { name: 'abc' },
  { name: 'a', size: -1, tags: ['abc', 1], at: 'soon', kind: 'none', other: 1 },
  { name: 'abc', size: 1, tags: ['abc'], at: '2026-01-31T00:00:00Z', kind: 'large' },
  { type: 'a', a: 'abc' },
  { type: 'b', b: null, more: 1 },
  { type: 'c' },
  { left: true, right: { left: false, right: 1 } },
]

describe.each(Object.keys(zods))('the schema %s behaves as the one of Zod:', (name) => {
  const [our, their] = [ours[name]!, zods[name]!]

  test('it accepts the same, makes the same of it, and finds the same faults in what it refuses', () => {
    for (const value of values) {
      const [found, expected] = [our.safeParse(value), their.safeParse(value)]
      expect(found.data).toEqual(expected.data)
      expect(found.error?.issues).toEqual(expected.error?.issues)
    }
  })

  test('its JSON Schema is the same, names and descriptions within it as well', () => {
    for (const io of ['input', 'output'] as const) {
      const params = { io, unrepresentable: 'any' } as const
      expect(z.toJSONSchema(our, params)).toEqual(zod.toJSONSchema(their, params))
      const within = z.toJSONSchema(z.object({ root: z.array(our) }), params)
      expect(within).toEqual(zod.toJSONSchema(zod.object({ root: zod.array(their) }), params))
    }
  })
})

test('a schema is made by its first use, and its parts with it; what was only described never is', () => {
  let made = 0
  const options = {
    error: 'none',
    get path() {
      made += 1
      return []
    },
  }
  const counted = () => z.string().refine(() => true, options)
  const [used, unused] = [z.object({ part: counted() }), z.object({ part: counted().optional() }).partial()]
  expect(made).toBe(0)
  expect(used.safeParse({ part: 'text' }).success).toBe(true)
  const once = made
  expect(once).toBeGreaterThan(0)
  expect(used.parse({ part: 'text' })).toEqual({ part: 'text' })
  expect(made).toBe(once)
  expect(unused.safeParse({}).success).toBe(true)
  expect(made).toBeGreaterThan(once)
})

test('a schema tells its class and its shape', () => {
  const schema = z.object({ name: z.string().optional() })
  expect(schema instanceof z.ZodObject).toBe(true)
  expect(schema instanceof z.ZodString).toBe(false)
  expect(schema.shape.name instanceof z.ZodOptional).toBe(true)
  expect(Object.keys(schema.shape)).toEqual(['name'])
})

test('no module of the server makes schemas at its loading by importing Zod itself', async () => {
  const source = new URL('..', import.meta.url).pathname
  const importing = []
  for await (const file of new Bun.Glob('**/*.ts').scan(source)) {
    if (file === 'lib/schema.ts' || file.endsWith('.test.ts')) continue
    if (/^import (?!type )[^']* from 'zod'/m.test(await Bun.file(source + file).text())) importing.push(file)
  }
  expect(importing).toEqual([])
})

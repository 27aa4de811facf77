/** The table of keywords agrees with a validator of the two drafts that it stands for. */
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { followsSchemaRules } from './schema-rules.ts'

const options = { strict: false, validateFormats: false, unicodeRegExp: false, logger: false } as const
const newest = new Ajv2020(options)
const draft7 = new Ajv(options)

/**
 * Not `$schema`, which makes the validator look for the draft that it names, nor what only
 * draft 7 has, nor "enum", whose values are not compared with each other here.
 */
const keywords = `
  $ref $anchor $comment $defs definitions title description deprecated readOnly writeOnly examples default const type
  multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength pattern format contentMediaType
  contentEncoding contentSchema items prefixItems unevaluatedItems contains maxContains minContains maxItems minItems
  uniqueItems properties patternProperties additionalProperties unevaluatedProperties propertyNames maxProperties
  minProperties required dependentRequired dependentSchemas dependencies if then else allOf anyOf oneOf not unknown
`
  .trim()
  .split(/\s+/)

/** Values that a keyword may or may not hold, among them schemas. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(true, false, 0, 1, -1, 1.5, null, 'string', 'object', '', [], {}, ['a', 'b'], ['a', 'a']),
    fc.constantFrom<unknown>(['string', 'null'], ['string', 'string'], 1e300, 'integer'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'type'), tie('value'), { maxKeys: 2 }),
    tie('schema'),
  ),
  schema: fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 3 }),
}))

test('what the newest draft takes is taken, and what both drafts refuse is refused', () => {
  fc.assert(
    fc.property(fc.constantFrom(...keywords), value, (keyword, held) => {
      const schema = { [keyword]: held } as AnySchema
      const follows = followsSchemaRules(schema)
      const isNewest = newest.validateSchema(schema) === true
      const isDraft7 = draft7.validateSchema(schema) === true
      if (isNewest) expect(follows).toBe(true)
      if (!isNewest && !isDraft7) expect(follows).toBe(false)
    }),
    { numRuns: 5000 },
  )
})

test('what only draft 7 has is taken', () => {
  for (const schema of [{ items: [{ type: 'string' }], additionalItems: false }, { dependencies: { a: ['b'] } }]) {
    expect(draft7.validateSchema(schema)).toBe(true)
    expect(followsSchemaRules(schema)).toBe(true)
  }
})

test('a list of values is not empty', () => {
  for (const [list, follows] of [
    [['a', 'a'], true],
    [[null], true],
    [[], false],
    [5, false],
  ] as const)
    expect(followsSchemaRules({ properties: { a: { enum: list } } })).toBe(follows)
})

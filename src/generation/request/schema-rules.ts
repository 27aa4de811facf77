/**
 * What each keyword of a JSON schema may hold. One table for draft 2020-12 and draft 7, for which most schemas without
 * `$schema` are written: where they differ, either is taken. Unknown keywords may hold anything, as both say.
 *
 * Source: https://json-schema.org/draft/2020-12/schema and https://json-schema.org/draft-07/schema
 */
import { z } from '#lib/schema.ts'

const schema: z.ZodType = z.lazy(() => z.union([z.boolean(), rules]))
const schemas = z.array(schema).min(1)
const schemaMap = z.record(z.string(), schema)
const texts = z.array(z.string()).refine(hasNoRepeats)
const integer = z.number().refine(Number.isInteger)
const count = integer.refine((value) => value >= 0)
const type = z.enum(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

/** Each rule with the keywords that it holds for. */
const keywords: readonly (readonly [z.ZodType, readonly string[]])[] = [
  [schema, ['if', 'then', 'else', 'not', 'contains', 'propertyNames', 'contentSchema']],
  [schema, ['additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']],
  [schemas, ['allOf', 'anyOf', 'oneOf', 'prefixItems']],
  [z.union([schema, schemas]), ['items']],
  [schemaMap, ['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']],
  [z.record(z.string(), texts), ['dependentRequired']],
  [z.record(z.string(), z.union([schema, texts])), ['dependencies']],
  [z.union([type, z.array(type).min(1).refine(hasNoRepeats)]), ['type']],
  [z.array(z.unknown()).min(1), ['enum']],
  [z.array(z.unknown()), ['examples']],
  [texts, ['required']],
  [z.string(), ['$schema', '$ref', '$anchor', '$comment', 'title', 'description', 'pattern', 'format']],
  [z.string(), ['contentMediaType', 'contentEncoding']],
  [z.boolean(), ['deprecated', 'readOnly', 'writeOnly', 'uniqueItems']],
  [z.number(), ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum']],
  [z.number().positive(), ['multipleOf']],
  [count, ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxContains', 'minContains']],
  [count, ['maxProperties', 'minProperties']],
]

const rules = z.looseObject(
  Object.fromEntries(keywords.flatMap(([rule, names]) => names.map((name) => [name, rule.optional()]))),
)

/** Whether every keyword of the schema and of the schemas in it holds what it may. */
export function followsSchemaRules(value: unknown): boolean {
  return schema.safeParse(value).success
}

function hasNoRepeats(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

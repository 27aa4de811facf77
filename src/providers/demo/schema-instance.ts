/**
 * Makes the smallest JSON value that satisfies a JSON Schema, for the answers of the practice
 * provider that must be valid and claim nothing.
 *
 * Honoured: $ref within the document, const, enum, anyOf, oneOf, allOf, type, properties, required,
 * items, prefixItems, minItems, minLength, format, the numeric bounds and multipleOf. Not honoured:
 * pattern, not, if/then, uniqueItems, dependent keywords.
 * Source: https://json-schema.org/draft/2020-12/json-schema-validation
 */
import { isObject, type JsonValue } from '#lib/json-value.ts'

type Schema = Readonly<Record<string, unknown>>

/** Limits that keep a hostile schema from costing more than a moment. */
const nodesMax = 20_000
const openMax = 256
const stringLengthMax = 10_000

interface Making {
  readonly root: unknown
  /** Schemas being filled in further up: meeting one again means that this branch never ends. */
  readonly open: Set<Schema>
  nodes: number
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2000-01-01T00:00:00Z',
  date: '2000-01-01',
  time: '00:00:00Z',
  duration: 'PT0S',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** The instance, or undefined when the schema has none that this file can find within its limits. */
export function schemaInstance(schema: unknown): JsonValue | undefined {
  return instanceOf(schema, { root: schema, open: new Set(), nodes: 0 })
}

function instanceOf(schema: unknown, making: Making): JsonValue | undefined {
  return schema === true ? {} : combined({}, [schema], making)
}

/** The instance that satisfies `base` and every part at once. */
function combined(base: Schema, parts: readonly unknown[], making: Making): JsonValue | undefined {
  making.nodes += 1
  if (making.nodes > nodesMax || making.open.size > openMax) return undefined
  const resolved = parts.filter((part) => part !== true).flatMap((part) => followed(part, making.root))
  if (!resolved.every(isObject) || resolved.some((part) => making.open.has(part))) return undefined
  for (const part of resolved) making.open.add(part)
  try {
    return fill(resolved.reduce(united, base), making)
  } finally {
    for (const part of resolved) making.open.delete(part)
  }
}

function fill(schema: Schema, making: Making): JsonValue | undefined {
  const { const: constant, enum: allowed, allOf, ...beyondAllOf } = schema
  if (constant !== undefined) return constant as JsonValue
  if (Array.isArray(allowed)) return allowed[0] as JsonValue | undefined
  if (Array.isArray(allOf)) return combined(beyondAllOf, allOf, making)
  const { anyOf, ...beyondAnyOf } = beyondAllOf
  if (Array.isArray(anyOf)) return firstMade(anyOf, (option) => combined(beyondAnyOf, [option], making))
  const { oneOf, ...beyondOneOf } = beyondAnyOf
  if (Array.isArray(oneOf)) return firstMade(oneOf, (option) => combined(beyondOneOf, [option], making))
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? impliedType(schema)]
  return firstMade(types, (type) => ofType(type, schema, making))
}

function ofType(type: unknown, schema: Schema, making: Making): JsonValue | undefined {
  if (type === 'object') return objectOf(schema, making)
  if (type === 'array') return arrayOf(schema, making)
  if (type === 'string') return stringOf(schema)
  if (type === 'integer' || type === 'number') return numberOf(schema, type === 'integer')
  if (type === 'boolean') return false
  return type === 'null' ? null : undefined
}

function objectOf(schema: Schema, making: Making): JsonValue | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const entries: [string, JsonValue][] = []
  for (const name of new Set(required)) {
    if (typeof name !== 'string') return undefined
    const property = Object.hasOwn(properties, name) ? properties[name] : (schema['additionalProperties'] ?? true)
    const value = instanceOf(property, making)
    if (value === undefined) return undefined
    entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

function arrayOf(schema: Schema, making: Making): JsonValue | undefined {
  const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
  const values: JsonValue[] = []
  for (let index = 0; index < bound(schema['minItems'], 0); index += 1) {
    const value = instanceOf(prefix[index] ?? schema['items'] ?? true, making)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function stringOf(schema: Schema): JsonValue | undefined {
  const format = schema['format']
  if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]
  const length = bound(schema['minLength'], 0)
  return length > stringLengthMax ? undefined : 'a'.repeat(length)
}

/** The allowed number nearest to zero: zero itself, or one at an edge of the range. */
function numberOf(schema: Schema, whole: boolean): JsonValue | undefined {
  const step = bound(schema['multipleOf'], whole ? 1 : 0)
  const least = bound(schema['minimum'], -Infinity)
  const above = bound(schema['exclusiveMinimum'], -Infinity)
  const most = bound(schema['maximum'], Infinity)
  const below = bound(schema['exclusiveMaximum'], Infinity)
  const low = Math.max(least, above)
  const high = Math.min(most, below)
  const inSteps = [
    Math.ceil(low / step),
    Math.floor(low / step) + 1,
    Math.floor(high / step),
    Math.ceil(high / step) - 1,
  ]
  const edges = step > 0 ? inSteps.map((steps) => steps * step) : [low, high, (low + high) / 2, low + 1, high - 1]
  return [0, ...edges]
    .filter((value) => value >= least && value > above && value <= most && value < below && Number.isFinite(value))
    .toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]
}

/** A schema, and behind its $ref the schemas that it stands for; holds undefined when a reference leads nowhere. */
function followed(schema: unknown, root: unknown): readonly unknown[] {
  const parts: unknown[] = []
  const seen = new Set<unknown>()
  let next = schema
  while (isObject(next) && typeof next['$ref'] === 'string') {
    if (seen.has(next)) return [undefined]
    seen.add(next)
    const { $ref: ref, ...beside } = next
    parts.push(beside)
    next = targetOf(String(ref), root)
  }
  return [...parts, next]
}

/** Two schemas as one: lists and properties are united, of other keywords the second's counts. */
function united(first: Schema, second: Schema): Schema {
  if (Object.keys(first).length === 0) return second
  const both: Record<string, unknown> = { ...first, ...second }
  if (isObject(first['properties']) && isObject(second['properties'])) {
    both['properties'] = { ...first['properties'], ...second['properties'] }
  }
  for (const list of ['required', 'allOf']) {
    const lists: readonly unknown[] = [first[list], second[list]]
    if (lists.every(Array.isArray)) both[list] = lists.flat()
  }
  return both
}

/** Follows a JSON Pointer fragment (RFC 6901); references out of the document have no target. */
function targetOf(ref: string, root: unknown): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let target = root
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined
    target = (target as Schema)[key]
  }
  return target
}

function impliedType(schema: Schema): string {
  if (schema['items'] !== undefined || schema['minItems'] !== undefined) return 'array'
  if (schema['minLength'] !== undefined || schema['format'] !== undefined) return 'string'
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'number' : 'object'
}

function firstMade<T>(options: readonly T[], make: (option: T) => JsonValue | undefined): JsonValue | undefined {
  for (const option of options) {
    const value = make(option)
    if (value !== undefined) return value
  }
  return undefined
}

function bound(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}

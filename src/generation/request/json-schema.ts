/**
 * Checks a JSON schema from a caller: small, without references to anywhere else, its patterns as
 * harmless as an expression of its own would have to be, and valid by the rules of JSON Schema. It is
 * not compiled: that takes hundreds of milliseconds for schemas that are small enough, and all
 * other requests would wait for it.
 */
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ApiError } from '#errors/api-error.ts'
import { isObject, type JsonValue } from '#lib/json-value.ts'
import { checkBounds } from '#lib/regex/bounds.ts'
import { parseRegex } from '#lib/regex/parse.ts'
import { RegexProblem } from '#lib/regex/syntax.ts'
import { checkReferences, type References } from './schema-references.ts'

const charactersMax = 65_536
const depthMax = 32
const nodesMax = 2000
/** What they hold is values and no part of the schema. */
const valueKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])
/** What they hold is schemas by names, which are no keywords whatever they are. */
const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
/** They name other documents, or parts of this one that are found only while it is used. */
const refusedKeywords: ReadonlySet<string> = new Set(['$id', 'id', '$dynamicRef', '$recursiveRef', '$async', '$data'])

type JsonObject = { readonly [name: string]: JsonValue }

/** The schema as JSON; one that was sent as text is parsed. Answers 422 by throwing. */
export function checkJsonSchema(sent: unknown): JsonValue {
  const schema = typeof sent === 'string' ? parsed(sent) : sent
  if (schema === false) throw refused('no value satisfies it')
  if (schema !== true && !isObject(schema)) throw refused('it must be an object, true, or a text that holds one')
  if (schema === true) return {}
  // What the body held was JSON. Its depth comes first: everything after it goes down recursively.
  const json = schema as JsonObject
  const references: References = { pointers: new Map(), anchors: new Map() }
  const { $schema: _, ...rules } = walkSchema(json, 0, { nodes: 0, references }) as JsonObject
  if (JSON.stringify(json).length > charactersMax) throw refused(`it is longer than ${charactersMax} characters`)
  if (!isValid(rules)) throw refused('it is no valid schema')
  const problem = checkReferences(json, references)
  if (problem !== null) throw refused(problem)
  return json
}

function parsed(text: string): unknown {
  try {
    return text.length > charactersMax ? null : (JSON.parse(text) as unknown)
  } catch {
    throw refused('the text holds no JSON')
  }
}

interface Walk {
  nodes: number
  readonly references: References
}

/** Checks a schema; returns it without the values in it, which any rule of JSON Schema allows. */
function walkSchema(node: JsonValue, depth: number, walk: Walk): JsonValue {
  if (!isObject(node)) return walkEach(node, depth, walk)
  count(depth, walk)
  if (typeof node['$ref'] === 'string') walk.references.pointers.set(node, node['$ref'])
  if (typeof node['$anchor'] === 'string') walk.references.anchors.set(node['$anchor'], node)
  return Object.fromEntries(
    Object.entries(node).flatMap(([keyword, value]) => {
      checkKeyword(keyword, value)
      const rule = ruleOf(keyword, value, depth + 1, walk)
      return rule === undefined ? [] : [[keyword, rule]]
    }),
  )
}

/** What a keyword says, without values. */
function ruleOf(keyword: string, value: JsonValue, depth: number, walk: Walk): JsonValue | undefined {
  if (mapKeywords.has(keyword) && isObject(value)) return walkMap(value, depth, walk)
  if (!valueKeywords.has(keyword)) return walkSchema(value, depth, walk)
  // One that holds nothing, or no list, is still no valid schema.
  if (keyword === 'enum') return Array.isArray(value) ? value.slice(0, 1) : value
  return undefined
}

function walkMap(map: JsonObject, depth: number, walk: Walk): JsonValue {
  count(depth, walk)
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, walkSchema(value, depth + 1, walk)]))
}

function walkEach(node: JsonValue, depth: number, walk: Walk): JsonValue {
  count(depth, walk)
  return Array.isArray(node) ? node.map((item: JsonValue) => walkSchema(item, depth + 1, walk)) : node
}

function count(depth: number, walk: Walk): void {
  walk.nodes += 1
  if (walk.nodes > nodesMax) throw refused(`it has more than ${nodesMax} parts`)
  if (depth > depthMax) throw refused(`it is nested deeper than ${depthMax}`)
}

function checkKeyword(keyword: string, value: JsonValue): void {
  if (refusedKeywords.has(keyword) && typeof value !== 'object') throw refused(`"${keyword}" is not taken`)
  if (keyword === '$ref' && typeof value === 'string' && !value.startsWith('#'))
    throw refused('a "$ref" may only lead to a part of the schema itself')
  if (keyword === 'pattern' && typeof value === 'string') checkPattern(value)
  if (keyword === 'patternProperties' && isObject(value)) Object.keys(value).forEach(checkPattern)
}

function checkPattern(pattern: string): void {
  try {
    checkBounds(parseRegex(pattern))
  } catch (thrown) {
    if (thrown instanceof RegexProblem) throw refused(`of a pattern in it, ${thrown.message}`)
    throw thrown
  }
}

let rulesOfSchemas: readonly Ajv[] | null = null

/** By the newest rules, or by those that most schemas without a word about it were written for. */
function isValid(schema: JsonValue): boolean {
  const options = { strict: false, validateFormats: false, unicodeRegExp: false, logger: false } as const
  // Made when first needed: they compile their own rules, which takes longer than any check.
  rulesOfSchemas ??= [new Ajv2020(options), new Ajv(options)]
  return rulesOfSchemas.some((rules) => rules.validateSchema(schema as object) === true)
}

function refused(why: string): ApiError {
  return new ApiError('invalid_json_schema', {
    param: 'json_schema',
    message: `The JSON schema cannot be used: ${why}.`,
  })
}

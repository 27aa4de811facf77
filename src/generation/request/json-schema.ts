/**
 * Checks a JSON schema from a caller: small, without references to anywhere else, its patterns as
 * harmless as an expression of its own would have to be, and valid by the rules of JSON Schema. No validator is
 * compiled: that takes hundreds of milliseconds for schemas that are small enough, and all
 * other requests would wait for it.
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject, type JsonValue } from '#lib/json-value.ts'
import type { Budget } from '#lib/regex/automaton.ts'
import { checkBounds, checkBudget } from '#lib/regex/bounds.ts'
import { parseRegex } from '#lib/regex/parse.ts'
import { RegexProblem } from '#lib/regex/syntax.ts'
import { checkReferences, type References } from './schema-references.ts'
import { followsSchemaRules } from './schema-rules.ts'

const charactersMax = 65_536
const depthMax = 32
const nodesMax = 2000
/** What they hold is values and no part of the schema. */
const valueKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])
/** They hold schemas by name; such a name is never a keyword, whatever it is. */
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
  // What the body held was JSON. Its size comes first, then its depth: everything after it goes down recursively.
  const json = schema as JsonObject
  if (isLong(json)) throw tooLong()
  const references: References = { pointers: new Map(), anchors: new Map() }
  const walk = { nodes: 0, references, patterns: { left: checkBudget } }
  walkSchema(json, 0, walk)
  if (JSON.stringify(json).length > charactersMax) throw tooLong()
  if (!followsSchemaRules(json)) throw refused('it is not a valid schema')
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

/** Whether the JSON is certainly longer than the limit, found out without more work than the limit allows. */
function isLong(json: JsonValue): boolean {
  const open: JsonValue[] = [json]
  let characters = 0
  for (let value = open.pop(); value !== undefined && characters <= charactersMax; value = open.pop()) {
    // At least a character and a comma.
    characters += typeof value === 'string' ? value.length + 3 : 2
    if (Array.isArray(value)) characters += pushItems(value, open)
    else if (typeof value === 'object' && value !== null) characters += pushFields(value as JsonObject, open)
  }
  return characters > charactersMax
}

/** Adds the items, unless there are too many; the characters that separate them. */
function pushItems(items: readonly JsonValue[], open: JsonValue[]): number {
  if (items.length <= charactersMax) for (const item of items) open.push(item)
  return items.length
}

/** Adds what the fields hold, as far as they are not too long; the characters of their names. */
function pushFields(fields: JsonObject, open: JsonValue[]): number {
  let characters = 0
  for (const name in fields) {
    characters += name.length + 3
    if (characters > charactersMax) break
    open.push(fields[name] ?? null)
  }
  return characters
}

function tooLong(): ApiError {
  return refused(`it is longer than ${charactersMax} characters`)
}

interface Walk {
  nodes: number
  readonly references: References
  /** Work that may still be done on patterns, of all together. */
  readonly patterns: Budget
}

function walkSchema(node: JsonValue, depth: number, walk: Walk): void {
  if (!isObject(node)) return walkEach(node, depth, walk)
  count(depth, walk)
  if (typeof node['$ref'] === 'string') walk.references.pointers.set(node, node['$ref'])
  if (typeof node['$anchor'] === 'string') walk.references.anchors.set(node['$anchor'], node)
  for (const [keyword, value] of Object.entries(node)) {
    checkKeyword(keyword, value, walk)
    if (mapKeywords.has(keyword) && isObject(value)) walkMap(value, depth + 1, walk)
    else if (!valueKeywords.has(keyword)) walkSchema(value, depth + 1, walk)
  }
}

function walkMap(map: JsonObject, depth: number, walk: Walk): void {
  count(depth, walk)
  for (const value of Object.values(map)) walkSchema(value, depth + 1, walk)
}

function walkEach(node: JsonValue, depth: number, walk: Walk): void {
  count(depth, walk)
  if (Array.isArray(node)) for (const item of node) walkSchema(item as JsonValue, depth + 1, walk)
}

function count(depth: number, walk: Walk): void {
  walk.nodes += 1
  if (walk.nodes > nodesMax) throw refused(`it has more than ${nodesMax} parts`)
  if (depth > depthMax) throw refused(`it is nested deeper than ${depthMax}`)
}

function checkKeyword(keyword: string, value: JsonValue, { patterns }: Walk): void {
  if (refusedKeywords.has(keyword) && typeof value !== 'object') throw refused(`"${keyword}" is not taken`)
  if (keyword === '$ref' && typeof value === 'string' && !value.startsWith('#'))
    throw refused('a "$ref" may only lead to a part of the schema itself')
  if (keyword === 'pattern' && typeof value === 'string') checkPattern(value, patterns)
  if (keyword === 'patternProperties' && isObject(value)) {
    for (const pattern of Object.keys(value)) checkPattern(pattern, patterns)
  }
}

function checkPattern(pattern: string, budget: Budget): void {
  try {
    checkBounds(parseRegex(pattern), budget)
  } catch (thrown) {
    if (thrown instanceof RegexProblem) throw refused(`of a pattern in it, ${thrown.message}`)
    throw thrown
  }
}

function refused(why: string): ApiError {
  return new ApiError('invalid_json_schema', {
    param: 'json_schema',
    message: `The JSON schema cannot be used: ${why}.`,
  })
}

/**
 * Checks a JSON schema from a caller: small, without references to anywhere else, its patterns as
 * harmless as an expression of its own would have to be, and accepted by a compiler of schemas.
 */
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ApiError } from '#errors/api-error.ts'
import type { JsonValue } from '#lib/json-value.ts'
import { checkBounds } from '#lib/regex/bounds.ts'
import { parseRegex } from '#lib/regex/parse.ts'
import { RegexProblem } from '#lib/regex/syntax.ts'

const charactersMax = 65_536
const depthMax = 32
const nodesMax = 2000
/** Written in `enum`, `const`, `default` and `examples`, anything is a value and no part of the schema. */
const valueKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])
/** They name other documents, or parts of this one that are found only while it is used. */
const refusedKeywords: ReadonlySet<string> = new Set(['$id', 'id', '$dynamicRef', '$recursiveRef', '$async', '$data'])
// The code that comes out is never run, so it need not be good.
const options = {
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
  logger: false,
  code: { optimize: false },
} as const
/** A compiler keeps something of every schema that it has seen, so it is replaced now and then. */
const usesMax = 200
let compilers: readonly Ajv[] = []
let uses = 0

/** The schema as JSON; one that was sent as text is parsed. Answers 422 by throwing. */
export function checkJsonSchema(sent: unknown): JsonValue {
  const schema = typeof sent === 'string' ? parsed(sent) : sent
  if (schema === false) throw refused('no value satisfies it')
  if (schema !== true && (typeof schema !== 'object' || schema === null || Array.isArray(schema)))
    throw refused('it must be an object, true, or a text that holds one')
  if (schema === true) return {}
  // What the body held was JSON. Its depth comes first: everything after it goes down recursively.
  const json = schema as JsonValue
  walk(json, 0, { nodes: 0 })
  if (JSON.stringify(json).length > charactersMax) throw refused(`it is longer than ${charactersMax} characters`)
  compile(json)
  return json
}

function parsed(text: string): unknown {
  try {
    return text.length > charactersMax ? null : (JSON.parse(text) as unknown)
  } catch {
    throw refused('the text holds no JSON')
  }
}

function walk(node: JsonValue, depth: number, count: { nodes: number }): void {
  count.nodes += 1
  if (count.nodes > nodesMax) throw refused(`it has more than ${nodesMax} parts`)
  if (depth > depthMax) throw refused(`it is nested deeper than ${depthMax}`)
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const item of node as readonly JsonValue[]) walk(item, depth + 1, count)
    return
  }
  for (const [keyword, value] of Object.entries(node)) {
    if (valueKeywords.has(keyword)) continue
    checkKeyword(keyword, value)
    walk(value, depth + 1, count)
  }
}

function checkKeyword(keyword: string, value: JsonValue): void {
  if (refusedKeywords.has(keyword) && typeof value !== 'object') throw refused(`"${keyword}" is not taken`)
  if (keyword === '$ref' && typeof value === 'string' && !value.startsWith('#'))
    throw refused('a "$ref" may only lead to a part of the schema itself')
  if (keyword === 'pattern' && typeof value === 'string') checkPattern(value)
  if (keyword === 'patternProperties' && typeof value === 'object' && value !== null)
    Object.keys(value).forEach(checkPattern)
}

function checkPattern(pattern: string): void {
  try {
    checkBounds(parseRegex(pattern))
  } catch (thrown) {
    if (thrown instanceof RegexProblem) throw refused(`of a pattern in it, ${thrown.message}`)
    throw thrown
  }
}

function compile(schema: JsonValue): void {
  const { $schema: _, ...own } = schema as Record<string, JsonValue>
  // By the newest rules, or by those that most schemas without a word about it were written for. Making
  // one takes ten times as long as using it: it compiles its own rules.
  if (uses % usesMax === 0) compilers = [new Ajv2020(options), new Ajv(options)]
  uses += 1
  if (!compilers.some((compiler) => compiles(compiler, own)))
    throw refused('it is no valid schema, or a "$ref" in it leads nowhere')
}

function compiles(compiler: Ajv, schema: object): boolean {
  try {
    compiler.compile(schema)
    return true
  } catch {
    // The message quotes the schema.
    return false
  } finally {
    compiler.removeSchema(schema)
  }
}

function refused(why: string): ApiError {
  return new ApiError('invalid_json_schema', {
    param: 'json_schema',
    message: `The JSON schema cannot be used: ${why}.`,
  })
}

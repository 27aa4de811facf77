/**
 * What the answer must look like: a JSON schema or a regular expression, checked before anything is
 * forwarded. Engines compile these for all their callers in one process, and a bad one has brought
 * engines down; so here a schema must compile and stay small, and an expression must be regular and
 * cheap.
 */
import { ApiError } from '#errors/api-error.ts'
import type { JsonValue } from '#lib/json-value.ts'
import { checkBounds } from '#lib/regex/bounds.ts'
import { parseRegex } from '#lib/regex/parse.ts'
import { RegexProblem, type Regex } from '#lib/regex/syntax.ts'
import { checkJsonSchema } from './json-schema.ts'

export type Constraint =
  | { readonly kind: 'json_schema'; readonly schema: JsonValue }
  | { readonly kind: 'regex'; readonly pattern: string; readonly tree: Regex }

/** The constraint of a payload, if it has one. Answers 422 by throwing. */
export function readConstraint(schema: unknown, pattern: string | undefined): Constraint | null {
  if (schema !== undefined && pattern !== undefined) {
    throw new ApiError('validation_failed', {
      param: 'regex_string',
      message: 'Send "json_schema" or "regex_string", not both.',
    })
  }
  if (pattern !== undefined) return { kind: 'regex', pattern, tree: checkedRegex(pattern) }
  return schema === undefined ? null : { kind: 'json_schema', schema: checkJsonSchema(schema) }
}

function checkedRegex(pattern: string): Regex {
  try {
    const tree = parseRegex(pattern)
    checkBounds(tree)
    return tree
  } catch (thrown) {
    if (!(thrown instanceof RegexProblem)) throw thrown
    throw new ApiError('invalid_regex', {
      param: 'regex_string',
      message: `The regular expression cannot be used: ${thrown.message}.`,
    })
  }
}

/** Checks JSON texts against JSON schemas, of the drafts that models are asked with. Nothing here touches the page. */
import { Validator, type Schema } from '@cfworker/json-schema'

export interface SchemaFault {
  /** Where in the value, as a JSON pointer; empty for the whole. */
  readonly place: string
  readonly problem: string
}

/** Longer answers take too long to check between two frames. */
const charactersMax = 200_000

/** Keywords that only say that something inside of the value is wrong, which has a fault of its own. */
const summaries = new Set([
  'properties',
  'items',
  'prefixItems',
  'additionalProperties',
  'patternProperties',
  'allOf',
  '$ref',
  'if',
  'contains',
])

/** What is wrong with a text; empty when it follows the schema. */
export function schemaFaults(text: string, schema: string): readonly SchemaFault[] {
  if (text.length > charactersMax) return [{ place: '', problem: 'It is too long to be checked here.' }]
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    return [{ place: '', problem: `It is not JSON: ${thrown instanceof Error ? thrown.message : ''}` }]
  }
  try {
    const { valid, errors } = new Validator(JSON.parse(schema) as Schema, '2020-12', false).validate(value)
    if (valid) return []
    const exact = errors.filter(({ keyword }) => !summaries.has(keyword))
    return (exact.length > 0 ? exact : errors).map(({ instanceLocation, error }) => ({
      place: instanceLocation.replace(/^#/, ''),
      problem: error,
    }))
  } catch (thrown) {
    // A reference that leads nowhere or to itself, or an expression that cannot be read.
    return [{ place: '', problem: `The schema cannot be used: ${thrown instanceof Error ? thrown.message : ''}` }]
  }
}

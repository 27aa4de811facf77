/** What a change made different: the fields of the record before and after it. */
import { canonical } from '../../api/conflict.ts'

export interface ChangedField {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** Fields that every change changes, or that say nothing to people. */
const leftOut: ReadonlySet<string> = new Set(['etag', 'id'])

/** The fields that differ; all of a record that was made or removed. Empty where the row has no record. */
export function changedFields(details: Readonly<Record<string, unknown>>): readonly ChangedField[] {
  const [before, after] = [fieldsOf(details['before']), fieldsOf(details['after'])]
  const names = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...names]
    .filter((field) => !leftOut.has(field) && canonical(before[field]) !== canonical(after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }))
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** A filter over metadata as a condition on the table `documents`, the same on both engines. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Engine } from '../../database.ts'
import { isOneOf } from '../statements.ts'
import { fieldKinds, stored, type MetadataValue } from './metadata.ts'
import type { MetadataFilter } from './metadata-filter.ts'

/** True for the documents that the filter lets through. Each condition reads an index once, whatever is around it. */
export function matchesMetadata(engine: Engine, filter: MetadataFilter): RawBuilder<SqlBool> {
  switch (filter.kind) {
    case 'not':
      return sql<SqlBool>`not ${matchesMetadata(engine, filter.filter)}`
    case 'and':
    case 'or': {
      const parts = filter.filters.map((each) => matchesMetadata(engine, each))
      return sql<SqlBool>`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'exists':
      return hasField(filter.key, sql<SqlBool>`1 = 1`)
    case 'in':
      return hasField(filter.key, isAmong(engine, filter.values))
    case 'range': {
      const isText = typeof filter.bounds[0]?.value === 'string'
      const column = sql.ref(isText ? 'field.text' : 'field.number')
      const bounds = filter.bounds.map(({ operator, value }) => sql`${column} ${sql.raw(operator)} ${value}`)
      return hasField(
        filter.key,
        sql<SqlBool>`${ofKind(isText ? 'text' : 'number')} and ${sql.join(bounds, sql` and `)}`,
      )
    }
  }
}

function hasField(key: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql<SqlBool>`documents.row in (
    select field.document_row from document_fields as field where field.key = ${key} and (${condition}))`
}

function isAmong(engine: Engine, values: readonly MetadataValue[]): RawBuilder<SqlBool> {
  const texts = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const truths = values.filter((value) => typeof value === 'boolean').map((value) => stored(value).number ?? 0)
  const among: RawBuilder<SqlBool>[] = []
  if (texts.length > 0) among.push(sql`(${ofKind('text')} and ${isOneOf(engine, 'field.text', texts)})`)
  if (numbers.length > 0) among.push(sql`(${ofKind('number')} and ${isOneOf(engine, 'field.number', numbers)})`)
  if (truths.length > 0) among.push(sql`(${ofKind('truth')} and ${isOneOf(engine, 'field.number', truths)})`)
  if (values.includes(null)) among.push(sql`(${ofKind('nothing')})`)
  return among.length === 0 ? sql<SqlBool>`1 = 0` : sql.join(among, sql` or `)
}

function ofKind(kind: keyof typeof fieldKinds): RawBuilder<SqlBool> {
  return sql<SqlBool>`field.kind = ${sql.lit(fieldKinds[kind])}`
}

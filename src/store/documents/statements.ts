/** Statements whose text does not depend on how many values there are, so that each is prepared once. */
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Rows of one statement, the largest first. */
const insertSizes = [25, 5, 1] as const

/** True where the column holds one of these values; never for none. */
export function isOneOf(
  engine: Engine,
  column: string,
  values: readonly string[] | readonly number[],
): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${values})`
}

/** Inserts rows of a table; each has the same columns. */
export async function insertRows(
  kysely: Kysely<Tables>,
  table: keyof Tables,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  let start = 0
  for (const size of insertSizes) {
    for (; start + size <= rows.length; start += size) {
      await kysely
        .insertInto(table)
        .values(rows.slice(start, start + size) as never)
        .execute()
    }
  }
}

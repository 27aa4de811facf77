/** Metadata of documents, and its values as rows, which filters and facets look up. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Index } from '../migrating/migration.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns and the table. A process of the version before writes documents without metadata. */
export async function metadata(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, small, double, text, strict] =
    engine === 'sqlite'
      ? ['integer', 'integer', 'real', 'text', 'strict']
      : // Compared by code points, as SQLite does.
        ['bigint', 'smallint', 'double precision', 'text collate "C"', '']
  for (const statement of [
    `alter table documents add column metadata text not null default '{}'`,
    `alter table documents add column stated_metadata text not null default '{}'`,
    `create table document_fields (
      document_row ${big} not null references documents (row) on delete cascade,
      place ${small} not null,
      key ${text} not null,
      kind ${small} not null,
      text ${text},
      number ${double},
      primary key (document_row, place)
    ) ${strict}`,
  ])
    await sql.raw(statement).execute(trx)
}

/** All that a condition looks at, so that it never reads the table. */
export const metadataIndexes: readonly Index[] = [
  { name: 'document_fields_text', on: 'on document_fields (key, kind, text, document_row)' },
  { name: 'document_fields_number', on: 'on document_fields (key, kind, number, document_row)' },
]

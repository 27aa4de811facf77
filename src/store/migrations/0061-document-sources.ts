/** Which file of which source a document is of, so that its next import is known to be a new version of it. */
import { sql, type Transaction } from 'kysely'
import type { Index } from '../migrating/migration.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns. Processes of the version before leave them empty. */
export async function documentSources(trx: Transaction<Tables>): Promise<void> {
  for (const column of ['source_name', 'source_id', 'source_version', 'source_key'])
    await sql.raw(`alter table documents add column ${column} text`).execute(trx)
}

/** One document for each file; and all files of a source in one order. */
export const documentSourceIndexes: readonly Index[] = [
  { name: 'documents_source_key', on: 'on documents (source_key) where source_key is not null', unique: true },
  {
    name: 'documents_of_source',
    on: 'on documents (importer_id, source_name, source_key) where source_key is not null',
  },
]

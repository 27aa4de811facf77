/** The name and title of a document among the words of its chunks, so that searches find it by them. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { termColumns, termsOfName } from '../indexing/word-columns.ts'
import { nameRow } from '../rows/chunk-row.ts'
import { insertRows } from '../statements.ts'

interface Within {
  readonly engine: Engine
  readonly trx: Transaction<Tables>
}

interface Named {
  readonly name: string
  readonly title: string | null
}

/** What the engine's index of words calls the number of a chunk. */
export type WordsRow = 'row' | 'rowid'

export function wordsRow(engine: Engine): WordsRow {
  return engine === 'sqlite' ? 'rowid' : 'row'
}

/** Adds the terms of a set that has none yet. */
export async function nameSet({ engine, trx }: Within, setRow: number, { name, title }: Named): Promise<void> {
  const row = { [wordsRow(engine)]: nameRow(setRow) }
  await insertRows(trx, 'chunk_terms', [{ ...row, ...termColumns(engine, termsOfName(name, title)) }])
}

/** Replaces them. */
export async function renameSet(within: Within, setRow: number, named: Named): Promise<void> {
  const column = sql.ref(wordsRow(within.engine))
  await sql`delete from chunk_terms where ${column} = ${nameRow(setRow)}`.execute(within.trx)
  await nameSet(within, setRow, named)
}

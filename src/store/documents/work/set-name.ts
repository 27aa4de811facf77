/** The name and title of a document among the words of its chunks, so that searches find it by them. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { packWords } from '../indexing/packed-words.ts'
import { termColumns, wordsOfName } from '../indexing/word-columns.ts'
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
  const words = wordsOfName(name, title)
  await insertRows(trx, 'chunk_terms', [{ [wordsRow(engine)]: nameRow(setRow), ...termColumns(engine, words) }])
  await insertRows(trx, 'chunk_words', [{ row: nameRow(setRow), words: packWords([words]) }])
}

/** Replaces them. */
export async function renameSet(within: Within, setRow: number, named: Named): Promise<void> {
  const column = sql.ref(wordsRow(within.engine))
  await sql`delete from chunk_terms where ${column} = ${nameRow(setRow)}`.execute(within.trx)
  await within.trx.deleteFrom('chunk_words').where('row', '=', nameRow(setRow)).execute()
  await nameSet(within, setRow, named)
}

/**
 * The words of neighbouring chunks as one value, for searches within few documents. Documents that a process of the
 * version before stores have none; such a search then goes by the lists of words, as it did.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import { packWords } from '../documents/indexing/packed-words.ts'
import { wordsOfChunk, wordsOfName } from '../documents/indexing/word-columns.ts'
import { languageOf } from '../documents/indexing/words.ts'
import { nameRow, setOf } from '../documents/rows/chunk-row.ts'
import type { Tables } from '../schema.ts'

/** Adds the table. */
export async function packedWords(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const statements =
    engine === 'sqlite'
      ? ['create table chunk_words (row integer primary key, words blob not null) strict']
      : [
          'create table chunk_words (row bigint primary key, words bytea not null)',
          'alter table chunk_words alter column words set storage external',
        ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}

/** Chunks of one value, as in staging. */
const together = 25
/** Chunks of one batch. */
const batch = 500

/** Packs the words of the chunks that are there, then those of the names of documents. */
export async function packStoredWords(
  trx: Transaction<Tables>,
  _engine: Engine,
  position: string | null,
): Promise<string | null> {
  const [phase = 'chunks', after = '0'] = position?.split(' ') ?? []
  const last = phase === 'chunks' ? await chunkBatch(trx, Number(after)) : await nameBatch(trx, Number(after))
  if (last !== null) return `${phase} ${last}`
  return phase === 'chunks' ? 'names 0' : null
}

async function chunkBatch(trx: Transaction<Tables>, after: number): Promise<number | null> {
  const chunks = await trx
    .selectFrom('document_chunks')
    .select(['row', 'text', 'heading_path', 'table_header'])
    .where('row', '>', after)
    .orderBy('row')
    .limit(batch)
    .execute()
  const runs: (typeof chunks)[] = []
  for (const chunk of chunks) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.row === chunk.row - 1 && setOf(run[0]?.row ?? 0) === setOf(chunk.row)
    if (run && isNext && run.length < together) run.push(chunk)
    else runs.push([chunk])
  }
  for (const run of runs) {
    // As staging guesses it; migration 18 guessed it for each chunk.
    const language = languageOf(run.map(({ text }) => text).join('\n'))
    const words = run.map(({ text, heading_path: headings, table_header: tableHeader }) => {
      const headingPath = JSON.parse(headings) as readonly string[]
      return wordsOfChunk({ text, headingPath, tableHeader }, language ?? languageOf(text))
    })
    await put(trx, run[0]?.row ?? 0, packWords(words))
  }
  return chunks.at(-1)?.row ?? null
}

async function nameBatch(trx: Transaction<Tables>, after: number): Promise<number | null> {
  const documents = await trx
    .selectFrom('documents')
    .select(['name', 'title', 'visible_set'])
    .where('visible_set', '>', after)
    .orderBy('visible_set')
    .limit(batch)
    .execute()
  for (const { name, title, visible_set: setRow } of documents) {
    await put(trx, nameRow(setRow ?? 0), packWords([wordsOfName(name, title)]))
  }
  return documents.at(-1)?.visible_set ?? null
}

/** A document that a process of this version stores at the same time has its words already. */
async function put(trx: Transaction<Tables>, row: number, words: Buffer): Promise<void> {
  await sql`insert into chunk_words (row, words) values (${row}, ${words}) on conflict do nothing`.execute(trx)
}

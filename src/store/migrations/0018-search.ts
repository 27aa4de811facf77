/**
 * What searches need: centres, which codes of vectors are made with, and terms that carry how much they weigh, so that
 * both engines rank words alike.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import { nameRow } from '../documents/rows/chunk-row.ts'
import { termColumns, wordsOfChunk, wordsOfName } from '../documents/indexing/word-columns.ts'
import { languageOf, type WordLevels } from '../documents/indexing/words.ts'
import type { Tables } from '../schema.ts'

/** Adds the tables; codes without a centre stay as they are. */
export async function search(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const { big, serial, bytes, strict } =
    engine === 'sqlite'
      ? { big: 'integer', serial: 'integer primary key autoincrement', bytes: 'blob', strict: 'strict' }
      : { big: 'bigint', serial: 'bigint generated always as identity primary key', bytes: 'bytea', strict: '' }
  for (const statement of [
    `create table vector_centres (
      row ${serial},
      space_row ${big} not null references vector_spaces (row),
      centre ${bytes} not null
    ) ${strict}`,
    'create index vector_centres_space on vector_centres (space_row)',
    `alter table chunk_codes add column centre_row ${big}`,
    `alter table chunk_codes add column scales ${bytes}`,
    `create table document_languages (language text primary key) ${strict}`,
    ...(engine === 'sqlite' ? sqliteTerms : postgresTerms),
  ]) {
    await sql.raw(statement).execute(trx)
  }
}

/** Contentless, and without places: only which chunks have a term is asked for. Merging goes in small steps (staging.ts). */
const sqliteTerms: readonly string[] = [
  'drop table chunk_terms',
  `create virtual table chunk_terms using fts5(
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  "insert into chunk_terms (chunk_terms, rank) values ('automerge', 0)",
  "insert into chunk_terms (chunk_terms, rank) values ('crisismerge', 1000)",
]

/** The terms are out of the way of the rows, which a search reads by the thousand. */
const postgresTerms: readonly string[] = [
  'alter table chunk_terms alter column terms set storage external',
  'alter table chunk_terms set (toast_tuple_target = 128)',
]

/** Rows of one batch. */
const batch = 100

/** Makes the terms of the chunks that are there, then those of the names of documents. */
export async function searchWords(
  trx: Transaction<Tables>,
  engine: Engine,
  position: string | null,
): Promise<string | null> {
  const [phase = 'chunks', after = '0'] = position?.split(' ') ?? []
  const last =
    phase === 'chunks' ? await chunkBatch(trx, engine, Number(after)) : await nameBatch(trx, engine, Number(after))
  if (last !== null) return `${phase} ${last}`
  return phase === 'chunks' ? 'names 0' : null
}

async function chunkBatch(trx: Transaction<Tables>, engine: Engine, after: number): Promise<number | null> {
  const chunks = await trx
    .selectFrom('document_chunks')
    .select(['row', 'text', 'heading_path', 'table_header'])
    .where('row', '>', after)
    .orderBy('row')
    .limit(batch)
    .execute()
  for (const { row, text, heading_path: headings, table_header: tableHeader } of chunks) {
    const headingPath = JSON.parse(headings) as readonly string[]
    const language = languageOf(text)
    if (language !== null) {
      await sql`insert into document_languages (language) values (${language}) on conflict do nothing`.execute(trx)
    }
    await put(trx, engine, row, wordsOfChunk({ text, headingPath, tableHeader }, language))
  }
  return chunks.at(-1)?.row ?? null
}

async function nameBatch(trx: Transaction<Tables>, engine: Engine, after: number): Promise<number | null> {
  const documents = await trx
    .selectFrom('documents')
    .select(['name', 'title', 'visible_set'])
    .where('visible_set', '>', after)
    .orderBy('visible_set')
    .limit(batch)
    .execute()
  for (const { name, title, visible_set: setRow } of documents) {
    await put(trx, engine, nameRow(setRow ?? 0), wordsOfName(name, title))
  }
  return documents.at(-1)?.visible_set ?? null
}

async function put(trx: Transaction<Tables>, engine: Engine, row: number, words: WordLevels): Promise<void> {
  const [value] = Object.values(termColumns(engine, words))
  if (engine === 'sqlite') await sql`insert into chunk_terms (rowid, words) values (${row}, ${value})`.execute(trx)
  else {
    await sql`insert into chunk_terms (row, terms) values (${row}, ${value}::tsvector)
      on conflict (row) do update set terms = excluded.terms`.execute(trx)
  }
}

/**
 * Documents, their jobs, their chunks, and what the search reads. What the columns mean is in
 * ../documents/README.md.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

interface Spelling {
  readonly big: string
  readonly serial: string
  readonly bytes: string
  readonly strict: string
}

/** Creates the tables of documents. */
export async function documents(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const spelling: Spelling =
    engine === 'sqlite'
      ? { big: 'integer', serial: 'integer primary key autoincrement', bytes: 'blob', strict: 'strict' }
      : { big: 'bigint', serial: 'bigint generated always as identity primary key', bytes: 'bytea', strict: '' }
  const words = engine === 'sqlite' ? sqliteWords : postgresWords
  for (const statement of [...recordTables(spelling), ...chunkTables(spelling), ...words]) {
    await sql.raw(statement).execute(trx)
  }
}

function recordTables({ big, serial, strict }: Spelling): readonly string[] {
  return [
    `create table documents (
      row ${serial},
      id text not null unique,
      importer_id text not null,
      name text not null,
      name_folded text not null,
      category text not null,
      sha256 text not null,
      content_key text not null,
      bytes ${big} not null,
      reader text not null,
      chunker text not null,
      embedder text not null,
      state text not null,
      progress text not null,
      attempts integer not null,
      error text,
      warnings text not null,
      media_type text,
      title text,
      version integer not null,
      fence ${big} not null,
      visible_set ${big} unique,
      visible_version integer not null,
      visible_sha256 text,
      state_at text not null,
      created_at ${big} not null,
      updated_at ${big} not null
    ) ${strict}`,
    "create unique index documents_content on documents (content_key) where state not in ('failed', 'cancelled')",
    'create index documents_created on documents (created_at, id)',
    'create index documents_importer on documents (importer_id, created_at, id)',
    'create index documents_state on documents (state)',

    `create table document_owners (
      principal text not null,
      document_row ${big} not null references documents (row) on delete cascade,
      from_version integer not null,
      primary key (principal, document_row)
    ) ${strict}`,
    'create index document_owners_document on document_owners (document_row)',

    `create table document_jobs (
      document_row ${big} primary key references documents (row) on delete cascade,
      fence ${big} not null,
      available_at ${big} not null,
      lease_until ${big},
      worker text
    ) ${strict}`,
    'create index document_jobs_waiting on document_jobs (available_at, document_row) where lease_until is null',
    'create index document_jobs_leased on document_jobs (lease_until) where lease_until is not null',

    `create table document_changes (version ${big} primary key, set_row ${big} not null) ${strict}`,
    `create table document_change_counter (id integer primary key check (id = 1), version ${big} not null) ${strict}`,
    'insert into document_change_counter (id, version) values (1, 0)',
  ]
}

/** A set outlives its document for as long as it takes to remove its chunks, so it has no foreign key to it. */
function chunkTables({ big, serial, bytes, strict }: Spelling): readonly string[] {
  return [
    `create table vector_spaces (
      row ${serial},
      key text not null unique,
      dimensions integer not null,
      embedder text not null
    ) ${strict}`,

    `create table chunk_sets (
      row ${serial},
      document_row ${big} not null,
      fence ${big} not null,
      space_row ${big} not null references vector_spaces (row),
      chunks integer not null,
      doomed integer not null,
      unique (document_row, fence)
    ) ${strict}`,
    'create index chunk_sets_doomed on chunk_sets (row) where doomed = 1',

    `create table document_chunks (
      row ${big} primary key,
      start_at ${big} not null,
      end_at ${big} not null,
      page integer,
      page_label text,
      heading_path text not null,
      table_header text,
      tokens integer not null,
      text text not null
    ) ${strict}`,
    `create table chunk_vectors (row ${big} primary key, vector ${bytes} not null) ${strict}`,
    `create table chunk_codes (
      set_row ${big} not null,
      first integer not null,
      codes ${bytes} not null,
      primary key (set_row, first)
    ) ${strict}`,
  ]
}

/**
 * Contentless: the text is in document_chunks already. The words come cut and folded (terms.ts), so
 * that the tokenizer has only spaces left to find. Merging is asked for in small steps (staging.ts),
 * since FTS5 does it by itself in the middle of a write and holds the write lock for too long.
 */
const sqliteWords: readonly string[] = [
  `create virtual table chunk_terms using fts5(
    text, heading, content = '', contentless_delete = 1, tokenize = 'ascii'
  )`,
  "insert into chunk_terms (chunk_terms, rank) values ('automerge', 0)",
  "insert into chunk_terms (chunk_terms, rank) values ('crisismerge', 1000)",
]

const postgresWords: readonly string[] = [
  // Vectors do not shrink: compressing them is time lost.
  'alter table chunk_vectors alter column vector set storage external',
  'create table chunk_terms (row bigint primary key, terms tsvector not null)',
  'create index chunk_terms_terms on chunk_terms using gin (terms)',
]

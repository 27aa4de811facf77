/** Stages chunks under a fence, in slices that no search sees, and makes them visible in one step. */
import { sql, type Transaction } from 'kysely'
import type { Connection, Engine } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { logChanges } from '../rows/changes.ts'
import { chunkRow, sliceMax } from '../rows/chunk-row.ts'
import { writeStated } from './describing.ts'
import { discardSets, setRowOf, spaceRowOf } from './chunk-set.ts'
import type { NewChunk } from '../document-chunks.ts'
import type { Completion, DocumentStore } from '../document-store.ts'
import type { DocumentRow } from '../rows/document-row.ts'
import { leasedDocument } from './lease.ts'
import { plainText, plainTextOrNull } from '../plain-text.ts'
import { Centres, type Centre } from './centres.ts'
import { signCoder } from '../indexing/sign-code.ts'
import { bytesOf } from '../indexing/vector-bytes.ts'
import { packWords } from '../indexing/packed-words.ts'
import { termColumns, wordsOfChunk } from '../indexing/word-columns.ts'
import { Languages } from './languages.ts'
import { nameSet, wordsRow, type WordsRow } from './set-name.ts'
import { tellEnded } from './tell-ended.ts'
import { insertRows } from '../statements.ts'

/** Pages of the word index that are merged after a slice. */
const mergePages = 16

/** Staging in this database; one slice at a time. */
export function documentStaging(connection: Connection): Pick<DocumentStore, 'stage' | 'complete'> {
  const { engine, kysely } = connection
  const centres = new Centres(connection)
  const languages = new Languages(connection)
  /** Chunks whose words wait for a merge. */
  let unmerged = 0
  return {
    async stage(lease, space, chunks) {
      if (chunks.length === 0) return
      // Made before the transaction, which on SQLite keeps all others from writing.
      const [centre, language] = [await centres.of(space), await languages.of(lease, chunks)]
      const rows = rowsOf(engine, chunks, { dimensions: space.dimensions, centre, language })
      await kysely.transaction().execute(async (trx) => {
        const document = await leasedDocument({ engine, kysely: trx }, lease)
        const spaceRow = await spaceRowOf(trx, space, document.embedder)
        const setRow = await setRowOf(trx, document, spaceRow)
        await writeRows(trx, setRow, rows)
      })
      await centres.afterStoring(space.key, chunks.length)
      unmerged += chunks.length
      if (engine === 'sqlite' && unmerged >= sliceMax) {
        unmerged = 0
        await mergeWords(connection)
      }
    },
    complete: (lease, completion, now) =>
      kysely.transaction().execute(async (trx) => {
        const document = await leasedDocument({ engine, kysely: trx }, lease)
        const set = await trx
          .selectFrom('chunk_sets')
          .select('row')
          .where('document_row', '=', document.row)
          .where('fence', '=', lease.fence)
          .executeTakeFirst()
        const visibleSet = set?.row ?? null
        await trx.deleteFrom('document_jobs').where('document_row', '=', document.row).execute()
        await trx
          .updateTable('documents')
          .set({
            state: 'completed',
            progress: JSON.stringify(completion.progress),
            error: null,
            warnings: JSON.stringify(completion.warnings),
            media_type: plainText(completion.mediaType),
            title: plainTextOrNull(completion.title),
            visible_set: visibleSet,
            visible_version: document.version,
            visible_sha256: document.sha256,
            state_at: JSON.stringify({ completed: now, ...completion.stateAt }),
            updated_at: now,
          })
          .where('row', '=', document.row)
          .execute()
        await describeSet({ engine, trx }, visibleSet, document, completion)
        await discardSets(trx, document.row, visibleSet)
        await logChanges(trx, [document.visible_set, visibleSet])
        await tellEnded(trx, document, { type: 'document.completed', at: now })
      }),
  }
}

/** Takes over what the file states, notes where pages begin, and lets searches find the document by the terms of its name and title. */
async function describeSet(
  within: { readonly engine: Engine; readonly trx: Transaction<Tables> },
  setRow: number | null,
  document: DocumentRow,
  completion: Completion,
): Promise<void> {
  const { pages, title } = completion
  await writeStated(within.trx, document, completion)
  if (setRow === null) return
  if (pages.length > 0) {
    const starts = JSON.stringify(pages)
    await within.trx.updateTable('chunk_sets').set({ pages: starts }).where('row', '=', setRow).execute()
  }
  await nameSet(within, setRow, { name: document.name, title })
}

/** One step of the merge that FTS5 would otherwise do in the middle of a write. */
export async function mergeWords({ kysely }: Connection): Promise<void> {
  await sql`insert into chunk_terms (chunk_terms, rank) values ('merge', ${sql.lit(mergePages)})`.execute(kysely)
}

/** What is stored of some chunks, except the number of their set. */
interface ChunkRows {
  readonly chunks: readonly Ordered[]
  readonly vectors: readonly Ordered[]
  readonly terms: readonly Ordered[]
  /** One entry for each run of chunks without a gap. */
  readonly words: readonly Ordered[]
  readonly codes: readonly Readonly<Record<string, unknown>>[]
  readonly wordsRow: WordsRow
}

interface Ordered {
  readonly ordinal: number
  readonly columns: Readonly<Record<string, unknown>>
}

interface Coding {
  readonly dimensions: number
  readonly centre: Centre | null
  /** The text's; null when it is not known. */
  readonly language: string | null
}

function rowsOf(engine: Engine, chunks: readonly NewChunk[], coding: Coding): ChunkRows {
  const withWords = chunks.map((chunk) => ({ ordinal: chunk.ordinal, words: wordsOfChunk(chunk, coding.language) }))
  return {
    chunks: chunks.map((chunk) => ({
      ordinal: chunk.ordinal,
      columns: {
        start_at: chunk.start,
        end_at: chunk.end,
        page: chunk.page,
        page_label: plainTextOrNull(chunk.pageLabel),
        heading_path: JSON.stringify(chunk.headingPath),
        table_header: plainTextOrNull(chunk.tableHeader),
        tokens: chunk.tokens,
        text: plainText(chunk.text),
      },
    })),
    vectors: chunks.map(({ ordinal, vector }) => ({ ordinal, columns: { vector: bytesOf(vector) } })),
    terms: withWords.map(({ ordinal, words }) => ({ ordinal, columns: termColumns(engine, words) })),
    words: runsOf(withWords).map((run) => ({
      ordinal: run[0]?.ordinal ?? 0,
      columns: { words: packWords(run.map(({ words }) => words)) },
    })),
    codes: codeRows(coding, chunks),
    wordsRow: wordsRow(engine),
  }
}

function codeRows({ dimensions, centre }: Coding, chunks: readonly NewChunk[]): ChunkRows['codes'] {
  return runsOf(chunks).map((run) => {
    const vectors = run.map(({ vector }) => vector)
    const { codes, scales } = signCoder(dimensions).encodeAll(vectors, centre?.rotated ?? null)
    return {
      first: run[0]?.ordinal ?? 0,
      codes: Buffer.from(codes.buffer),
      centre_row: centre?.row ?? null,
      scales: Buffer.from(scales.buffer),
    }
  })
}

function runsOf<T extends { readonly ordinal: number }>(chunks: readonly T[]): readonly (readonly T[])[] {
  const runs: T[][] = []
  for (const chunk of chunks) {
    const run = runs.at(-1)
    if (run?.at(-1)?.ordinal === chunk.ordinal - 1) run.push(chunk)
    else runs.push([chunk])
  }
  return runs
}

async function writeRows(trx: Transaction<Tables>, setRow: number, rows: ChunkRows): Promise<void> {
  const numbered = (some: readonly Ordered[], row = 'row') =>
    some.map(({ ordinal, columns }) => ({ [row]: chunkRow(setRow, ordinal), ...columns }))
  await insertRows(trx, 'document_chunks', numbered(rows.chunks))
  await insertRows(trx, 'chunk_vectors', numbered(rows.vectors))
  await insertRows(trx, 'chunk_terms', numbered(rows.terms, rows.wordsRow))
  await insertRows(trx, 'chunk_words', numbered(rows.words))
  await insertRows(
    trx,
    'chunk_codes',
    rows.codes.map((codes) => ({ set_row: setRow, ...codes })),
  )
  await trx
    .updateTable('chunk_sets')
    .set(({ eb }) => ({ chunks: eb('chunks', '+', rows.chunks.length) }))
    .where('row', '=', setRow)
    .execute()
}

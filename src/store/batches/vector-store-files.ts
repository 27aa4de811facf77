/** The rows of files in vector stores, with how far their documents are, and the pages in which rows are read. */
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { Connection, Engine } from '../database.ts'
import { plainText } from '../documents/plain-text.ts'
import { isOneOf } from '../documents/statements.ts'
import { Missing } from '../errors.ts'
import type { Tables } from '../schema.ts'
import type {
  ClaimedFile,
  FileStatus,
  NewStoreFile,
  StoreFile,
  StorePage,
  VectorStoreStore,
} from './vector-store-records.ts'

/** What the row of a file has as its error that was cancelled before its document was there. */
export const cancelledCode = 'cancelled'
/** A file of the version before whose document is not there after this was cut off while it was added. */
const addedWithinMs = 600_000

type FileRows = Pick<
  VectorStoreStore,
  | 'addFiles'
  | 'claimFiles'
  | 'madeDocument'
  | 'retryFile'
  | 'failFile'
  | 'file'
  | 'files'
  | 'setAttributes'
  | 'removeFiles'
  | 'storesOf'
  | 'filesOfDocuments'
>

/** The files of the stores of this database. */
export function fileRows(connection: Connection): FileRows {
  return { ...fileReads(connection), ...fileWrites(connection) }
}

type FileReads = Pick<FileRows, 'file' | 'files' | 'storesOf' | 'filesOfDocuments'>

function fileWrites({ engine, kysely }: Connection): Omit<FileRows, keyof FileReads> {
  return {
    addFiles: (files) => kysely.transaction().execute((trx) => addRows(engine, trx, files)),
    claimFiles: (query) => claimFiles({ engine, kysely }, query),
    async madeDocument({ storeId, fileId }, documentId) {
      const row = await kysely
        .updateTable('vector_store_files')
        .set({ document_id: documentId, pending: 0 })
        .where('store_id', '=', storeId)
        .where('file_id', '=', fileId)
        .where('pending', '=', 1)
        .returning('attributes')
        .executeTakeFirst()
      return row === undefined ? null : { attributes: attributesOf(row.attributes) }
    },
    async retryFile({ storeId, fileId }, from) {
      await kysely
        .updateTable('vector_store_files')
        .set({ claimed_until: from })
        .where('store_id', '=', storeId)
        .where('file_id', '=', fileId)
        .execute()
    },
    async failFile({ storeId, fileId }, { code, message }) {
      await kysely
        .updateTable('vector_store_files')
        .set({ error_code: code, error_message: plainText(message), pending: 0 })
        .where('store_id', '=', storeId)
        .where('file_id', '=', fileId)
        .execute()
    },
    async setAttributes({ storeId, fileId }, attributes) {
      await kysely
        .updateTable('vector_store_files')
        .set({ attributes: attributes && JSON.stringify(attributes) })
        .where('store_id', '=', storeId)
        .where('file_id', '=', fileId)
        .execute()
    },
    removeFiles: (storeId, fileIds) => removeFiles({ engine, kysely }, storeId, fileIds),
  }
}

/** Stores and files cannot be deleted until the rows are there, for the deletion to find. */
async function addRows(
  engine: Engine,
  trx: Transaction<Tables>,
  files: readonly NewStoreFile[],
): Promise<ReadonlySet<string>> {
  const [stores, ids] = [new Set(files.map(({ storeId }) => storeId)), new Set(files.map(({ fileId }) => fileId))]
  const open = await trx
    .selectFrom('vector_stores')
    .select('id')
    .where(isOneOf(engine, 'id', [...stores]))
    .where('deleted_at', 'is', null)
    .$if(engine === 'postgres', (query) => query.forShare())
    .execute()
  if (open.length < stores.size) throw new Missing('vector store')
  const there = await trx
    .selectFrom('files')
    .select('id')
    .where(isOneOf(engine, 'id', [...ids]))
    .$if(engine === 'postgres', (query) => query.forShare())
    .execute()
  if (there.length < ids.size) throw new Missing('file')
  // In one order: two who add the same files wait for each other one way.
  const rows = files.map(rowOf).toSorted((one, other) => (one.file_id < other.file_id ? -1 : 1))
  const added = await trx
    .insertInto('vector_store_files')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['store_id', 'file_id']).doNothing())
    .returning('file_id')
    .execute()
  return new Set(added.map((row) => row.file_id))
}

/** In one statement, so that two processes never claim the same; on PostgreSQL none waits for another. */
async function claimFiles(
  { engine, kysely }: Connection,
  { limit, now, until }: Parameters<VectorStoreStore['claimFiles']>[0],
): Promise<readonly ClaimedFile[]> {
  // It is asked each minute, and on SQLite a statement that writes waits for all others that do.
  const waiting = kysely
    .selectFrom('vector_store_files')
    .select('file_id')
    .where(sql<boolean>`pending = 1`)
    .limit(1)
  if ((await waiting.executeTakeFirst()) === undefined) return []
  const key = engine === 'sqlite' ? sql`rowid` : sql`ctid`
  const skipping = engine === 'sqlite' ? sql`` : sql`for update skip locked`
  const { rows } = await sql<StoredFile & { readonly user_id: string | null }>`
    update vector_store_files set claimed_until = ${until} where ${key} in (
      select ${key} from vector_store_files where pending = 1 and claimed_until <= ${now}
      order by claimed_until limit ${limit} ${skipping})
    returning *, (select user_id from vector_stores where vector_stores.id = vector_store_files.store_id) as user_id
  `.execute(kysely)
  return rows.map((row) => ({ ...newFileOf(row), userId: row.user_id ?? '' }))
}

async function removeFiles(
  { engine, kysely }: Connection,
  storeId: string,
  fileIds: readonly string[],
): Promise<readonly string[]> {
  return kysely.transaction().execute(async (trx) => {
    const removed = await trx
      .deleteFrom('vector_store_files')
      .where('store_id', '=', storeId)
      .where(isOneOf(engine, 'file_id', fileIds))
      .returning('document_id')
      .execute()
    const documents = [...new Set(removed.map((row) => row.document_id))]
    const kept = await trx
      .selectFrom('vector_store_files')
      .select('document_id')
      .where(isOneOf(engine, 'document_id', documents))
      .execute()
    const shared = new Set(kept.map((row) => row.document_id))
    return documents.filter((id) => !shared.has(id))
  })
}

function fileReads({ engine, kysely }: Connection): FileReads {
  return {
    async file(storeId, fileId, now) {
      const { rows } = await sql<JoinedFile>`
        select ${fileColumns(now)} ${fromFiles}
        where store_id = ${plainText(storeId)} and file_id = ${plainText(fileId)}`.execute(kysely)
      return rows[0] === undefined ? null : fileOf(rows[0])
    },
    async files({ storeId, batchId, status, now, ...page }) {
      const ofBatch = batchId === null ? sql`1 = 1` : sql`batch_id = ${batchId}`
      const ofStatus = status === null ? sql`1 = 1` : sql`${statusAt(now)} = ${status}`
      const { rows } = await sql<JoinedFile>`
        select ${fileColumns(now)} ${fromFiles} where store_id = ${storeId} and ${ofBatch} and ${ofStatus}
          and ${beyond(sql`vector_store_files where store_id = ${storeId}`, 'file_id', page, 'file.')}
        ${ordered('file_id', page, 'file.')}`.execute(kysely)
      return inOrder(rows.map(fileOf), page)
    },
    async storesOf(fileIds) {
      const rows = await kysely
        .selectFrom('vector_store_files')
        .select(['store_id', 'file_id'])
        .where(isOneOf(engine, 'file_id', fileIds))
        .execute()
      return rows.map((row) => ({ storeId: row.store_id, fileId: row.file_id }))
    },
    async filesOfDocuments(storeIds, documentIds) {
      const rows = await kysely
        .selectFrom('vector_store_files')
        .innerJoin('files', 'files.id', 'vector_store_files.file_id')
        .select(['document_id', 'file_id', 'attributes', 'files.name'])
        .where(isOneOf(engine, 'store_id', storeIds))
        .where(isOneOf(engine, 'document_id', documentIds))
        .execute()
      return rows.map((row) => ({
        documentId: row.document_id,
        fileId: row.file_id,
        attributes: attributesOf(row.attributes),
        name: row.name,
      }))
    },
  }
}

export const fromFiles = sql`from vector_store_files as file left join documents on documents.id = file.document_id`

/** How far a file is. */
export function statusAt(now: number): RawBuilder<FileStatus> {
  return sql<FileStatus>`case
    when file.error_code = ${sql.lit(cancelledCode)} then 'cancelled'
    when file.error_code is not null then 'failed'
    when documents.state in ('completed', 'failed', 'cancelled') then documents.state
    when file.pending = 1 then 'in_progress'
    when documents.state is null and file.created_at < ${sql.lit(now - addedWithinMs)} then 'failed'
    else 'in_progress' end`
}

interface StoredFile {
  readonly store_id: string
  readonly file_id: string
  readonly document_id: string
  readonly batch_id: string | null
  readonly attributes: string | null
  readonly chunking: string
  readonly created_at: number
}

interface JoinedFile extends StoredFile {
  readonly error_code: string | null
  readonly error_message: string | null
  readonly status: FileStatus
  readonly document_error: string | null
  readonly bytes: number | null
}

function fileColumns(now: number): RawBuilder<unknown> {
  return sql`file.*, ${statusAt(now)} as status, documents.error as document_error, documents.bytes as bytes`
}

function newFileOf(row: StoredFile): NewStoreFile {
  return {
    storeId: row.store_id,
    fileId: row.file_id,
    documentId: row.document_id,
    batchId: row.batch_id,
    attributes: attributesOf(row.attributes),
    chunking: JSON.parse(row.chunking) as NewStoreFile['chunking'],
    createdAt: Number(row.created_at),
  }
}

function fileOf(row: JoinedFile): StoreFile {
  return {
    ...newFileOf(row),
    status: row.status,
    error: row.status === 'failed' ? errorOf(row) : null,
    bytes: Number(row.bytes ?? 0),
  }
}

function errorOf({ error_code: code, error_message: message, document_error: document }: JoinedFile) {
  if (code !== null) return { code, message: message ?? '' }
  if (document !== null) return JSON.parse(document) as { readonly code: string; readonly message: string }
  return { code: 'interrupted', message: 'The server stopped before the file was added. Add it again.' }
}

function attributesOf(text: string | null): NewStoreFile['attributes'] {
  return text === null ? null : (JSON.parse(text) as NewStoreFile['attributes'])
}

function rowOf(file: NewStoreFile) {
  return {
    store_id: file.storeId,
    file_id: file.fileId,
    document_id: file.documentId,
    batch_id: file.batchId,
    attributes: file.attributes && JSON.stringify(file.attributes),
    chunking: JSON.stringify(file.chunking),
    error_code: null,
    error_message: null,
    created_at: file.createdAt,
    pending: 1,
  }
}

/** Rows on the wanted side of the row that the page names, which is looked up by its id. */
export function beyond(
  among: RawBuilder<unknown>,
  id: string,
  { after, before, descending }: StorePage,
  of = '',
): RawBuilder<unknown> {
  const named = after ?? before
  if (named === null) return sql`1 = 1`
  const isLater = (after !== null) !== descending
  const place = sql`(select created_at, ${sql.ref(id)} from ${among} and ${sql.ref(id)} = ${plainText(named)})`
  return sql`(${sql.ref(`${of}created_at`)}, ${sql.ref(`${of}${id}`)}) ${sql.raw(isLater ? '>' : '<')} ${place}`
}

/** A page before a row is read from its end. */
export function ordered(id: string, { after, before, descending, limit }: StorePage, of = ''): RawBuilder<unknown> {
  const isBackwards = after === null && before !== null
  const direction = sql.raw(descending !== isBackwards ? 'desc' : 'asc')
  return sql`order by ${sql.ref(`${of}created_at`)} ${direction}, ${sql.ref(`${of}${id}`)} ${direction} limit ${limit}`
}

/** Rows in the order that was asked for. */
export function inOrder<Row>(rows: readonly Row[], { after, before }: StorePage): readonly Row[] {
  return after === null && before !== null ? rows.toReversed() : rows
}

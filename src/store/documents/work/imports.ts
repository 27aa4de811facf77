/**
 * What makes documents: imports, new versions, and another try of one that failed or was cancelled.
 * All of it happens under one lock (on SQLite the transaction's own), so that two of them never decide
 * about the same bytes or the same id at once. The unique index on what is alive guarantees that too.
 */
import { sql, type Transaction } from 'kysely'
import type { Connection, Engine } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { logChanges } from '../rows/changes.ts'
import { storedMetadata, writeFields, writeMetadata } from './describing.ts'
import { discardSets } from './chunk-set.ts'
import {
  contentKey,
  documentAt,
  importedColumns,
  needsRowLocks,
  queuedColumns,
  recordOrNull,
  type DocumentRow,
} from '../rows/document-row.ts'
import type { DocumentStore, Inserted, NewDocument, Viewer } from '../document-store.ts'
import { plainText } from '../plain-text.ts'
import { insertRows, isOneOf } from '../statements.ts'
import { lockedDocument } from './locked-document.ts'

const ended = ['failed', 'cancelled']

/** A document that this call writes: as it was, if it was there, and as it will be. */
interface Draft {
  readonly before: DocumentRow | null
  document: NewDocument
  version: number
  fence: number
}

/** Imports and retries in this database. */
export function documentImports(connection: Connection): Pick<DocumentStore, 'insert' | 'retry'> {
  const { engine, kysely } = connection
  return {
    async insert(documents) {
      if (documents.length === 0) return []
      return kysely.transaction().execute(async (trx) => {
        await lockImports(trx, engine)
        const plan = new ImportPlan(await affectedRows({ engine, kysely: trx }, documents))
        const inserted = documents.map((document) => plan.add(document))
        await writeDrafts(trx, engine, plan.drafts)
        return inserted
      })
    },
    retry: (id, viewer, now) =>
      kysely.transaction().execute(async (trx) => {
        await lockImports(trx, engine)
        return retry({ engine, kysely: trx }, trx, { id, viewer, now })
      }),
  }
}

/** The rows that have one of these ids, or are alive with one of these contents. */
async function affectedRows(
  { engine, kysely }: Connection,
  documents: readonly NewDocument[],
): Promise<readonly DocumentRow[]> {
  const ids = documents.map(({ id }) => plainText(id))
  const keys = documents.map(contentKey)
  let query = kysely
    .selectFrom('documents')
    .selectAll()
    .where(sql<boolean>`(${isOneOf(engine, 'id', ids)} or ${isOneOf(engine, 'content_key', keys)})`)
    .orderBy('row')
  if (needsRowLocks(engine)) query = query.forUpdate()
  return query.execute()
}

/** Decides the outcome of each import, in their order. */
class ImportPlan {
  readonly #byId = new Map<string, Draft>()
  readonly #rows: ReadonlyMap<string, DocumentRow>
  /** Id of the document that is alive with this content. */
  readonly #alive: Map<string, string>

  constructor(rows: readonly DocumentRow[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    this.#alive = new Map(
      rows.filter(({ state }) => !ended.includes(state)).map((row) => [row.content_key, row.id] as const),
    )
  }

  get drafts(): readonly Draft[] {
    return [...this.#byId.values()]
  }

  add(imported: NewDocument): Inserted {
    const document = { ...imported, id: plainText(imported.id) }
    const key = contentKey(document)
    const same = this.#alive.get(key)
    if (same !== undefined) return { kind: 'duplicate', id: same }
    const before = this.#byId.get(document.id) ?? this.#rows.get(document.id)
    if (before === undefined) {
      this.#byId.set(document.id, { before: null, document, version: 1, fence: 0 })
      this.#alive.set(key, document.id)
      return { kind: 'queued', replaced: null }
    }
    const draft = 'document' in before ? before : draftOf(before, document)
    if (draft.document.importerId !== document.importerId || !isImporter(draft.before, document)) {
      return { kind: 'taken' }
    }
    return this.#replace(draft, document, 'document' in before ? contentKey(before.document) : before.content_key)
  }

  #replace(draft: Draft, document: NewDocument, oldKey: string): Inserted {
    if (this.#alive.get(oldKey) === document.id) this.#alive.delete(oldKey)
    this.#alive.set(contentKey(document), document.id)
    const replaced = draft.before?.visible_sha256 ?? draft.before?.sha256 ?? draft.document.sha256
    draft.version = nextVersion(draft, document)
    draft.fence += 1
    draft.document = document
    this.#byId.set(document.id, draft)
    return { kind: 'queued', replaced: replaced === document.sha256 ? null : replaced }
  }
}

function draftOf(before: DocumentRow, document: NewDocument): Draft {
  return { before, document, version: before.version, fence: before.fence }
}

function isImporter(before: DocumentRow | null, document: NewDocument): boolean {
  return before === null || before.importer_id === document.importerId
}

/** Bytes that have not been seen yet keep their number when they are queued again. */
function nextVersion({ before, document: former, version }: Draft, document: NewDocument): number {
  const sha256 = before?.sha256 ?? former.sha256
  const seen = before !== null && before.visible_version === version
  return sha256 === document.sha256 && !seen ? version : version + 1
}

async function writeDrafts(trx: Transaction<Tables>, engine: Engine, drafts: readonly Draft[]): Promise<void> {
  const fresh = drafts.filter(({ before }) => before === null)
  await insertRows(
    trx,
    'documents',
    fresh.map(({ document, version, fence }) => ({
      id: document.id,
      importer_id: document.importerId,
      ...importedColumns(document),
      metadata: storedMetadata(document.metadata),
      version,
      fence,
      visible_version: 0,
      created_at: document.createdAt,
    })),
  )
  const rowOf = await rowsById(trx, engine, fresh)
  const jobs = fresh.map(({ document, fence }) => jobOf(rowOf(document.id), fence, document.createdAt))
  const owners = fresh.flatMap(({ document, version }) => ownerRows(rowOf(document.id), document, version))
  await insertRows(trx, 'document_owners', owners)
  await insertRows(trx, 'document_jobs', jobs)
  for (const { document } of fresh) {
    if (document.metadata !== undefined) await writeFields(trx, rowOf(document.id), document.metadata)
  }
  for (const draft of drafts) if (draft.before !== null) await writeVersion(trx, engine, draft, draft.before)
}

async function rowsById(
  trx: Transaction<Tables>,
  engine: Engine,
  drafts: readonly Draft[],
): Promise<(id: string) => number> {
  const ids = drafts.map(({ document }) => document.id)
  const rows = await trx
    .selectFrom('documents')
    .select(['id', 'row'])
    .where(isOneOf(engine, 'id', ids))
    .execute()
  const found = new Map(rows.map(({ id, row }) => [id, row]))
  return (id) => {
    const row = found.get(id)
    if (row === undefined) throw new Error('A document that was just inserted is not there.')
    return row
  }
}

/** The version that was there stays visible until this one is complete; removed owners see it no more. */
async function writeVersion(
  trx: Transaction<Tables>,
  engine: Engine,
  { document, version, fence }: Draft,
  before: DocumentRow,
): Promise<void> {
  await trx
    .updateTable('documents')
    .set({ ...importedColumns(document), version, fence })
    .where('row', '=', before.row)
    .execute()
  if (document.metadata !== undefined) await writeMetadata(trx, before.row, document.metadata)
  const owners = [...new Set(document.owners.map(plainText))]
  await trx
    .deleteFrom('document_owners')
    .where('document_row', '=', before.row)
    .where(sql<boolean>`not ${isOneOf(engine, 'principal', owners)}`)
    .execute()
  await trx
    .insertInto('document_owners')
    .values(ownerRows(before.row, document, version))
    .onConflict((conflict) => conflict.columns(['principal', 'document_row']).doNothing())
    .execute()
  await enqueue(trx, { row: before.row, fence, now: document.createdAt })
  await discardSets(trx, before.row, before.visible_set)
  await logChanges(trx, [before.visible_set])
}

function ownerRows(row: number, { owners }: NewDocument, version: number) {
  return [...new Set(owners.map(plainText))].map((principal) => ({
    principal,
    document_row: row,
    from_version: version,
  }))
}

function jobOf(row: number, fence: number, now: number) {
  return { document_row: row, fence, available_at: now, lease_until: null, worker: null }
}

/** The document's only job; a worker that has the one before loses it. */
async function enqueue(
  trx: Transaction<Tables>,
  { row, fence, now }: { readonly row: number; readonly fence: number; readonly now: number },
): Promise<void> {
  await trx.deleteFrom('document_jobs').where('document_row', '=', row).execute()
  await trx
    .insertInto('document_jobs')
    .values(jobOf(row, fence, now))
    .execute()
}

async function retry(
  connection: Connection,
  trx: Transaction<Tables>,
  { id, viewer, now }: { readonly id: string; readonly viewer: Viewer; readonly now: number },
): ReturnType<DocumentStore['retry']> {
  const { engine } = connection
  const document = await lockedDocument(engine, trx, { id, viewer })
  if (document === undefined) return null
  if (!ended.includes(document.state)) return recordOrNull(connection, document)
  const alive = await trx
    .selectFrom('documents')
    .select('id')
    .where('content_key', '=', document.content_key)
    .where(sql<boolean>`state not in ('failed', 'cancelled')`)
    .executeTakeFirst()
  if (alive !== undefined) return { duplicateOf: alive.id }
  const { row } = document
  const fence = document.fence + 1
  await trx
    .updateTable('documents')
    .set({ ...queuedColumns(now), fence })
    .where('row', '=', row)
    .execute()
  await enqueue(trx, { row, fence, now })
  return recordOrNull(connection, await documentAt(trx, row))
}

/** One import at a time per schema; on SQLite the transaction has the only write lock. */
async function lockImports(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtext('sluice imports'), hashtext(current_schema()))`.execute(trx)
}

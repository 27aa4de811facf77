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
  namedColumns,
  needsRowLocks,
  queuedColumns,
  recordOrNull,
  sourceKey,
  sourceOf,
  type DocumentRow,
} from '../rows/document-row.ts'
import type { DocumentStore, Inserted, NewDocument, Viewer } from '../document-store.ts'
import type { Renaming } from '../document-source.ts'
import { plainText } from '../plain-text.ts'
import { insertRows, isOneOf } from '../statements.ts'
import { lockedDocument } from './locked-document.ts'
import { renameSet } from './set-name.ts'

const ended = ['failed', 'cancelled']

/** A document that this call writes: as it was, if it was there, and as it will be. */
interface Draft {
  readonly before: DocumentRow | null
  document: NewDocument
  version: number
  fence: number
}

/** Imports and retries in this database. */
export function documentImports(connection: Connection): Pick<DocumentStore, 'insert' | 'retry' | 'rename'> {
  const { engine, kysely } = connection
  return {
    async insert(documents) {
      if (documents.length === 0) return []
      return kysely.transaction().execute(async (trx) => {
        await lockImports(trx, engine)
        const plan = new ImportPlan(await affectedRows({ engine, kysely: trx }, documents))
        const inserted = documents.map((document) => plan.add(document))
        await writeDrafts(trx, engine, plan.drafts)
        await writeSeen(trx, plan.seen)
        await writeNames(trx, plan.names)
        return inserted
      })
    },
    retry: (id, viewer, now) =>
      kysely.transaction().execute(async (trx) => {
        await lockImports(trx, engine)
        return retry({ engine, kysely: trx }, trx, { id, viewer, now })
      }),
    rename: (id, viewer, change, now) =>
      kysely.transaction().execute(async (trx) => {
        await lockImports(trx, engine)
        return rename({ engine, kysely: trx }, trx, { id, viewer, change, now })
      }),
  }
}

/** The rows that have one of these ids or are of one of these files, or are alive with one of these contents. */
async function affectedRows(
  { engine, kysely }: Connection,
  documents: readonly NewDocument[],
): Promise<readonly DocumentRow[]> {
  const ids = documents.map(({ id }) => plainText(id))
  const keys = documents.map(contentKey)
  const files = documents.flatMap(({ importerId, source }) => (source ? sourceKey(importerId, source) : []))
  const ofFile = files.length === 0 ? sql`` : sql` or ${isOneOf(engine, 'source_key', files)}`
  let query = kysely
    .selectFrom('documents')
    .selectAll()
    .where(sql<boolean>`(${isOneOf(engine, 'id', ids)} or ${isOneOf(engine, 'content_key', keys)}${ofFile})`)
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
  /** Id of the document of each file of a source. */
  readonly #files: Map<string, string>
  /** Versions of sources whose files have the bytes that are there, by document. */
  readonly seen = new Map<string, string>()
  /** Names of copies, by the document that is there. */
  readonly names = new Map<string, string[]>()

  constructor(rows: readonly DocumentRow[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    this.#alive = new Map(
      rows.filter(({ state }) => !ended.includes(state)).map((row) => [row.content_key, row.id] as const),
    )
    this.#files = new Map(rows.flatMap(({ source_key: key, id }) => (key === null ? [] : [[key, id] as const])))
  }

  get drafts(): readonly Draft[] {
    return [...this.#byId.values()]
  }

  add(imported: NewDocument): Inserted {
    const document = { ...imported, id: plainText(imported.id), source: imported.source ?? null }
    const key = contentKey(document)
    const same = this.#alive.get(key)
    const { source } = document
    if (same !== undefined) {
      if (source !== null && source.version !== null) this.seen.set(same, source.version)
      this.names.getOrInsertComputed(same, () => []).push(plainText(document.name))
      return { kind: 'duplicate', id: same }
    }
    if (!this.#takesFile(document)) return { kind: 'taken' }
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

  /** False when the file was moved, or imported under another id, since the caller asked for its id. */
  #takesFile({ id, importerId, source = null }: NewDocument): boolean {
    if (source === null) return true
    const file = sourceKey(importerId, source)
    if ((this.#files.get(file) ?? id) !== id) return false
    this.#files.set(file, id)
    return true
  }

  #replace(draft: Draft, document: NewDocument, oldKey: string): Inserted {
    if (this.#alive.get(oldKey) === document.id) this.#alive.delete(oldKey)
    this.#alive.set(contentKey(document), document.id)
    const replaced = draft.before?.visible_sha256 ?? draft.before?.sha256 ?? draft.document.sha256
    draft.version = nextVersion(draft, document)
    draft.fence += 1
    // An import by its id alone leaves a document with its file.
    draft.document = { ...document, source: document.source ?? draft.document.source ?? null }
    this.#byId.set(document.id, draft)
    return { kind: 'queued', replaced: replaced === document.sha256 ? null : replaced }
  }
}

function draftOf(before: DocumentRow, document: NewDocument): Draft {
  const source = document.source ?? sourceOf(before)
  return { before, document: { ...document, source }, version: before.version, fence: before.fence }
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
    .set({
      ...importedColumns(document),
      version,
      fence,
      // Those are names of the bytes that were there.
      ...(before.sha256 === document.sha256 ? {} : { other_names: '[]' }),
    })
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

/** A file that was only touched need not be looked at again. */
async function writeSeen(trx: Transaction<Tables>, seen: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, version] of seen)
    await trx
      .updateTable('documents')
      .set({ source_version: plainText(version) })
      .where('id', '=', id)
      .execute()
}

const namesMax = 100

/** Under the lock on imports, so that no name of another import is lost. */
async function writeNames(trx: Transaction<Tables>, names: ReadonlyMap<string, readonly string[]>): Promise<void> {
  for (const [id, added] of names) {
    const row = await trx
      .selectFrom('documents')
      .select(['name', 'other_names'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) continue
    const before = JSON.parse(row.other_names) as readonly string[]
    const all = [...new Set([...before, ...added])].filter((name) => name !== row.name).slice(0, namesMax)
    if (all.length === before.length) continue
    await trx
      .updateTable('documents')
      .set({ other_names: JSON.stringify(all) })
      .where('id', '=', id)
      .execute()
  }
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

interface RenameOrder {
  readonly id: string
  readonly viewer: Viewer
  readonly change: Renaming
  readonly now: number
}

/** Chunks and vectors stay; searches find the document by its new name at once. */
async function rename(
  connection: Connection,
  trx: Transaction<Tables>,
  { id, viewer, change, now }: RenameOrder,
): ReturnType<DocumentStore['rename']> {
  const { engine } = connection
  const row = await lockedDocument(engine, trx, { id, viewer })
  if (row === undefined) return null
  const before = await recordOrNull(connection, row)
  if (before === null) return null
  const { name = before.name, sourceId, sourceVersion } = change
  const former = before.source ?? { name: '', id: '', version: null }
  const source =
    sourceId === undefined && before.source === null
      ? null
      : { name: former.name, id: sourceId ?? former.id, version: sourceVersion ?? former.version }
  const document = { ...before, name, source }
  const key = source && sourceKey(before.importerId, source)
  const others = trx.selectFrom('documents').select('id').where('source_key', '=', key).where('row', '!=', row.row)
  if (key !== null && (await others.executeTakeFirst()) !== undefined) return 'taken'
  await trx
    .updateTable('documents')
    .set({ ...namedColumns(document), updated_at: now })
    .where('row', '=', row.row)
    .execute()
  if (name !== before.name && row.visible_set !== null)
    await renameSet({ engine, trx }, row.visible_set, { name, title: before.title })
  return recordOrNull(connection, await documentAt(trx, row.row))
}

/** One import at a time per schema; on SQLite the transaction has the only write lock. */
async function lockImports(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtext('sluice imports'), hashtext(current_schema()))`.execute(trx)
}

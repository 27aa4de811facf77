/**
 * The handler of POST /api/v1/documents. What is answered as accepted is durable: its bytes are in the
 * blob store and its job in the database. Nothing of a file that was not accepted is left.
 */
import { ApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import { eachOf } from '#lib/each-of.ts'
import type { RequestContext } from '#http/request-context.ts'
import { multipartBoundary } from '#http/multipart.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { Components, Inserted, NewDocument } from '#store/documents/document-store.ts'
import type { SpooledFile } from '../blobs/blob-store.ts'
import { resolveComponents } from './components.ts'
import type { Documents } from '../documents.ts'
import { importOwners } from '../owners.ts'
import { checkType } from './check-type.ts'
import { importAnswerOf, type ImportAnswer, type ItemOutcome } from './import-answer.ts'
import { storeCategory, type ImportItem } from './import-request.ts'
import { readFormImport } from './read-form-import.ts'
import { receiveJsonImport, type HeldImport } from './read-json-import.ts'
import { receiveItem, type Invalid } from './receive-item.ts'

/** Items whose bytes are written at once. */
const receivedTogether = 8

/** 202 when all files were accepted, 207 when any is a duplicate or invalid. */
export async function importDocuments(
  documents: Documents,
  context: RequestContext,
  caller: Caller,
): Promise<Response> {
  await refuseWhenFull(documents) // 503
  const { items, options, ...read } = await readImport(documents, context, caller) // 400, 408, 413, 415, 422
  let outcomes: readonly ItemOutcome[]
  try {
    const components = resolveComponents(documents, caller, options) // 403, 422
    const [createdAt, place] = await Promise.all([documents.now(), documents.place()])
    outcomes = await importItems(documents, items, { caller, components, createdAt, place })
  } catch (thrown) {
    for (const item of items) await discard(documents, item)
    throw thrown
  } finally {
    await read[Symbol.asyncDispose]()
  }
  // For a duplicate, too: it may be waiting since a process that is gone.
  if (outcomes.some(({ kind }) => kind !== 'invalid')) documents.wake()
  if (options.wait) await waitFor(documents, context, outcomes)
  const answer = await importAnswerOf(documents, caller, {
    items,
    outcomes,
    withStates: options.wait,
    warnings: options.warnings,
  })
  return json(answer, allAccepted(answer) ? 202 : 207)
}

async function refuseWhenFull({ store, settings }: Documents): Promise<void> {
  if ((await store.backlog()) >= settings.get('documents.max_backlog')) throw new ApiError('backlog_full')
}

/** The request, whose memory and files are given back when it is disposed. */
async function readImport(documents: Documents, context: RequestContext, caller: Caller): Promise<HeldImport> {
  const { settings, spool } = documents
  const limits: BodyLimits = {
    bytesMax: settings.get('documents.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }
  const boundary = multipartBoundary(context.request.headers.get('content-type'))
  if (boundary === null) return receiveJsonImport(documents, context, { caller, limits })
  const fileBytesMax = settings.get('documents.max_file_bytes')
  const form = await readFormImport(context, { boundary, limits, fileBytesMax, spool })
  return { ...form, [Symbol.asyncDispose]: () => Promise.resolve() }
}

export interface ImportOrder {
  readonly caller: Caller
  readonly components: Components
  readonly createdAt: number
  readonly place: string | null
}

/** Items that name a file of a source have the id of its document from here on. */
async function withIds(
  { store }: Documents,
  { account }: Caller,
  items: readonly ImportItem[],
): Promise<readonly ImportItem[]> {
  const files = items.flatMap(({ source }) => source ?? [])
  const ids = (await store.idsOfSources(account.user.id, files)).values()
  return items.map((item) => (item.source === null ? item : { ...item, docId: ids.next().value ?? null }))
}

/** An item on its way: to be inserted, or what is wrong with it. */
type Prepared =
  | { readonly kind: 'ready'; readonly document: NewDocument; readonly received: SpooledFile }
  | { readonly kind: 'invalid'; readonly reason: Invalid }

interface ImportContext extends ImportOrder {
  readonly repeatedIds: ReadonlySet<string>
}

/** Imports items, each with an outcome of its own, in their order. What is received of them is discarded, however it ends. */
export async function importItems(
  documents: Documents,
  sent: readonly ImportItem[],
  given: ImportOrder,
): Promise<readonly ItemOutcome[]> {
  const items = await withIds(documents, given.caller, sent)
  const order = { ...given, repeatedIds: repeatedIdsOf(items) }
  const prepared: Prepared[] = []
  let areGone = false
  try {
    await eachOf(items.entries(), receivedTogether, async ([index, item]) => {
      prepared[index] = await prepare(documents, item, order)
    })
    const ready = prepared.filter((each) => each.kind === 'ready')
    using _held = await documents.blobUse.hold(ready.map(({ document }) => document.id))
    const put = await documents.blobs.put(ready.map(({ received, document: { id } }) => ({ ...received, id })))
    areGone = put === 'moved'
    const inserted = await documents.store.insert(ready.map(({ document }) => document))
    await Promise.all(ready.map(({ document }, index) => forget(documents, items, document, inserted[index])))
    const outcomeOf = new Map(ready.map((each, index) => [each as Prepared, inserted[index]]))
    return prepared.map((each) => outcomeOfItem(each, outcomeOf.get(each)))
  } finally {
    const left = areGone ? [] : prepared.flatMap((each) => (each.kind === 'ready' ? each.received : []))
    await eachOf(left, receivedTogether, (file) => documents.spool.discard(file))
  }
}

async function prepare(documents: Documents, item: ImportItem, order: ImportContext): Promise<Prepared> {
  const { settings, spool } = documents
  const { caller, components, createdAt, place } = order
  const owners = await allowedOwners(documents, item, order)
  if ('code' in owners) {
    await discard(documents, item)
    return { kind: 'invalid', reason: owners }
  }
  const fileBytesMax = settings.get('documents.max_file_bytes')
  const importRoots = settings.get('documents.import_roots')
  const urls = settings.get('documents.import_urls')
  const reception = await receiveItem(item, { spool, fileBytesMax, importRoots, urls })
  if (reception.kind === 'invalid') return reception
  const { received, start } = reception
  await using unaccepted = new AsyncDisposableStack()
  unaccepted.defer(() => spool.discard(received))
  const url = item.origin.kind === 'url' ? item.origin.url : null
  const reader = url === null ? components.reader : { main_text: true, ...components.reader, url: url.href }
  const arrived = { path: received.path, start, name: item.name, reader }
  const reason = url === null ? await checkType(documents, arrived) : null
  if (reason !== null) return { kind: 'invalid', reason }
  unaccepted.move()
  const document: NewDocument = {
    id: item.docId ?? crypto.randomUUID(),
    importerId: caller.account.user.id,
    owners,
    source: item.source,
    name: shownName(item.name),
    category: item.category,
    sha256: received.sha256,
    bytes: received.bytes,
    place,
    createdAt,
    metadata: item.metadata,
    ...components,
    reader,
  }
  return { kind: 'ready', document, received }
}

/** The owners of an item; what is wrong with its fields when something is. */
async function allowedOwners(
  documents: Documents,
  { fault, docId, category, owners }: ImportItem,
  { caller, repeatedIds }: ImportContext,
): Promise<NewDocument['owners'] | Invalid> {
  if (fault !== null) return { code: 'invalid_field', message: fault }
  if (docId !== null && repeatedIds.has(docId))
    return {
      code: 'doc_id_repeated',
      message: 'Several items of the request have this doc_id or source_id. Send one of them.',
    }
  const categories = documents.settings.get('documents.categories')
  if (categories.length > 0 && !categories.includes(category) && !storeCategory.test(category)) {
    const message = `There is no category of this name. Categories are: ${categories.join(', ')}.`
    return { code: 'unknown_category', message }
  }
  const resolved = await importOwners(documents, owners, caller)
  if (resolved.kind === 'owners') return resolved.principals
  const owner = JSON.stringify(resolved.owner)
  if (resolved.kind === 'unknown') return { code: 'unknown_owner', message: `No user or group is called ${owner}.` }
  return {
    code: 'owner_not_allowed',
    message: `You may not make ${owner} an owner. Name yourself or a group that you are in, or ask an administrator for the permission documents.share.`,
  }
}

/** Ids that several items have: which of them would win is not for the server to guess. */
function repeatedIdsOf(items: readonly ImportItem[]): ReadonlySet<string> {
  const ids = items.flatMap(({ docId }) => docId ?? [])
  const sameIds = Map.groupBy(ids, (id) => id)
  return new Set(ids.filter((id) => (sameIds.get(id)?.length ?? 0) > 1))
}

/** A form's file is in the spool before anything about it is checked. */
async function discard({ spool }: Documents, { origin }: ImportItem): Promise<void> {
  if (origin.kind === 'received') await spool.discard(origin.received)
}

/** One line without characters that change how the text around them is shown. */
export function shownName(name: string): string {
  const shown = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, ' ').trim()
  return shown.slice(0, 255) || 'unnamed'
}

/**
 * Takes back the blob of a document that was not queued. Under an id that the caller chose there may
 * be a document with the same bytes, whose blob has the same address: then the sweep decides.
 */
async function forget(
  { blobs }: Documents,
  items: readonly ImportItem[],
  { id, sha256 }: NewDocument,
  inserted: Inserted | undefined,
): Promise<void> {
  if (inserted?.kind !== 'queued' && !items.some(({ docId }) => docId === id)) await blobs.remove({ id, sha256 })
}

function outcomeOfItem(prepared: Prepared, inserted: Inserted | undefined): ItemOutcome {
  if (prepared.kind === 'invalid') return prepared
  const { id } = prepared.document
  if (inserted?.kind === 'queued') return { kind: 'accepted', id }
  if (inserted?.kind === 'duplicate') return { kind: 'duplicate', id: inserted.id }
  const message = 'This doc_id cannot be used. Leave it out, or choose another one.'
  return { kind: 'invalid', reason: { code: 'doc_id_taken', message } }
}

async function waitFor({ notifier, settings }: Documents, context: RequestContext, outcomes: readonly ItemOutcome[]) {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? [outcome.id] : []))
  context.liftIdleTimeout()
  if (ids.length > 0) await notifier.wait(ids, settings.get('documents.wait_seconds'), context.signal)
}

function allAccepted({ duplicate, invalid: refused }: ImportAnswer): boolean {
  return duplicate.length === 0 && refused.length === 0
}

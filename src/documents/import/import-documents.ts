/**
 * The handler of POST /api/v1/documents. What is answered as accepted is durable: its bytes are in the
 * blob store and its job in the database. Nothing of a file that was not accepted is left.
 */
import { ApiError } from '#errors/api-error.ts'
import { readBody, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { multipartBoundary } from '#http/multipart.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { Components, Inserted, NewDocument } from '#store/documents/document-store.ts'
import type { Received } from '../blobs/blob-store.ts'
import { resolveComponents } from '../components.ts'
import type { Documents } from '../documents.ts'
import { resolveOwners } from '../owners.ts'
import { unreadable } from './check-type.ts'
import { answerOf, type ImportAnswer, type ItemOutcome } from './import-answer.ts'
import type { ImportItem, ImportWishes } from './import-request.ts'
import { readFormImport } from './read-form-import.ts'
import { readJsonImport } from './read-json-import.ts'
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
  const { items, wishes, ...read } = await readImport(documents, context) // 400, 408, 413, 415, 422
  let outcomes: readonly ItemOutcome[]
  try {
    const components = resolveComponents(documents, caller, wishes) // 403, 422
    outcomes = await importItems(documents, items, { caller, components })
  } catch (thrown) {
    for (const item of items) await discard(documents, item)
    throw thrown
  } finally {
    read[Symbol.dispose]()
  }
  // For a duplicate, too: it may be waiting since a process that is gone.
  if (outcomes.some(({ kind }) => kind !== 'invalid')) documents.wake()
  if (wishes.wait) await waitFor(documents, context, outcomes)
  const answer = await answerOf(documents, caller, { items, outcomes, withStates: wishes.wait })
  return json(answer, allAccepted(answer) ? 202 : 207)
}

async function refuseWhenFull({ store, settings }: Documents): Promise<void> {
  if ((await store.backlog()) >= settings.get('documents.max_backlog')) throw new ApiError('backlog_full')
}

interface ReadImport extends Disposable {
  readonly items: readonly ImportItem[]
  readonly wishes: ImportWishes
}

/** The request; disposing it gives its memory back. */
async function readImport(documents: Documents, context: RequestContext): Promise<ReadImport> {
  const { settings, budget, spool } = documents
  const limits: BodyLimits = {
    bytesMax: settings.get('documents.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }
  const { headers } = context.request
  const boundary = multipartBoundary(headers.get('content-type'))
  if (boundary !== null) {
    const fileBytesMax = settings.get('documents.max_file_bytes')
    const form = await readFormImport(context, { boundary, limits, fileBytesMax, spool })
    return { ...form, [Symbol.dispose]: () => undefined }
  }
  using held = new DisposableStack()
  held.use(await budget.take(Number(headers.get('content-length') ?? limits.bytesMax), context.signal))
  const request = readJsonImport(await readBody(context, limits))
  const kept = held.move()
  return { ...request, [Symbol.dispose]: () => kept.dispose() }
}

interface ImportContext {
  readonly caller: Caller
  readonly components: Components
}

/** An item on its way: to be inserted, or what is wrong with it. */
type Prepared =
  | { readonly kind: 'ready'; readonly document: NewDocument; readonly received: Received }
  | { readonly kind: 'invalid'; readonly reason: Invalid }

async function importItems(
  documents: Documents,
  items: readonly ImportItem[],
  order: ImportContext,
): Promise<readonly ItemOutcome[]> {
  const prepared: Prepared[] = []
  try {
    for (let at = 0; at < items.length; at += receivedTogether) {
      const some = items.slice(at, at + receivedTogether)
      prepared.push(...(await Promise.all(some.map((item) => prepare(documents, item, order)))))
    }
    const ready = prepared.filter((each) => each.kind === 'ready')
    for (const { received, document } of ready) await documents.blobs.keep(received, document.id)
    const inserted = await documents.store.insert(ready.map(({ document }) => document))
    await Promise.all(ready.map(({ document }, index) => forget(documents, items, document, inserted[index])))
    const outcomeOf = new Map(ready.map((each, index) => [each as Prepared, inserted[index]]))
    return prepared.map((each) => outcomeOfItem(each, outcomeOf.get(each)))
  } finally {
    for (const each of prepared) if (each.kind === 'ready') await documents.spool.discard(each.received)
  }
}

async function prepare(
  documents: Documents,
  item: ImportItem,
  { caller, components }: ImportContext,
): Promise<Prepared> {
  const { settings, spool, clock } = documents
  const categories = settings.get('documents.categories')
  if (categories.length > 0 && !categories.includes(item.category)) {
    await discard(documents, item)
    return invalid('unknown_category', `There is no category of this name. Categories are: ${categories.join(', ')}.`)
  }
  const owners = await resolveOwners(documents, item.owners, caller)
  if (owners.kind === 'unknown') {
    await discard(documents, item)
    return invalid('unknown_owner', `No user or group is called ${JSON.stringify(owners.owner)}.`)
  }
  const fileBytesMax = settings.get('documents.max_file_bytes')
  const importRoots = settings.get('documents.import_roots')
  const reception = await receiveItem(item, { spool, fileBytesMax, importRoots })
  if (reception.kind === 'invalid') return reception
  const { received } = reception
  const arrived = { path: received.path, name: item.name, reader: components.reader }
  const reason = await unreadable(documents, arrived)
  if (reason !== null) {
    await spool.discard(received)
    return { kind: 'invalid', reason }
  }
  const document: NewDocument = {
    id: item.docId ?? crypto.randomUUID(),
    importerId: caller.account.user.id,
    owners: owners.principals,
    name: shownName(item.name),
    category: item.category,
    sha256: received.sha256,
    bytes: received.bytes,
    createdAt: clock.now(),
    ...components,
  }
  return { kind: 'ready', document, received }
}

/** A form's file is in the spool before anything about it is checked. */
async function discard({ spool }: Documents, { origin }: ImportItem): Promise<void> {
  if (origin.kind === 'received') await spool.discard(origin.received)
}

function invalid(code: Invalid['code'], message: string): Prepared {
  return { kind: 'invalid', reason: { code, message } }
}

/** One line without characters that change how the text around them is shown. */
function shownName(name: string): string {
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

async function waitFor({ endings, settings }: Documents, context: RequestContext, outcomes: readonly ItemOutcome[]) {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? [outcome.id] : []))
  context.liftIdleTimeout()
  if (ids.length > 0) await endings.wait(ids, settings.get('documents.wait_seconds'), context.signal)
}

function allAccepted({ duplicate, invalid: refused }: ImportAnswer): boolean {
  return duplicate.length === 0 && refused.length === 0
}

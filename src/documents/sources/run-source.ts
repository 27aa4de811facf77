/**
 * One run of a source: what its files are now, what the server has of them, and the imports, moves and deletions between the two.
 * Nothing is noted on the way but documents, so a run that was broken off is begun again and does only what is left.
 */
import { eachOf } from '#lib/each-of.ts'
import { pause } from '#lib/loop.ts'
import type { Caller } from '#identity/records.ts'
import type { Source, SourceRun } from '#store/sources/sources.ts'
import { FileTooLarge } from '../blobs/write-pieces.ts'
import type { Documents } from '../documents.ts'
import { resolveComponents } from '../import/components.ts'
import { importItems, shownName, type ImportOrder } from '../import/import-documents.ts'
import type { ImportItem } from '../import/import-request.ts'
import { deleteDocument } from '../records/document-handlers.ts'
import { viewerOf } from '../owners.ts'
import { filesMax, idMax, type ListedFile, type SourceListing } from './listing.ts'
import type { SourceClient } from '../web/source-client.ts'
import { planSync, type KnownFile, type SyncPlan } from './sync-plan.ts'
import { SourceFailure } from '../web/source-failure.ts'

export interface RunParts {
  readonly documents: Documents
  readonly client: SourceClient
  readonly listing: SourceListing
  /** Whose the documents are. */
  readonly caller: Caller
  readonly signal: AbortSignal
}

export type RunCounts = Omit<SourceRun, 'outcome' | 'begunAt' | 'endedAt'>

const importedTogether = 4
const manifestPage = 5000
/** Files that are looked at before other work has its turn. */
const filesOfTurn = 1000
const errorsMax = 20
const backlogWaitMs = 1000

/** Documents of a source belong to it by its id: a name may be given again. */
export function sourceNameOf({ id }: Pick<Source, 'id'>): string {
  return `source:${id}`
}

/** What a run would do. Changes nothing. Rejects with SourceFailure. */
export async function planRun(parts: RunParts, source: Source): Promise<SyncPlan<ListedFile>> {
  const { listing, signal } = parts
  const found = new Map<string, ListedFile>()
  const ignores = ignoring(source)
  for await (const file of listing.list(signal)) {
    if (file.id.length > idMax || file.id.includes('\0') || ignores(file.id)) continue
    found.set(file.id, file)
    if (found.size % filesOfTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    if (found.size > filesMax) throw new SourceFailure(`The source has more than ${filesMax} files.`)
  }
  const known = await knownOf(parts, source)
  if (found.size === 0 && known.length > 0)
    throw new SourceFailure(
      `The source is empty, and there are ${known.length} documents of it. They stay; delete the source with its documents if that is meant.`,
    )
  const markOf = (_bytes: number | null, version: string | null): string | null =>
    listing.versionIsContent ? version : null
  return planSync(found.values(), known, { markOf, isSame: () => true })
}

/** Brings the documents up to date. Rejects with SourceFailure when the source could not be listed; nothing is deleted then. */
export async function runSource(parts: RunParts, source: Source): Promise<RunCounts> {
  const { documents, caller, signal } = parts
  const plan = await planRun(parts, source)
  const counts = { imported: 0, failed: 0, deleted: 0 }
  const errors: string[] = []
  const [createdAt, place] = await Promise.all([documents.now(), documents.place()])
  const resolved = resolveComponents(documents, caller, componentsOf(source))
  const reader = source.kind === 'sitemap' ? { main_text: true, ...resolved.reader } : resolved.reader
  const components = { ...resolved, reader }
  const order: ImportOrder = { caller, components, createdAt, place }
  await eachOf(plan.send, importedTogether, async ({ file }) => {
    signal.throwIfAborted()
    await roomInQueue(documents, signal)
    const problem = await importFile(parts, source, { file, order })
    if (problem === null) counts.imported += 1
    else if (problem !== '') {
      counts.failed += 1
      if (errors.length < errorsMax) errors.push(`${shownName(file.id)}: ${problem}`)
    }
  })
  for (const { file, known } of plan.moved) {
    signal.throwIfAborted()
    const change = { name: shownName(file.name), sourceId: file.id, sourceVersion: file.version }
    await documents.store.rename(known.documentId, viewerOf(caller), change, await documents.now())
  }
  for (const { documentId } of plan.gone) {
    signal.throwIfAborted()
    await deleteDocument(documents, caller, documentId)
    counts.deleted += 1
  }
  const same = plan.send.length - counts.imported - counts.failed
  return { ...counts, moved: plan.moved.length, unchanged: plan.unchanged.length + same, errors }
}

/** Why the file was not imported; null when it was, and empty when the same bytes are there. */
async function importFile(
  { documents, client, listing, signal }: RunParts,
  source: Source,
  { file, order }: { readonly file: ListedFile; readonly order: ImportOrder },
): Promise<string | null> {
  const fileBytesMax = documents.settings.get('documents.max_file_bytes')
  const tooLarge = `The file is larger than ${fileBytesMax} bytes, the limit of this server.`
  if (file.bytes !== null && file.bytes > fileBytesMax) return tooLarge
  try {
    const request = { ...listing.requestFor(file), signal }
    const received = await client.bytes(request, (pieces) =>
      documents.spool.receive(listing.contentOf?.(pieces) ?? pieces, fileBytesMax),
    )
    const [outcome] = await importItems(documents, [itemOf(source, file, received)], order)
    if (outcome?.kind === 'accepted') {
      documents.wake()
      return null
    }
    return outcome?.kind === 'invalid' ? outcome.reason.message : ''
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof FileTooLarge) return tooLarge
    if (thrown instanceof SourceFailure) return thrown.message
    throw thrown
  }
}

function itemOf(
  source: Source,
  { id, name, version }: ListedFile,
  received: Extract<ImportItem['origin'], { kind: 'received' }>['received'],
): ImportItem {
  return {
    name: name.slice(-1000),
    category: source.category,
    path: '',
    docId: null,
    source: { name: sourceNameOf(source), id, version },
    metadata: undefined,
    owners: source.owners,
    origin: { kind: 'received', received },
    fault: null,
    warnings: [],
  }
}

async function knownOf({ documents, caller }: RunParts, source: Source): Promise<readonly KnownFile[]> {
  const known: KnownFile[] = []
  const query = { importerId: viewerOf(caller).userId, source: sourceNameOf(source), limit: manifestPage }
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const page: Awaited<ReturnType<Documents['store']['manifest']>> = await documents.store.manifest({
      ...query,
      after,
    })
    for (const { documentId, sourceId, sourceVersion, sha256, bytes, state } of page.entries)
      known.push({ documentId, id: sourceId, version: sourceVersion, sha256, bytes, state })
    after = page.next
  }
  return known
}

/** Imports of people come first: a source leaves half of the queue to them. */
async function roomInQueue({ store, settings }: Documents, signal: AbortSignal): Promise<void> {
  while ((await store.backlog()) * 2 >= settings.get('documents.max_backlog')) {
    await pause(backlogWaitMs, signal)
    signal.throwIfAborted()
  }
}

function componentsOf({ options }: Source) {
  const name = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return {
    reader: name(options['reader']),
    chunker: name(options['chunker']),
    embedder: name(options['embedder']),
    chunkUnits: null,
    chunkOverlap: null,
    wait: false,
    warnings: [],
  }
}

function ignoring({ options }: Source): (id: string) => boolean {
  const patterns = Array.isArray(options['ignore']) ? (options['ignore'] as readonly string[]) : []
  const globs = patterns.map((pattern) => ({ glob: new Bun.Glob(pattern), ofPath: pattern.includes('/') }))
  return (id) => globs.some(({ glob, ofPath }) => glob.match(ofPath ? id : (id.split('/').at(-1) ?? id)))
}

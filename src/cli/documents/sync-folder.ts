/**
 * One look at a folder: what has to change so that the server has its files and no others, and the changes. The server keeps the
 * list of the files (its manifest), and nothing of it is in the folder, so any machine can go on with a run that was broken off.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { planSync, type FoundFile, type KnownFile, type SyncPlan } from '#documents/sources/sync-plan.ts'
import { eachOf } from '#lib/each-of.ts'
import { Refusal } from '../admin/admin-client.ts'
import { filesIn, type FileToSend } from './files-below.ts'
import { requestWithRetry, type RetryOptions } from './request-with-retry.ts'

export interface FolderFile extends FoundFile, FileToSend {}

export type FolderPlan = SyncPlan<FolderFile>

interface ManifestOnWire {
  readonly data: readonly {
    readonly doc_id: string
    readonly source_id: string
    readonly source_version: string | null
    readonly sha256: string
    readonly bytes: number
    readonly state: string
  }[]
  readonly next: string | null
}

const changedTogether = 4
const manifestPage = 5000

/** The files of a folder with their size and time, which is what an unchanged file is known by. */
export async function lookAtFolder(
  folder: string,
  ignores: (within: string) => boolean,
): Promise<readonly FolderFile[]> {
  const files: FolderFile[] = []
  for await (const { path, name } of filesIn(folder, ignores)) {
    // One that has gone since it was listed is gone.
    const about = await stat(path, { bigint: true }).catch(() => null)
    if (about?.isFile())
      files.push({ path, name, id: name, version: `${about.size}:${about.mtimeNs}`, bytes: Number(about.size) })
  }
  return files
}

/** What the server has of a source. */
export async function manifestOf(retry: RetryOptions, source: string): Promise<readonly KnownFile[]> {
  const known: KnownFile[] = []
  for (let after: string | null = ''; after !== null;) {
    const query = new URLSearchParams({ source, limit: String(manifestPage), ...(after !== '' && { after }) })
    const { answer } = await requestWithRetry(retry, {
      method: 'GET',
      path: `/api/v1/documents/manifest?${query.toString()}`,
    })
    const { data, next } = answer as ManifestOnWire
    for (const { doc_id: documentId, source_id: id, source_version: version, ...rest } of data)
      known.push({ documentId, id, version, ...rest })
    after = next
  }
  return known
}

/** What has to change. Reads files whose size or time is not what the server knows, and none of the others. */
export async function planFolder(
  files: readonly FolderFile[],
  known: readonly KnownFile[],
): Promise<FolderPlan & { readonly touched: FolderPlan['moved'] }> {
  const hashes = new Map<string, Promise<string | null>>()
  const hashOf = ({ path }: FolderFile): Promise<string | null> => {
    const hash = hashes.get(path) ?? sha256Of(path)
    hashes.set(path, hash)
    return hash
  }
  const plan = await planSync(files, known, {
    markOf: (bytes) => String(bytes),
    isSame: async (file, gone) => (await hashOf(file)) === gone.sha256,
  })
  const touched: FolderPlan['moved'][number][] = []
  const send: FolderPlan['send'][number][] = []
  for (const { file, known: before } of plan.send) {
    const mayBeSame = before?.bytes === file.bytes && before.state !== 'failed' && before.state !== 'cancelled'
    if (before !== null && mayBeSame && (await hashOf(file)) === before.sha256) touched.push({ file, known: before })
    else send.push({ file, known: before })
  }
  return { ...plan, send, touched }
}

/** Tells the server where files are now; what it has of them stays. Resolves with those that have to be sent after all. */
export async function tellMoved(
  retry: RetryOptions,
  moved: FolderPlan['moved'],
  onDone: () => void,
): Promise<readonly FolderFile[]> {
  const unknown: FolderFile[] = []
  await eachOf(moved, changedTogether, async ({ file, known }) => {
    const isNamed = file.id !== known.id
    const body = JSON.stringify({
      source_id: file.id,
      source_version: file.version,
      ...(isNamed && { name: file.name.slice(0, 1000) }),
    })
    const json = () => new Blob([body], { type: 'application/json' })
    const request = { method: 'PATCH', path: `/api/v1/document/${known.documentId}`, body: json }
    const isDone = await answeredOr(retry, request, [404, 409, 422])
    if (!isDone) unknown.push(file)
    onDone()
  })
  return unknown
}

/** Deletes the documents of files that are gone. Those that another run has deleted are deleted. */
export async function deleteGone(retry: RetryOptions, gone: FolderPlan['gone'], onDone: () => void): Promise<void> {
  await eachOf(gone, changedTogether, async ({ documentId }) => {
    await answeredOr(retry, { method: 'DELETE', path: `/api/v1/document/${documentId}` }, [404])
    onDone()
  })
}

/** The fields by which the server knows a file of a source. */
export function sourceFields(source: string, { id, version }: FoundFile): readonly (readonly [string, string])[] {
  // A form changes the ends of lines.
  const written = /[\r\n]|^"/.test(id) ? JSON.stringify(id) : id
  return [
    ['source', source],
    ['source_id', written],
    ['source_version', version],
  ]
}

/** False when the server refused with one of these statuses. */
async function answeredOr(
  retry: RetryOptions,
  request: Parameters<typeof requestWithRetry>[1],
  refused: readonly number[],
): Promise<boolean> {
  try {
    await requestWithRetry(retry, request)
    return true
  } catch (thrown) {
    if (thrown instanceof Refusal && refused.includes(thrown.status)) return false
    throw thrown
  }
}

/** Null when the file cannot be read. */
async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
    return hash.digest('hex')
  } catch {
    return null
  }
}

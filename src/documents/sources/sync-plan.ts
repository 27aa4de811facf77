/**
 * What has to be done so that the documents of a source are those of its files: compares what was found with what the server
 * has. The same for folders of the command line and for sources of the server. Changes nothing itself.
 */

/** A file as it was found. */
export interface FoundFile {
  readonly id: string
  /** Tells whether it has changed since the last look. */
  readonly version: string
  /** Null when it is not known before the bytes are. */
  readonly bytes: number | null
}

/** A document of the source as the server has it. */
export interface KnownFile {
  readonly documentId: string
  readonly id: string
  readonly version: string | null
  readonly bytes: number
  readonly sha256: string
  readonly state: string
}

export interface SyncPlan<File extends FoundFile> {
  /** To be sent: not there yet, or perhaps changed. */
  readonly send: readonly { readonly file: File; readonly known: KnownFile | null }[]
  /** The same content under another id. */
  readonly moved: readonly { readonly file: File; readonly known: KnownFile }[]
  /** Documents whose files are gone. */
  readonly gone: readonly KnownFile[]
  readonly unchanged: readonly KnownFile[]
}

/** Whether a new file has the content of one that is gone; only asked when nothing cheaper says no. */
export type IsSameContent<File extends FoundFile> = (file: File, gone: KnownFile) => boolean | Promise<boolean>

/**
 * Linear in the number of files, whatever their names, if few files of one size are new and gone at once.
 * @param movesMax most files of one size among which a moved one is looked for
 */
export async function planSync<File extends FoundFile>(
  found: Iterable<File>,
  known: Iterable<KnownFile>,
  isSameContent: IsSameContent<File>,
  movesMax = 1000,
): Promise<SyncPlan<File>> {
  const left = new Map<string, KnownFile>()
  for (const each of known) left.set(each.id, each)
  const send: SyncPlan<File>['send'][number][] = []
  const unchanged: KnownFile[] = []
  for (const file of found) {
    const before = left.get(file.id) ?? null
    left.delete(file.id)
    if (before === null) send.push({ file, known: null })
    // What was cancelled by a person stays so until the file changes, and so does what failed: it would fail again.
    else if (before.version === file.version) unchanged.push(before)
    else send.push({ file, known: before })
  }
  const candidates = Map.groupBy(left.values(), ({ bytes }) => bytes)
  const moved: SyncPlan<File>['moved'][number][] = []
  const rest: typeof send = []
  for (const each of send) {
    const same = each.known === null ? await sameContent(each.file, candidates, isSameContent, movesMax) : null
    if (same === null) rest.push(each)
    else {
      left.delete(same.id)
      moved.push({ file: each.file, known: same })
    }
  }
  return { send: rest, moved, gone: [...left.values()], unchanged }
}

/** Takes the candidate away, so that it is moved once. */
async function sameContent<File extends FoundFile>(
  file: File,
  candidates: ReadonlyMap<number, KnownFile[]>,
  isSameContent: IsSameContent<File>,
  movesMax: number,
): Promise<KnownFile | null> {
  if (file.bytes === null) return null
  const ofSize = candidates.get(file.bytes) ?? []
  for (const [at, each] of ofSize.slice(0, movesMax).entries()) {
    if (each.state !== 'completed' || !(await isSameContent(file, each))) continue
    ofSize.splice(at, 1)
    return each
  }
  return null
}

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

/** How a file that was moved is found among those that are gone. */
export interface Moves<File extends FoundFile> {
  /** Only files with the same mark are compared, and none whose mark is null. */
  readonly markOf: (bytes: number | null, version: string | null) => string | null
  /** Whether a new file has the content of one that is gone. */
  readonly isSame: (file: File, gone: KnownFile) => boolean | Promise<boolean>
}

/** Files of one mark that a new one is compared with; so the whole is linear in the files, whatever they are. */
const comparedMax = 1000
/** Files that are looked at before other work has its turn. */
const filesOfTurn = 1000

/** Linear in the number of files, whatever their names, sizes and versions. Others have their turns between. */
export async function planSync<File extends FoundFile>(
  found: Iterable<File>,
  known: Iterable<KnownFile>,
  moves: Moves<File>,
): Promise<SyncPlan<File>> {
  const left = new Map<string, KnownFile>()
  for (const each of known) left.set(each.id, each)
  const send: SyncPlan<File>['send'][number][] = []
  const unchanged: KnownFile[] = []
  let looked = 0
  for (const file of found) {
    if ((looked += 1) % filesOfTurn === 0) await turn()
    const before = left.get(file.id) ?? null
    left.delete(file.id)
    if (before === null) send.push({ file, known: null })
    // What was cancelled by a person stays so until the file changes, and so does what failed: it would fail again.
    else if (before.version === file.version) unchanged.push(before)
    else send.push({ file, known: before })
  }
  const completed = [...left.values()].filter(({ state }) => state === 'completed')
  const candidates = Map.groupBy(completed, (each) => moves.markOf(each.bytes, each.version))
  const moved: SyncPlan<File>['moved'][number][] = []
  const rest: typeof send = []
  for (const each of send) {
    if ((looked += 1) % filesOfTurn === 0) await turn()
    const same = each.known === null ? await sameContent(each.file, candidates, moves) : null
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
  candidates: ReadonlyMap<string | null, KnownFile[]>,
  { markOf, isSame }: Moves<File>,
): Promise<KnownFile | null> {
  const mark = markOf(file.bytes, file.version)
  const marked = mark === null ? [] : (candidates.get(mark) ?? [])
  // From the end, where taking one away costs least.
  for (let at = marked.length - 1; at >= Math.max(0, marked.length - comparedMax); at -= 1) {
    const each = marked[at]
    if (each === undefined || !(await isSame(file, each))) continue
    marked.splice(at, 1)
    return each
  }
  return null
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

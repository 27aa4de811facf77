/** Files of a drop or of a file chooser, folders opened, each with its path below what was chosen. */
import type { NamedFile } from './named-file.ts'

/** Everything that was dropped, folders with all that is below them. Has to be called in the drop's own event. */
export async function filesOfDrop(transfer: DataTransfer): Promise<readonly NamedFile[]> {
  // The list is empty once the event is over, so entries are taken before the first wait.
  const dropped = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const lists = await Promise.all(
    dropped.map(async ({ entry, file }) => {
      if (entry?.isDirectory === true) return filesBelow(entry as FileSystemDirectoryEntry)
      return file === null ? [] : [{ name: file.name, file }]
    }),
  )
  return lists.flat()
}

/** The files of an `<input type="file">`. */
export function filesOfInput(list: FileList): readonly NamedFile[] {
  return [...list]
    .filter((file) => file.webkitRelativePath === '' || !isHidden(file.webkitRelativePath))
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
}

async function filesBelow(folder: FileSystemDirectoryEntry): Promise<readonly NamedFile[]> {
  const entries = await entriesOf(folder)
  const lists = await Promise.all(
    entries
      .filter(({ name }) => !isHidden(name))
      .map(async (entry) => {
        if (entry.isDirectory) return filesBelow(entry as FileSystemDirectoryEntry)
        const file = await fileOf(entry as FileSystemFileEntry)
        return [{ name: entry.fullPath.replace(/^\//, ''), file }]
      }),
  )
  return lists.flat()
}

/** All entries: the browser hands them out a hundred at a time, and none when there are no more. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** What file managers leave in folders, and folders such as `.git`: nobody means these by dropping a folder. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === 'Thumbs.db')
}

/** Collects the files of a drop or a file chooser, including the files in folders, with their paths. */
import type { NamedFile } from './named-file.ts'

/** All dropped files, including those in folders. Must be called in the drop event. */
export async function filesOfDrop(transfer: DataTransfer): Promise<readonly NamedFile[]> {
  // The list is emptied after the event, so the entries are read before the first await.
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

/** All entries of a folder. The browser returns up to 100 at a time, and none at the end. */
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

/** True for hidden files and folders, such as `.git`, and for files of file managers. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === 'Thumbs.db')
}

/** The files that paths on the command line mean: files as they are, folders with all that is in them, web addresses. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UsageProblem } from '../command.ts'

export interface FileToSend {
  readonly path: string
  /** Below a given folder the path within it. */
  readonly name: string
  /** A web address, which the server fetches. */
  readonly isUrl?: boolean
  /** Fields of the form for this file alone. */
  readonly fields?: readonly (readonly [string, string])[]
}

/**
 * Each file once, in the order of the paths and within a folder by name. Names in a folder that begin with a dot are
 * left out, and so are links, which may lead anywhere. Throws UsageProblem for a path that is not there.
 */
export async function filesBelow(paths: readonly string[]): Promise<readonly FileToSend[]> {
  const found = new Map<string, FileToSend>()
  for (const path of paths) {
    if (/^https?:\/\//i.test(path)) {
      found.set(path, { path, name: path, isUrl: true })
      continue
    }
    const about = await stat(path).catch(() => null)
    if (about === null) throw new UsageProblem(`There is no file or folder ${path}.`)
    const files = about.isDirectory() ? await Array.fromAsync(filesIn(path)) : [{ path, name: basename(path) }]
    for (const file of files) {
      const key = await realpath(file.path)
      if (!found.has(key)) found.set(key, file)
    }
  }
  return [...found.values()]
}

/**
 * The files in a folder and its folders, without links and without names that begin with a dot. Throws UsageProblem when one of
 * the folders cannot be read: what is in it is then not known to be gone.
 * @param ignores whether a file or a folder is left out, by its path within the folder
 */
export async function* filesIn(
  folder: string,
  ignores: (within: string) => boolean = () => false,
): AsyncGenerator<FileToSend, void> {
  const entriesOf = async (within: string): Promise<readonly Found[]> => {
    const here = join(folder, within)
    const entries = await readdir(here, { withFileTypes: true }).catch(() => {
      throw new UsageProblem(`The folder ${here} cannot be read.`)
    })
    return entries
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isFile()))
      .map((entry) => ({
        name: within === '' ? entry.name : `${within}/${entry.name}`,
        isFolder: entry.isDirectory(),
      }))
      .filter(({ name }) => !ignores(name))
      .toSorted((a, b) => (a.name < b.name ? 1 : -1))
  }
  // The next one is the last.
  const left = [...(await entriesOf(''))]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { name, isFolder } = next
    if (!isFolder) yield { path: join(folder, name), name }
    else for (const entry of await entriesOf(name)) left.push(entry)
  }
}

interface Found {
  readonly name: string
  readonly isFolder: boolean
}

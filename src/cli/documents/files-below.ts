/** The files that paths on the command line mean: files as they are, folders with all that is in them. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UsageProblem } from '../command.ts'

export interface FileToSend {
  readonly path: string
  /** Below a given folder the path within it. */
  readonly name: string
}

/**
 * Each file once, in the order of the paths and within a folder by name. Names in a folder that begin with a dot are
 * left out, and so are links, which may lead anywhere. Throws UsageProblem for a path that is not there.
 */
export async function filesBelow(paths: readonly string[]): Promise<readonly FileToSend[]> {
  const found = new Map<string, FileToSend>()
  for (const path of paths) {
    const about = await stat(path).catch(() => null)
    if (about === null) throw new UsageProblem(`There is no file or folder ${path}.`)
    const files = about.isDirectory() ? await walk(path, '') : [{ path, name: basename(path) }]
    for (const file of files) {
      const key = await realpath(file.path)
      if (!found.has(key)) found.set(key, file)
    }
  }
  return [...found.values()]
}

async function walk(folder: string, within: string): Promise<readonly FileToSend[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new UsageProblem(`The folder ${folder} cannot be read.`)
  })
  const files: FileToSend[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    const name = join(within, entry.name)
    if (entry.isDirectory()) files.push(...(await walk(path, name)))
    else if (entry.isFile()) files.push({ path, name })
  }
  return files
}

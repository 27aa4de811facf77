/**
 * Files of this machine that a request names by path. Only regular files below a configured
 * directory are opened, wherever links lead, and whatever another process puts in their place during the opening.
 */
import { constants } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'

/**
 * The file, open for reading; the caller closes it. Null for all that is missing, forbidden, outside
 * or no regular file: one answer, so that nobody can feel their way through the disk.
 */
export async function openRooted(path: string, roots: readonly string[]): Promise<FileHandle | null> {
  let file: FileHandle | undefined
  try {
    const real = await realpath(path)
    const realRoots = await Promise.all(roots.map((root) => realpath(root)))
    const isInside = (candidate: string): boolean =>
      realRoots.some((root) => candidate.startsWith(root.endsWith(sep) ? root : root + sep))
    if (!isInside(real)) return null
    // A link put in the file's place since then is not followed, and a pipe is not waited for.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if ((await file.stat()).isFile() && isInside(await openedPath(file, real))) return file
  } catch {
    // As for a file that is not there.
  }
  await file?.close()
  return null
}

/** Where an open file really is: a directory on the way may have become a link since its path was checked. */
async function openedPath(file: FileHandle, expected: string): Promise<string> {
  if (process.platform !== 'linux') return expected
  return readlink(`/proc/self/fd/${file.fd}`)
}

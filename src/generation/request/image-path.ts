/**
 * Images on the server's own disk, for `image_paths`. Only files below a configured directory are
 * read, wherever links lead; what is missing, forbidden, outside or no plain file gets one answer,
 * so that nobody can feel their way through the disk.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { ApiError } from '#errors/api-error.ts'
import { imageTooLarge } from './image.ts'

/** The file's bytes. Answers 413 or 422 by throwing. */
export async function readImagePath(path: string, roots: readonly string[], bytesMax: number): Promise<Buffer> {
  try {
    const real = await realpath(path)
    const realRoots = await Promise.all(roots.map((root) => realpath(root)))
    if (!realRoots.some((root) => real.startsWith(root.endsWith(sep) ? root : root + sep))) throw refused()
    // A link put in the file's place since then is not followed, and a pipe is not waited for.
    await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size, ...about } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }))
    if (!about.isFile) throw refused()
    if (size > bytesMax) throw imageTooLarge(bytesMax)
    return await file.readFile()
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : refused()
  }
}

function refused(): ApiError {
  return new ApiError('invalid_image_path', { param: 'image_paths.0' })
}

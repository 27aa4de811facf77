/** Images on the server's own disk, for `image_paths`. */
import { ApiError } from '#errors/api-error.ts'
import { openRooted } from '#lib/rooted-file.ts'
import { imageTooLarge } from './image.ts'

/** The file's bytes. Answers 413 or 422 by throwing. */
export async function readImagePath(path: string, roots: readonly string[], bytesMax: number): Promise<Buffer> {
  const file = await openRooted(path, roots)
  if (file === null) throw refused()
  try {
    if ((await file.stat()).size > bytesMax) throw imageTooLarge(bytesMax)
    return await file.readFile()
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : refused()
  } finally {
    await file.close()
  }
}

function refused(): ApiError {
  return new ApiError('invalid_image_path', { param: 'image_paths.0' })
}

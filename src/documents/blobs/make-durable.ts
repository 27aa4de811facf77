/** Makes files and folders survive a power cut. */
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { eachOf } from '#lib/each-of.ts'

/** From so many on, one flush of the whole file system takes less time than one of each. */
const manyMin = 64
/** A file system writes the flushes that come together as one. */
const flushedAtOnce = 64

/** All of them lie in one file system. A file that was moved away in between is left out. */
export async function makeDurable(paths: readonly string[]): Promise<void> {
  const [first] = paths
  if (first !== undefined && paths.length >= manyMin && (await fileSystemFlushed(dirname(first)))) return
  await eachOf(paths, flushedAtOnce, flush)
}

/** Flushes all that was written to the file system of this folder (syncfs(2)); false where no command does it. */
async function fileSystemFlushed(folder: string): Promise<boolean> {
  // Others take the folder for nothing and flush without waiting.
  if (process.platform !== 'linux') return false
  try {
    const command = Bun.spawn(['sync', '-f', folder], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    return (await command.exited) === 0
  } catch {
    return false
  }
}

async function flush(path: string): Promise<void> {
  try {
    await using handle = await open(path, 'r')
    await handle.sync()
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown
  }
}

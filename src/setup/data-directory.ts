/** The directory for everything that this process writes: database, secret key, control socket. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartProblem } from './start-problem.ts'

/** Makes the directory when it is missing, for its owner only, and returns its absolute path. Throws StartProblem. */
export function prepareDataDirectory(path: string): string {
  const directory = resolve(path)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // Creating and renaming files takes both rights; root passes unless the file system is read-only.
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown error'
    throw new StartProblem(
      `The data directory ${directory} cannot be used: ${reasons[code] ?? code}. Set data_dir to a directory that Sluice may write to.`,
      thrown,
    )
  }
  return directory
}

/** Where the running server takes commands from its own user. */
export function controlSocketIn(dataDirectory: string): string {
  return join(dataDirectory, 'control.sock')
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

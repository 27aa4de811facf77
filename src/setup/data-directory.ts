/** The directory for everything that this process writes: database, secret key, control socket. */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from '#observe/log.ts'
import { StartProblem } from './start-problem.ts'

/**
 * Makes the directory when it is missing, and returns its absolute path. Other users of the machine
 * cannot read it afterwards; where that is not ours to change, a warning says so. Throws StartProblem.
 */
export function prepareDataDirectory(path: string, logger: Logger): string {
  const directory = resolve(path)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // Creating and renaming files takes both rights; root passes unless the file system is read-only.
    accessSync(directory, constants.W_OK | constants.X_OK)
    closeToOthers(directory, logger)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown error'
    throw new StartProblem(
      `The data directory ${directory} cannot be used: ${reasons[code] ?? code}. Set data_dir to a directory that Sluice may write to.`,
      thrown,
    )
  }
  return directory
}

const ownFiles = /^(sluice\.db|secret\.key|control\.sock|documents$)/

function closeToOthers(directory: string, logger: Logger): void {
  const { mode, uid } = statSync(directory)
  if ((mode & 0o077) === 0) return
  // A directory that holds other things too may be open to others on purpose.
  const isOurs = uid === process.getuid?.() && readdirSync(directory).every((name) => ownFiles.test(name))
  if (isOurs) {
    chmodSync(directory, 0o700)
    // Some mounts take the call and keep the mode.
    if ((statSync(directory).mode & 0o077) === 0) {
      logger.info('other users of this machine could read the data directory; now only its owner can', { directory })
      return
    }
  }
  const remedy = `chmod 700 ${directory}`
  logger.warn('other users of this machine can read the data directory', { directory, remedy })
}

/** Where the running server takes commands from its own user. */
export function controlSocketIn(dataDirectory: string): string {
  return join(dataDirectory, 'control.sock')
}

/** Where usage records wait for the database. */
export function usageJournalsIn(dataDirectory: string): string {
  return join(dataDirectory, 'usage')
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

/**
 * The key that seals credentials in the database: the setting `security.secret_key`, or a file of
 * the data directory that the first start makes.
 */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { keyBytes } from '#lib/seal.ts'
import type { Secret } from '#lib/secret.ts'
import type { Logger } from '#observe/log.ts'
import { StartProblem } from './start-problem.ts'

/** Where the key is when no setting gives one. */
export function secretKeyFileIn(dataDirectory: string): string {
  return join(dataDirectory, 'secret.key')
}

/**
 * The key's 32 bytes, of the setting or else of the file; null when there is neither. Throws
 * StartProblem for a file that holds something else.
 */
export function readSecretKey(setting: Secret | null, dataDirectory: string, logger: Logger): Uint8Array | null {
  if (setting !== null) return Buffer.from(setting.reveal(), 'base64')
  const file = secretKeyFileIn(dataDirectory)
  return explained(file, () => readKeyFile(file, logger))
}

/**
 * Makes the file, readable by its owner only, and returns what it holds: of several processes that
 * start at once one makes it and the others read it.
 */
export function makeSecretKey(dataDirectory: string, logger: Logger): Uint8Array {
  const file = secretKeyFileIn(dataDirectory)
  const key = explained(file, () => {
    makeKeyFile(file)
    return readKeyFile(file, logger)
  })
  if (key === null) throw new StartProblem(`The secret key in ${file} was removed while Sluice started.`)
  return key
}

/**
 * Puts the key of a backup in place. Throws StartProblem when the installation has another one already, in a file or a
 * setting.
 */
export function keepSecretKey(setting: Secret | null, dataDirectory: string, text: string): void {
  const file = secretKeyFileIn(dataDirectory)
  if (setting !== null) {
    if (setting.reveal() === text) return
    throw new StartProblem('The setting security.secret_key is not the key of the backup. Set it to that key.')
  }
  explained(file, () => makeKeyFile(file, text))
  if (readFileSync(file, 'utf8').trim() !== text)
    throw new StartProblem(`The secret key in ${file} is not the one of the backup. Move it away first.`)
}

function explained<T>(file: string, use: () => T): T {
  try {
    return use()
  } catch (thrown) {
    if (thrown instanceof StartProblem) throw thrown
    const reason = thrown instanceof Error ? thrown.message : 'unknown error'
    throw new StartProblem(`The secret key in ${file} cannot be read or made: ${reason}.`, thrown)
  }
}

function readKeyFile(file: string, logger: Logger): Uint8Array | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  }
  const key = Buffer.from(text, 'base64')
  if (key.length !== keyBytes || key.toString('base64') !== text) {
    throw new StartProblem(
      `The file ${file} does not hold a secret key (${keyBytes} bytes as base64). Restore it from a backup: without it the stored credentials cannot be opened.`,
    )
  }
  // A refusal would not help: the data is as readable as before, and some mounts do not support modes.
  if ((statSync(file).mode & 0o077) !== 0) {
    logger.warn('the secret key file can be read by other users of this machine', { file, remedy: `chmod 600 ${file}` })
  }
  return key
}

/**
 * Written under another name first and linked into place, so that a reader of the file sees all of
 * it, and so that the first of several processes wins.
 */
function makeKeyFile(
  file: string,
  text = Buffer.from(crypto.getRandomValues(new Uint8Array(keyBytes))).toString('base64'),
): void {
  const draft = `${file}.${crypto.randomUUID()}`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeSync(descriptor, `${text}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  try {
    linkSync(draft, file)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  } finally {
    rmSync(draft, { force: true })
  }
}

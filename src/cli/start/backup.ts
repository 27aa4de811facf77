/** `sluice backup`: all that an installation is, in a directory or a bucket, also while the server runs. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Settings } from '#config/settings/records.ts'
import type { Declared } from '#config/declared/declared.ts'
import { BlobsUnavailable } from '#documents/blobs/blob-store.ts'
import { openBlobs, s3Options } from '#documents/blobs/open-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { systemClock } from '#lib/clock.ts'
import { resourceFaultOf, type ResourceFault } from '#lib/resource-fault.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { openPlace } from '#setup/backup/backup-place.ts'
import { makeBackup } from '#setup/backup/make-backup.ts'
import type { Manifest } from '#setup/backup/manifest.ts'
import { databaseUrl, openInstallation } from '#setup/open-installation.ts'
import { readSecretKey } from '#setup/secret-key.ts'
import { StartProblem } from '#setup/start-problem.ts'
import { BackupRefused } from '#store/backup.ts'
import { CommandFailure, type ExitCode, type Invocation } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { version } from '../version.ts'

export async function run({ positionals: [given = ''], flags, output }: Invocation): Promise<ExitCode> {
  const { settings, declared } = readConfiguration(flags)
  const withKey = !flags.has('without-secret-key')
  const manifest = await refusals(() => backUp(given, { settings, declared, withKey }))
  const { missing_blobs: missing, has_secret_key: hasKey } = manifest
  const files = manifest.blobs + manifest.blobs_in_database
  const lines = [
    `Wrote the database and ${files} files of documents to ${given}.`,
    hasKey ? 'It holds the secret key: keep it as safe as the credentials.' : 'The secret key is not in it.',
    ...(missing.length === 0 ? [] : [`${missing.length} files of documents were lost before; manifest.json has them.`]),
  ]
  output.result({ place: given, ...manifest }, lines)
  return 0
}

interface BackupOptions {
  readonly settings: Settings
  readonly declared: Declared
  readonly withKey: boolean
}

async function backUp(given: string, { settings, declared, withKey }: BackupOptions): Promise<Manifest> {
  const dataDirectory = resolve(settings.data_dir)
  const url = databaseUrl(settings, dataDirectory)
  // Opening would make an empty one, and its copy would pass for a backup.
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length).replace(/^\/\//, ''))) {
    throw new StartProblem(
      `There is no database at ${url.slice('sqlite:'.length)}. Check data_dir, or start Sluice first.`,
    )
  }
  const logger = createLogger({ level: 'warn', format: 'text', clock: systemClock, write: writeToStderr })
  const workDirectory = join(dataDirectory, 'documents', 'incoming')
  await using place = openPlace(given, { s3: s3Options((name) => settings[name]), workDirectory })
  await using spool = new Spool(workDirectory)
  const { store } = await openInstallation({ settings, declared, clock: systemClock, logger, setUp: false })
  try {
    const directory = join(dataDirectory, 'documents')
    // What lies in the database is in its copy.
    const { blobs } = openBlobs((name) => settings[name], { directory, spool, bytes: null })
    const key = withKey ? readSecretKey(settings['security.secret_key'], dataDirectory, logger) : null
    const secretKey = key === null ? null : Buffer.from(key).toString('base64')
    return await makeBackup({ store, blobs, secretKey, version, now: systemClock.now() }, place)
  } finally {
    await store.close()
  }
}

/** What a refusal says is for the person at the terminal, and so is what the machine or the store lacks. */
export async function refusals<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const sentence = sentenceOf(thrown)
    throw sentence === null ? thrown : new CommandFailure(sentence)
  }
}

const faultSentences: Readonly<Record<ResourceFault, string>> = {
  storage_full: 'The disk is full or cannot be written, so this is not complete. Make room, and start again.',
  overloaded: 'This machine has no more files, processes or memory, so this is not complete. Start again later.',
}

/** Null for what nobody at the terminal can correct. */
function sentenceOf(thrown: unknown): string | null {
  if (thrown instanceof BackupRefused) return thrown.message
  if (thrown instanceof BlobsUnavailable && thrown.cause instanceof Error)
    return `This is not complete: ${thrown.cause.message}. Check the bucket, its address and its key, and start again.`
  const fault = resourceFaultOf(thrown)
  return fault === null ? null : faultSentences[fault]
}

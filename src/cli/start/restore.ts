/** `sluice restore`: brings a backup back into an empty installation, or only checks it. */
import { join } from 'node:path'
import type { Settings } from '#config/settings/records.ts'
import { openBlobs, s3Options, type BlobPlaces } from '#documents/blobs/open-blobs.ts'
import { Spool } from '#documents/blobs/spool.ts'
import { systemClock } from '#lib/clock.ts'
import { keyBytes, SealError, sealer } from '#lib/seal.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { openPlace } from '#setup/backup/backup-place.ts'
import { checkBackup, restoreBackup, type BackupCheck } from '#setup/backup/restore-backup.ts'
import { settleFiles } from '#setup/backup/settle-files.ts'
import { prepareDataDirectory } from '#setup/data-directory.ts'
import { databaseUrl } from '#setup/open-installation.ts'
import { keepSecretKey, readSecretKey } from '#setup/secret-key.ts'
import { BackupRefused, referencesOf } from '#store/backup.ts'
import { engineOf } from '#store/database.ts'
import type { StoredBytes } from '#store/documents/stored-bytes.ts'
import type { ReferencedBytes } from '#store/referenced-bytes.ts'
import { migrations } from '#store/migrate.ts'
import { knownSchema } from '#store/migrating/migration.ts'
import { openStore, type Store } from '#store/store.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { refusals } from './backup.ts'

export async function run({ positionals: [given = ''], flags, output }: Invocation): Promise<ExitCode> {
  const { settings } = readConfiguration(flags)
  const isCheck = flags.has('check')
  const { manifest, files: beside } = await refusals(() => restore(given, settings, isCheck))
  const files = beside + manifest.blobs_in_database
  output.result({ place: given, restored: !isCheck, files, ...manifest }, [
    isCheck
      ? `The backup of ${manifest.created_at} is complete: the database and ${files} files of documents.`
      : `Restored the database of ${manifest.created_at} and ${files} files of documents. Start Sluice now.`,
    ...(manifest.has_secret_key ? [] : ['It holds no secret key: put the one of then in place first.']),
  ])
  return 0
}

async function restore(given: string, settings: Settings, isCheck: boolean): Promise<BackupCheck> {
  const logger = createLogger({ level: 'warn', format: 'text', clock: systemClock, write: writeToStderr })
  const dataDirectory = prepareDataDirectory(settings.data_dir, logger)
  const directory = join(dataDirectory, 'documents')
  const workDirectory = join(directory, 'incoming')
  await using place = openPlace(given, { s3: s3Options((name) => settings[name]), workDirectory })
  if (isCheck) return await checkBackup(place)
  await using spool = new Spool(workDirectory)
  const placesWith = (bytes: StoredBytes | null): BlobPlaces =>
    openBlobs((name) => settings[name], { directory, spool, bytes })
  const url = databaseUrl(settings, dataDirectory)
  const key = (): Uint8Array | null => readSecretKey(settings['security.secret_key'], dataDirectory, logger)
  return await restoreBackup(place, {
    databaseUrl: url,
    engine: engineOf(url),
    knownSchema: knownSchema(migrations),
    blobs: placesWith(null).blobs,
    spool,
    keepSecretKey: (text) => keepSecretKey(settings['security.secret_key'], dataDirectory, text),
    verify: () => verify(url, key()),
    settle: () =>
      withStore(url, key(), ({ documents, documentBytes }) =>
        settleFiles({ store: documents, places: placesWith(documentBytes), spool }),
      ),
  })
}

/** The key is null where the backup held none and nobody has put one in place: then nothing sealed can be read. */
async function withStore<Result>(
  url: string,
  key: Uint8Array | null,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ url, sealer: sealer(key ?? new Uint8Array(keyBytes)) })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function verify(url: string, key: Uint8Array | null): Promise<ReferencedBytes> {
  try {
    if (key !== null) await withStore(url, key, ({ providers }) => providers.all())
  } catch (thrown) {
    if (!(thrown instanceof SealError)) throw thrown
    throw new BackupRefused('The secret key does not open the credentials of the restored database.', thrown)
  }
  return referencesOf(url)
}

/**
 * A backup brought back into an empty installation, with everything checked: the manifest, the digest of each file, the
 * database by its engine, and that the secret key opens what is sealed.
 *
 * The database comes after the files. So a restore that was interrupted before can be started again, and a server that
 * starts on the database finds every file, in the data directory if they were on their way into the database.
 */
import type { BlobStore } from '#documents/blobs/blob-store.ts'
import type { Spool } from '#documents/blobs/spool.ts'
import { BackupRefused, isEmptyDatabase, restoreDatabase } from '#store/backup.ts'
import type { Engine } from '#store/database.ts'
import type { ReferencedBytes } from '#store/referenced-bytes.ts'
import type { BackupPlace } from './backup-place.ts'
import {
  copyBlob,
  databaseName,
  manifestName,
  manifestSchema,
  secretKeyName,
  sha256Of,
  type Manifest,
} from './manifest.ts'

/** Where a backup is restored to. */
export interface RestoreTarget {
  readonly databaseUrl: string
  readonly engine: Engine
  /** The newest schema that this version knows. */
  readonly knownSchema: number
  /** Where files can lie before there is a database. */
  readonly blobs: BlobStore
  /** For files on their way into `blobs`, on the same disk. */
  readonly spool: Spool
  /** Stores the key of the backup; throws when the installation has another one. */
  keepSecretKey(text: string): void
  /** Opens what the database has sealed, and looks for its documents' files; throws when the key is another one. */
  verify(): Promise<ReferencedBytes>
  /** Moves the files to where new ones go, once there is a database, and records where they are. */
  settle(): Promise<void>
}

export interface BackupCheck {
  readonly manifest: Manifest
  /** Files of documents in the backup, those included that no document has any more. */
  readonly files: number
}

/** Reads and checks a whole backup; writes nothing. Throws BackupRefused. */
export async function checkBackup(place: BackupPlace): Promise<BackupCheck> {
  const manifest = await readManifest(place)
  await using database = await openDatabaseFile(place, manifest)
  void database
  if (manifest.has_secret_key) await readSecretKey(place, manifest)
  let files = 0
  for await (const address of place.blobs.list()) {
    await using file = await place.blobs.open(address)
    if ((await sha256Of(file.path)) !== address.sha256) throw damaged(`the file of document ${address.id}`)
    files += 1
  }
  if (files < manifest.blobs) throw lacking(manifest.blobs - files)
  return { manifest, files }
}

/** Throws BackupRefused when the place is not empty or the backup is damaged. */
export async function restoreBackup(place: BackupPlace, target: RestoreTarget): Promise<BackupCheck> {
  const manifest = await readManifest(place)
  if (manifest.engine !== target.engine)
    throw new BackupRefused(`The backup is of ${manifest.engine}, and database.url names ${target.engine}.`)
  if (manifest.needs_schema > target.knownSchema) throw tooNew(manifest)
  if (!(await isEmptyDatabase(target.databaseUrl)))
    throw new BackupRefused('There is a database already. A backup is restored only where there is none.')
  await using database = await openDatabaseFile(place, manifest)
  if (manifest.has_secret_key) target.keepSecretKey(await readSecretKey(place, manifest))
  let files = 0
  for await (const address of place.blobs.list()) {
    if (!(await copyBlob(place.blobs, target.blobs, target.spool, address)))
      throw damaged(`the file of document ${address.id}`)
    files += 1
  }
  if (files < manifest.blobs) throw lacking(manifest.blobs - files)
  await restoreDatabase(target.databaseUrl, database.path)
  const { inside, elsewhere } = await target.verify()
  const unknown = elsewhere.length - manifest.blobs - manifest.missing_blobs.length
  if (unknown !== 0 || inside !== manifest.blobs_in_database)
    throw damaged('its database refers to other files than its manifest')
  await target.settle()
  return { manifest, files }
}

async function readManifest(place: BackupPlace): Promise<Manifest> {
  await using file = await place.open(manifestName)
  if (file === null) throw new BackupRefused('There is no complete backup: it has no manifest.json.')
  const parsed = manifestSchema.safeParse(
    await Bun.file(file.path)
      .json()
      .catch(() => null),
  )
  if (!parsed.success)
    throw new BackupRefused('The manifest of the backup is damaged, or of a newer version of Sluice.')
  return parsed.data
}

async function openDatabaseFile(place: BackupPlace, { database }: Manifest) {
  const file = await place.open(databaseName)
  if (file === null || (await sha256Of(file.path)) !== database.sha256) throw damaged('its database')
  return file
}

async function readSecretKey(place: BackupPlace, { secret_key_sha256: sha256 }: Manifest): Promise<string> {
  await using file = await place.open(secretKeyName)
  if (file === null) throw damaged('its secret key, which is missing')
  if (sha256 !== null && (await sha256Of(file.path)) !== sha256) throw damaged('its secret key')
  return (await Bun.file(file.path).text()).trim()
}

function tooNew({ sluice_version: version }: Manifest): BackupRefused {
  return new BackupRefused(
    `The backup is of Sluice ${version}, which has changed the database so that this version cannot use it. Restore it with that version or a later one.`,
  )
}

function lacking(files: number): BackupRefused {
  return damaged(files === 1 ? '1 file of a document is missing' : `${files} files of documents are missing`)
}

function damaged(part: string): BackupRefused {
  return new BackupRefused(`The backup is damaged: ${part}. Use another one.`)
}

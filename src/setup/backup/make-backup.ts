/**
 * One backup of everything, while servers run: database, files of documents, secret key.
 *
 * The point in time is that of the database's copy. A document's bytes are stored before its record, so copying most of
 * the files first and the rest afterwards has all of them, except for a document that was deleted between the two copies:
 * then the database is copied again. Bytes that two copies name and nobody has are lost. Bytes that no document has any
 * more may be in the backup too; the next server removes them.
 *
 * Files that lie in the database itself are in its copy and nowhere else in the backup.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobMissing, type BlobAddress, type BlobStore } from '#documents/blobs/blob-store.ts'
import { BackupRefused } from '#store/backup.ts'
import type { Store } from '#store/store.ts'
import type { BackupPlace } from './backup-place.ts'
import { blobKey, copyBlob, databaseName, manifestName, secretKeyName, sha256Of, type Manifest } from './manifest.ts'

export interface BackupSource {
  readonly store: Pick<Store, 'engine' | 'backup'>
  /** Every place outside the database. */
  readonly blobs: BlobStore
  /** As the file holds it; null leaves it out. */
  readonly secretKey: string | null
  readonly version: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** Copies of the database in each of which another document may be deleted before its bytes are copied. */
const triesMax = 100

/** Writes all to an empty place, the manifest last. Throws BackupRefused. */
export async function makeBackup(source: BackupSource, place: BackupPlace): Promise<Manifest> {
  if (!(await place.isEmpty())) throw new BackupRefused('The place for the backup is not empty.')
  const { store, blobs, secretKey, version, now } = source
  await using work = await place.spool.workspace()
  const copier = new BlobCopier(blobs, place)
  for await (const address of blobs.list()) await copier.copy(address)

  const file = join(work.path, databaseName)
  let referenced = await store.backup(file)
  let missing = await copier.copyAll(referenced.elsewhere)
  for (let tries = 1, lost = false; missing.length > 0 && !lost; tries += 1) {
    if (tries === triesMax) throw new BackupRefused(tooManyDeletions)
    await Bun.file(file).delete()
    referenced = await store.backup(file)
    const before = new Set(missing.map(blobKey))
    missing = await copier.copyAll(referenced.elsewhere)
    lost = missing.every((address) => before.has(blobKey(address)))
  }
  const manifest: Manifest = {
    format: 1,
    sluice_version: version,
    created_at: new Date(now).toISOString(),
    needs_schema: referenced.needsSchema,
    engine: store.engine,
    database: { bytes: Bun.file(file).size, sha256: await sha256Of(file) },
    has_secret_key: secretKey !== null,
    secret_key_sha256: secretKey === null ? null : await putText(place, work.path, secretKeyName, `${secretKey}\n`),
    blobs: referenced.elsewhere.length - missing.length,
    blobs_in_database: referenced.inside,
    missing_blobs: [...missing],
  }
  await place.put(databaseName, file)
  await putText(place, work.path, manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

const tooManyDeletions =
  'Documents are being deleted faster than a backup can follow. Try again when fewer are, and empty the place before.'

/** Resolves with the digest of the text. */
async function putText(place: BackupPlace, folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  const sha256 = await sha256Of(path)
  await place.put(name, path)
  return sha256
}

class BlobCopier {
  readonly #from: BlobStore
  readonly #place: BackupPlace
  readonly #copied = new Set<string>()

  constructor(from: BlobStore, place: BackupPlace) {
    this.#from = from
    this.#place = place
  }

  /** False when the bytes are gone, or are not what was stored. */
  async copy(address: BlobAddress): Promise<boolean> {
    const key = blobKey(address)
    if (this.#copied.has(key)) return true
    try {
      if (!(await copyBlob(this.#from, this.#place.blobs, this.#place.spool, address))) return false
    } catch (thrown) {
      if (thrown instanceof BlobMissing || isMissingFile(thrown)) return false
      throw thrown
    }
    this.#copied.add(key)
    return true
  }

  /** Those that cannot be copied. */
  async copyAll(addresses: readonly BlobAddress[]): Promise<readonly BlobAddress[]> {
    const missing: BlobAddress[] = []
    for (const address of addresses) if (!(await this.copy(address))) missing.push(address)
    return missing
  }
}

/** Deleted between the look for it and its reading. */
function isMissingFile(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
}

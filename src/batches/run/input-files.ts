/**
 * The input files that this process reads. Where bytes lie elsewhere than on this machine, a file is fetched once and
 * stays for as long as lines of it are worked on, and a little longer.
 */
import type { BlobStore, LocalBlob } from '#documents/blobs/blob-store.ts'
import type { Clock } from '#lib/clock.ts'
import type { StoredFile } from '#store/batches/files.ts'

/** A file in use, until it is disposed. */
export interface InputFile extends Disposable {
  readonly blob: Blob
}

interface Fetched {
  readonly local: Promise<LocalBlob>
  users: number
  usedAt: number
}

const keptMs = 30_000

export class InputFiles implements AsyncDisposable {
  readonly #blobs: Pick<BlobStore, 'open'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #files = new Map<string, Fetched>()

  constructor(blobs: Pick<BlobStore, 'open'>, clock: Pick<Clock, 'elapsed'>) {
    this.#blobs = blobs
    this.#clock = clock
  }

  /** Rejects with BlobMissing and BlobsUnavailable. */
  async open({ blobId, sha256 }: StoredFile): Promise<InputFile> {
    const fetched = this.#files.getOrInsertComputed(blobId, () => ({
      local: this.#blobs.open({ id: blobId, sha256: sha256 ?? '' }),
      users: 0,
      usedAt: 0,
    }))
    fetched.users += 1
    try {
      const { path } = await fetched.local
      return { blob: Bun.file(path), [Symbol.dispose]: () => this.#leave(fetched) }
    } catch (thrown) {
      this.#files.delete(blobId)
      throw thrown
    }
  }

  /** Gives back files that were not used for a while. */
  async tidy(): Promise<void> {
    for (const [id, { local, users, usedAt }] of this.#files) {
      if (users > 0 || this.#clock.elapsed() - usedAt < keptMs) continue
      this.#files.delete(id)
      await (await local)[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { local } of this.#files.values())
      await local.then((blob) => blob[Symbol.asyncDispose]()).catch(() => undefined)
    this.#files.clear()
  }

  #leave(fetched: Fetched): void {
    fetched.users -= 1
    fetched.usedAt = this.#clock.elapsed()
  }
}
